"""Events never stop: one that has no form costs itself, and a store that cannot be written costs what is counted."""

import errno
import json
import os
import sqlite3

import pytest

from outcome_monitors.alerting.change_store import ChangeStore
from outcome_monitors.alerting.changes import Changes, ObservedDrift
from outcome_monitors.events import background, read_events
from outcome_monitors.events.event import Event, Payload
from outcome_monitors.events.stores import JsonLines, Store
from outcome_monitors.learning.recorder import Recorder, ToolResult
from outcome_monitors.model import Call, Violation


class Silent:
    """A name that says nothing of itself."""

    def __repr__(self):
        raise RuntimeError


def deep():
    found: list[object] = []
    for _ in range(100_000):
        found = [found]
    return found


LOOP: list[object] = []
LOOP.append(LOOP)
GOOD = Event(1.0, "s", "get_order", "clean")
FLAG = Violation("nonpositive_value", "total", 1, -1, "x")
BAD = {
    "a lone surrogate as tool": GOOD._replace(tool="get\ud800order"),
    "a byte 0xff in a session": GOOD._replace(session=b"s\xff".decode(errors="surrogateescape")),
    "a surrogate in why": GOOD._replace(why="\udfff"),
    "no text as tool": GOOD._replace(tool=7),  # type: ignore[arg-type]  # whatever hosts hand over
    "a list as tool": GOOD._replace(tool=["a"]),  # type: ignore[arg-type]  # the same
    "an object that says nothing": GOOD._replace(tool=Silent()),  # type: ignore[arg-type]  # the same
    "a huge number as session": GOOD._replace(session=10**5000),  # type: ignore[arg-type]  # the same
    "no time": GOOD._replace(time=float("nan")),
    "a time without a date": GOOD._replace(time=1e300),
    "endless duration": GOOD._replace(duration=float("inf")),
    "a receipt in a circle": GOOD._replace(violations=(FLAG,), receipt=LOOP),
    "a receipt too deep": GOOD._replace(violations=(FLAG,), receipt=deep()),
    "keys that are no texts": GOOD._replace(violations=(FLAG,), receipt={(1, 2): 3}),
    "a number too long": GOOD._replace(violations=(FLAG,), receipt={"a": 10**5000}),
    "a payload that is no UTF-8": GOOD._replace(payload=Payload('"\ud800"', "1")),
}


@pytest.mark.parametrize("name", ["e.sqlite", "e.jsonl"])
def test_one_bad_row_costs_one_row(tmp_path, name):
    """Each among good ones, all in one batch: all are there, in order, and those that had to be are counted as escaped."""
    sink = Store(tmp_path / name) if name.endswith("sqlite") else JsonLines(tmp_path / name)
    events = [event for bad in BAD.values() for event in (GOOD, bad)]
    for event in events:
        sink.put(event)
    sink.close()
    assert sink.lost == 0
    assert 0 < sink.escaped <= len(BAD)
    found = list(read_events(tmp_path / name))
    assert len(found) == len(events)
    good = [{name: part for name, part in event.items() if name != "event"} for event in found[::2]]
    assert all(event == good[0] for event in good)
    said = json.dumps(found)
    assert "get\\\\ud800order" in said or "get\\ud800order" in said
    assert said.count("the rest has no form") >= 2


def test_a_good_batch_escapes_nothing(tmp_path):
    store = Store(tmp_path / "e.sqlite")
    store.put(GOOD._replace(tool="caf\u00e9 \U0001f600"))
    store.close()
    assert (store.escaped, store.lost) == (0, 0)
    assert next(read_events(tmp_path / "e.sqlite"))["tool"] == "caf\u00e9 \U0001f600"


def test_what_has_become_usual_goes_on_beside_a_path_that_has_no_form(tmp_path, caplog):
    changes = Changes()
    store = ChangeStore(tmp_path, changes)
    for path in ("a", "b\ud800", "c"):
        way = ("tool", path, "news")
        changes.put(way, ObservedDrift("tool", path, path, "type", "news", first="x\ud800"))
    store.exchange()
    assert not caplog.text
    again = Changes()
    ChangeStore(tmp_path, again)
    assert len(again.signatures) == 3


def test_a_call_that_has_no_form_is_one_that_is_lost(tmp_path):
    recorder = Recorder(tmp_path / "t.jsonl")
    for value in (1, LOOP, 10**5000, deep(), 2):
        recorder.put(Call("get_order", {}, value), ToolResult(value), None)
    recorder.close()
    assert recorder.lost == 3
    assert [json.loads(line)["result"] for line in (tmp_path / "t.jsonl").read_text().splitlines()] == [1, 2]


@pytest.fixture
def hurry(monkeypatch):
    monkeypatch.setattr(background, "BETWEEN_TRIES", 0.001)
    monkeypatch.setattr(background, "GATHER", 0.001)


@pytest.mark.parametrize("often", [1, 2, 3])
@pytest.mark.parametrize("which", ["write", "open", "fstat", "pread"])
def test_a_file_that_fails_at_any_call_has_every_event_once_or_counts_it(
    tmp_path, monkeypatch, hurry, which, often
):
    real, calls = getattr(os, which), [0]

    def failing(*arguments, **named):
        calls[0] += 1
        if calls[0] <= often:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(*arguments, **named)

    sink = JsonLines(tmp_path / "e.jsonl")
    monkeypatch.setattr(os, which, failing)
    for number in range(20):
        sink.put(GOOD._replace(tool=f"t{number}"))
    sink.close()
    monkeypatch.undo()
    tools = [event["tool"] for event in read_events(tmp_path / "e.jsonl")]
    assert len(tools) + sink.lost == 20
    assert len(set(tools)) == len(tools)


def test_a_disk_that_takes_half_a_line_leaves_no_half_line(tmp_path, monkeypatch, hurry):
    real, calls = os.write, [0]

    def short(descriptor, data):
        calls[0] += 1
        return real(descriptor, data[: len(data) // 2] if calls[0] < 4 else data)

    sink = JsonLines(tmp_path / "e.jsonl")
    monkeypatch.setattr(os, "write", short)
    for number in range(20):
        sink.put(GOOD._replace(tool=f"t{number}"))
    sink.close()
    monkeypatch.undo()
    assert [event["tool"] for event in read_events(tmp_path / "e.jsonl")] == [f"t{n}" for n in range(20)]


@pytest.mark.parametrize("at", range(1, 9))
def test_a_store_that_fails_at_any_statement_has_every_event_once(tmp_path, monkeypatch, hurry, at):
    calls = [0]

    class Failing(sqlite3.Connection):
        def execute(self, *arguments):
            self._count()
            return super().execute(*arguments)

        def executemany(self, *arguments):
            self._count()
            return super().executemany(*arguments)

        def _count(self):
            calls[0] += 1
            if calls[0] == at:
                raise sqlite3.OperationalError("disk I/O error")

    real = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *a, **b: real(*a, **{"factory": Failing, **b}))
    sink = Store(tmp_path / "e.sqlite")
    for number in range(20):
        sink.put(GOOD._replace(tool=f"t{number}"))
    sink.close()
    monkeypatch.undo()
    assert sink.lost == 0
    assert sorted(event["tool"] for event in read_events(tmp_path / "e.sqlite")) == sorted(
        f"t{n}" for n in range(20)
    )
