"""Results over time, counted by the store."""

from pathlib import Path

from outcome_monitors.events import Event, Store, events_at
from outcome_monitors_server.console.history import drawn, history_of
from tests.homes import Home

BEGIN, HOUR = 1_772_000_000.0, 3600.0


def stored(folder: Path, *events: Event) -> Path:
    store = Store(folder / "events.sqlite")
    for event in events:
        store.put(event)
    store.close()
    return folder


def test_each_step_has_what_was_seen_checked_flagged_and_told(tmp_path: Path, home: Home) -> None:
    outcomes = ["clean", "flagged", "not_checked", "clean"]
    events = [
        Event(BEGIN + 10 * HOUR * number + 0.9, "s", "get", outcome, advised=outcome == "flagged")
        for number, outcome in enumerate(outcomes)
    ]
    [(tool, steps)] = history_of(events_at(home(stored(tmp_path, *events)))).items()
    assert tool == "get"
    assert [(step.seen, step.checked, step.flagged, step.told) for step in steps] == [
        (1, 1, 0, 0),
        (1, 1, 1, 1),
        (1, 0, 0, 0),
        (1, 1, 0, 0),
    ]
    assert "75% checked, 25% alerted of 4 results" in drawn("get", steps)


def test_no_store_and_an_empty_one_have_none(tmp_path: Path, home: Home) -> None:
    assert history_of(events_at(tmp_path / "events.sqlite")) == {}
    stored(tmp_path, Event(BEGIN, "s", "get", "clean"))
    [steps] = history_of(events_at(home(tmp_path))).values()
    assert "polyline" in drawn("get", steps)
    assert "no results yet" in drawn("get", [])
