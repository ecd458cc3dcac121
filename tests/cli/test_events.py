"""`events`: lists and counts, and never counts a flagged result with the clean ones."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from outcome_monitors.events import Event, JsonLines, Store, Watch
from outcome_monitors.events.reader import follow, newest
from outcome_monitors.storage.address import StateAddress, is_address
from outcome_monitors_server.storage.postgres import Postgres
from outcome_monitors_server.storage.writers import SharedStore
from tests.commandline import Run
from tests.events.shop import monitor, order


@pytest.fixture(params=["folder", "postgres"])
def place(request: pytest.FixtureRequest, run: Run) -> "EventHome":
    """A store of events, in a file or in a fleet's database."""
    return EventHome("e.sqlite" if request.param == "folder" else request.getfixturevalue("fleet"))


class EventHome:
    def __init__(self, name: str) -> None:
        self.name = name
        self.state = Postgres(StateAddress.read(name)) if is_address(name) else None

    def fill(self) -> None:
        fill(Store(self.name) if self.state is None else SharedStore(self.state))

    def change(self, query: str, *values: object) -> None:
        if self.state is None:
            with closing(sqlite3.connect(self.name)) as store, store:
                store.execute(query, values)
        else:
            with self.state.writing() as shared:
                shared.execute(query, values)


def fill(sink) -> None:
    watch = Watch(monitor(), sink)
    one, two = watch.conversation("one"), watch.conversation("two")
    for number in range(5):
        one.look("get_order", {"id": f"W{number}"}, order(number))
    two.look("get_order", {"id": "W1"}, order(1, total=-1))
    two.look("find_order", {}, {})
    two.skip("get_order", "the content is not JSON")
    sink.put(Event(0.0, None, "old_tool", "clean"))
    sink.close()


def test_they_are_counted_by_tool_and_outcome(run: Run, place: EventHome) -> None:
    place.fill()
    result = run("events", place.name)
    assert result.exit_code == 1
    assert "get_order        5         1             0             1        0" in result.output
    assert "9 events: 6 clean, 1 flagged, 1 not covered, 1 not checked, 0 failed" in result.output
    assert "get_order             1   the content is not JSON" in result.output
    assert "why" not in run("events", place.name, "--tool", "find_order").output


def test_they_are_filtered(run: Run) -> None:
    fill(JsonLines("e.jsonl"))
    flagged = run("events", "e.jsonl", "--outcome", "flagged")
    assert flagged.exit_code == 1
    assert "nonpositive_value at total" in flagged.output
    assert "1 event: 0 clean, 1 flagged" in flagged.output
    one = run("events", "e.jsonl", "--session", "one", "--format", "jsonl")
    assert one.exit_code == 0
    assert [json.loads(line)["outcome"] for line in one.stdout.splitlines()] == ["clean"] * 5
    recent = run("events", "e.jsonl", "--since", "2000-01-01", "--tool", "old_tool")
    assert "0 events" in recent.output
    last = run("events", "e.jsonl", "--last", "2", "--format", "jsonl")
    assert [json.loads(line)["outcome"] for line in last.stdout.splitlines()] == ["not_checked", "clean"]


def flagged_event(run: Run, store: str) -> dict[str, Any]:
    [line] = run("events", store, "--outcome", "flagged", "--format", "jsonl").stdout.splitlines()
    event: dict[str, Any] = json.loads(line)
    return event


def test_each_names_the_clauses_that_were_broken(run: Run, place: EventHome) -> None:
    place.fill()
    fill(JsonLines("e.jsonl"))
    for store in (place.name, "e.jsonl"):
        event = flagged_event(run, store)
        assert event["told"] is True
        [address] = event["clauses"]
        assert address.startswith("get_order.total/positive#")
        assert event["violations"][0]["clause"] == address
        assert event["violations"][0]["id"].startswith(address.rpartition("#")[2])
        others = run("events", store, "--outcome", "clean", "--format", "jsonl").stdout.splitlines()
        assert {(json.loads(line)["told"], *json.loads(line)["clauses"]) for line in others} == {(False,)}


def test_what_comes_is_followed(place: EventHome) -> None:
    place.fill()
    rounds = iter((True, True, True, False))

    def wait(_seconds: float) -> None:
        """Let another process write in between."""
        place.fill()

    new = newest(place.name)
    found = follow(place.name, new, on=lambda: next(rounds), wait=wait, tool="get_order", outcome="flagged")
    assert [event["event"] for event in found] == [15, 24]


@pytest.mark.parametrize("written", [1, 2, 6])
def test_after_a_failover_to_an_older_copy_what_comes_is_followed(place: EventHome, written: int) -> None:
    """Also where the copy has caught up, or has overtaken, between two looks."""

    def put(*numbers: int) -> None:
        store = Store(place.name) if place.state is None else SharedStore(place.state)
        for number in numbers:
            store.put(Event(float(number), None, f"tool{number}", "clean"))
        store.close()

    def fail_over() -> None:
        """As a copy that lacks the last two."""
        place.change("DELETE FROM events WHERE id > 4")
        if place.state is not None:
            place.change("SELECT setval(pg_get_serial_sequence('events', 'id'), 4)")
        put(*range(10, 10 + written))

    put(0, 1, 2)
    rounds, looks = iter((True, True, True, True, False)), iter(range(4))

    def wait(_seconds: float) -> None:
        look = next(looks)
        if look == 0:
            put(3, 4, 5)
        elif look == 1:
            fail_over()

    seen = [event["tool"] for event in follow(place.name, 3, on=lambda: next(rounds), wait=wait)]
    assert seen[:3] == ["tool3", "tool4", "tool5"]
    assert [tool for tool in seen if tool >= "tool10" and len(tool) > 5] == [
        f"tool{n}" for n in range(10, 10 + written)
    ]


def test_a_file_that_is_rotated_is_followed_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    fill(JsonLines("e.jsonl"))
    size, rounds = Path("e.jsonl").stat().st_size, iter((True, True, True, False))

    def wait(_seconds: float) -> None:
        if Path("e.jsonl").stat().st_size == size:
            Path("e.jsonl").unlink()
            line = {"time": "2026-03-01T10:00:00+00:00", "tool": "new", "outcome": "clean"}
            Path("e.jsonl").write_text(json.dumps(line) + "\n" + '{"half')

    found = follow("e.jsonl", newest("e.jsonl"), on=lambda: next(rounds), wait=wait)
    assert [event["tool"] for event in found] == ["new"]
