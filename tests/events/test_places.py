"""Events are read alike wherever they are: a store in a file and a fleet's database give the same answers to the same questions."""

from itertools import product
from pathlib import Path

import pytest

from outcome_monitors.events import Event, Payload, Store, Wanted, events_at, read_events, reader
from outcome_monitors.events.reader import newest, pooled, read_last
from outcome_monitors.events.summary import alerts_between, last_results, summarise
from outcome_monitors.model import Violation
from outcome_monitors.storage.storage import EventTable
from tests.homes import moved

BROKEN = (Violation("code", "total", 1, 2, "odd"),)
OUTCOMES = ("clean", "flagged", "not_checked", "clean", "failed")


@pytest.fixture
def both(tmp_path: Path, fleet: str, monkeypatch: pytest.MonkeyPatch) -> tuple[EventTable, EventTable]:
    """Thirty events, whose clocks are not in the order of their numbers, in either place; of a database few at a time are taken."""
    monkeypatch.setattr(reader, "PAGE", 4)
    store = Store(tmp_path / "events.sqlite")
    for number in range(30):
        outcome = OUTCOMES[number % 5]
        store.put(
            Event(
                1e9 + (number * 7 % 30),
                None if number % 7 == 0 else f"s{number % 3}",
                f"tool {number % 4}",
                outcome,
                BROKEN if outcome == "flagged" else (),
                {"note": "odd"} if outcome == "flagged" else None,
                advised=number % 10 == 1,
                why="it is % or ?" if outcome == "not_checked" else "",
                payload=Payload("{}", '{"n": 1}') if number % 9 == 0 else None,
            )
        )
    store.close()
    return events_at(tmp_path), events_at(moved(tmp_path, fleet))


def test_the_same_events_are_read_in_the_same_order(both: tuple[EventTable, EventTable]) -> None:
    here, there = both
    asked = product(
        ((None, None), ("tool 1", None), (None, "s1")),
        ((), ("flagged",), ("clean", "failed")),
        (None, 1e9 + 11, 2e9),
        ((0, None), (5, 20)),
    )
    with pooled(there) as kept:
        for (tool, session), outcomes, since, (after, before) in asked:
            wanted = Wanted(tool, outcomes, session, since, after, before)
            assert [*read_events(kept, wanted)] == [*read_events(here, wanted)], wanted
            for most in (1, 9):
                assert read_last(kept, most, wanted) == read_last(here, most, wanted), wanted
            assert summarise(kept, wanted) == summarise(here, wanted), wanted


def test_and_counted_alike(both: tuple[EventTable, EventTable]) -> None:
    here, there = both
    assert newest(there) == newest(here) == 30
    assert last_results(there, 7) == last_results(here, 7)
    assert alerts_between(there, 1e9, 1e9 + 20) == alerts_between(here, 1e9, 1e9 + 20)
