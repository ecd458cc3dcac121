"""Stores: safe under many processes and against kill -9; a store in trouble delays nobody, and what is lost is counted."""

import errno
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, suppress

import pytest

from outcome_monitors.events import (
    Event,
    JsonLines,
    Payload,
    Store,
    Watch,
    read_events,
    sinks,
)
from outcome_monitors.events.summary import summarise
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.model import Violation
from outcome_monitors.storage import event_file
from tests.events.shop import Kept, monitor, order

WRITER = """
import sys, time
from outcome_monitors.events import Event, Store
from outcome_monitors.storage import event_file
event_file.LEAST_AT_ONCE = 20
store = Store(sys.argv[1], most=int(sys.argv[4]))
for number in range(int(sys.argv[3])):
    store.put(Event(float(number), sys.argv[2], "get_order", "clean", why="x" * 100))
    if number % 50 == 0:
        time.sleep(0.02)
store._background.close(within=60)
print(store.lost)
"""
BOTH = pytest.mark.parametrize("make", [Store, JsonLines])


def writer(path, name, number, most=10**9):
    command = [sys.executable, "-c", WRITER, str(path), str(name), str(number), str(most)]
    return subprocess.Popen(command, stdout=subprocess.PIPE)


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(sinks, "GATHER", 0.01)
    monkeypatch.setattr(sinks, "BETWEEN_TRIES", 0.02)
    monkeypatch.setattr(event_file, "BUSY", 0.01)


def locked(path):
    """Lock a store, and return what ends that when it is closed."""
    blocker = sqlite3.connect(path, isolation_level=None)
    blocker.execute("BEGIN EXCLUSIVE")
    return closing(blocker)


def until_it_holds_events(path):
    while True:
        with suppress(OutcomeMonitorsError):
            if list(read_events(path)):
                return
        time.sleep(0.01)


def put(sink, *events):
    for event in events:
        sink.put(event)
    sink.close()
    return sink


def events(number):
    return [Event(1000.0 + i, "s", f"t{i}", "clean") for i in range(number)]


def tools(path):
    return [event["tool"] for event in read_events(path)]


@BOTH
def test_what_is_put_in_comes_back_in_order(make, tmp_path):
    path = tmp_path / "deep" / ("e.sqlite" if make is Store else "e.jsonl")
    sink = make(path)
    conversation = Watch(monitor(), sink).conversation("s")
    conversation.look("get_order", {"id": "W1"}, order(1))
    conversation.look("get_order", {"id": "W2"}, order(2, status="lost"))
    conversation.skip("get_order", "because")
    put(sink, Event(5.0, None, "t", "clean", payload=Payload('{"a": 1}', "[2]")))
    assert sink.lost == 0
    clean, flagged, skipped, kept = read_events(path)
    assert [event["outcome"] for event in (clean, flagged, skipped)] == ["clean", "flagged", "not_checked"]
    assert flagged["violations"][0]["code"] == "unseen_category"
    assert flagged["receipt"]["violation"]["observed"] == "lost"
    assert (flagged["advised"], flagged["told"], clean["told"]) == (True, True, False)
    assert skipped["why"] == "because"
    assert (kept["arguments"], kept["result"], kept["session"]) == ({"a": 1}, [2], None)
    assert "arguments" not in clean
    found = summarise(path, tool="get_order").tools["get_order"]
    assert found.outcomes == {"clean": 1, "flagged": 1, "not_checked": 1}
    assert (found.told, found.why_not()) == (1, {"because": 1})
    assert len(list(read_events(path, outcome=("flagged", "clean"), since=100.0))) == 2


def test_kill_9_leaves_a_store_that_can_be_read_and_written(tmp_path):
    path = tmp_path / "e.sqlite"
    with writer(path, "x", 1000000) as process:
        until_it_holds_events(path)
        os.kill(process.pid, signal.SIGKILL)
    before = len(list(read_events(path)))
    assert put(Store(path), *events(1)).lost == 0
    assert len(list(read_events(path))) == before + 1
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_locked_store_delays_nobody_and_loses_nothing_once_it_is_free(tmp_path, impatient):
    path = tmp_path / "e.sqlite"
    store = Store(path)
    store.put(events(1)[0])
    until_it_holds_events(path)
    with locked(path):
        for event in events(500):
            store.put(event)
        time.sleep(0.3)
        assert store.lost == 0
    store.close()
    assert store.lost == 0
    assert len(list(read_events(path))) == 501


@BOTH
def test_a_place_that_cannot_be_written_is_lost_and_counted(make, tmp_path, impatient):
    (tmp_path / "file").write_text("")
    sink = make(tmp_path / "file" / "e.sqlite")
    for event in events(3):
        sink.put(event)
    sink._background.close(within=0.3)
    assert sink.lost == 3


def test_what_waits_is_bounded_in_bytes_too(tmp_path, impatient, monkeypatch):
    monkeypatch.setattr(sinks, "MOST_WEIGHT", 10_000)
    store = Store(tmp_path / "e.sqlite")
    with locked(store.path):
        for _ in range(10):
            store.put(Event(1.0, None, "t", "clean", payload=Payload("1" * 3000, "2")))
        assert store.lost == 8
    store.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_fork_writes_too(tmp_path):
    store = Store(tmp_path / "e.sqlite")
    store.put(Event(2.0, "parent", "t", "clean"))
    child = os.fork()
    if not child:
        put(store, Event(3.0, "child", "t", "clean"))
        os._exit(0)
    os.waitpid(child, 0)
    store.close()
    assert sorted(event["session"] for event in read_events(store.path)) == ["child", "parent"]


def test_a_sink_that_raises_does_not_reach_the_host():
    class Bad(Kept):
        def put(self, event):
            raise RuntimeError("no")

    conversation = Watch(monitor(), Bad()).conversation()
    assert conversation.look("get_order", {"id": "W1"}, order(1)).verdict == "clean"
    assert conversation.look("get_order", {"id": "W1"}, order(1, total=-1)).receipt is not None
    assert conversation.skip("get_order", "why").verdict == "not_checked"


def test_a_store_of_a_later_release_is_not_read(tmp_path):
    path = tmp_path / "e.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 9")
    with pytest.raises(OutcomeMonitorsError, match="this release knows"):
        list(read_events(path))


def test_what_is_no_store_is_one_sentence(tmp_path):
    (tmp_path / "e.sqlite").write_bytes(b"not a database at all, but long enough to look like one" * 100)
    with pytest.raises(OutcomeMonitorsError):
        list(read_events(tmp_path / "e.sqlite"))
    with pytest.raises(OutcomeMonitorsError, match="there is no store"):
        read_events(tmp_path / "none.sqlite")


@pytest.mark.parametrize(
    "line", [b"{}\n", b"[]\n", b"no\n", json.dumps({"time": "x", "tool": "t", "outcome": "clean"}).encode()]
)
def test_a_line_that_is_no_event_is_named(line, tmp_path):
    (tmp_path / "e.jsonl").write_bytes(line)
    with pytest.raises(OutcomeMonitorsError, match="e.jsonl:1 is not an event"):
        list(read_events(tmp_path / "e.jsonl"))


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
FLAGS = GOOD._replace(violations=(Violation("nonpositive_value", "total", 1, -1, "x"),))
BAD = {
    "a lone surrogate as tool": GOOD._replace(tool="get\ud800order"),
    "a byte 0xff in a session": GOOD._replace(session=b"s\xff".decode(errors="surrogateescape")),
    "no text as tool": GOOD._replace(tool=7),  # type: ignore[arg-type]  # whatever hosts hand over
    "an object that says nothing": GOOD._replace(tool=Silent()),  # type: ignore[arg-type]  # the same
    "a huge number as session": GOOD._replace(session=10**5000),  # type: ignore[arg-type]  # the same
    "no time": GOOD._replace(time=float("nan")),
    "endless duration": GOOD._replace(duration=float("inf")),
    "a receipt in a circle": FLAGS._replace(receipt=LOOP),
    "a receipt too deep": FLAGS._replace(receipt=deep()),
    "keys that are no texts": FLAGS._replace(receipt={(1, 2): 3}),
    "a payload that is no UTF-8": GOOD._replace(payload=Payload('"\ud800"', "1")),
}


@BOTH
def test_one_bad_event_costs_itself_alone(make, tmp_path):
    """Each among good ones, all in one batch: all are there, in order, and those that had to be are counted as escaped."""
    path = tmp_path / ("e.sqlite" if make is Store else "e.jsonl")
    sink = put(make(path), *(event for bad in BAD.values() for event in (GOOD, bad)))
    assert sink.lost == 0
    assert 0 < sink.escaped <= len(BAD)
    found = list(read_events(path))
    assert len(found) == 2 * len(BAD)
    good = [{name: part for name, part in event.items() if name != "event"} for event in found[::2]]
    assert all(event == good[0] for event in good)
    said = json.dumps(found)
    assert "get\\\\ud800order" in said
    assert said.count("the rest has no form") >= 2


@pytest.mark.parametrize("often", [1, 3])
@pytest.mark.parametrize("which", ["write", "open"])
def test_a_file_that_fails_at_any_call_has_every_event_once_or_counts_it(
    tmp_path, monkeypatch, impatient, which, often
):
    real, calls = getattr(os, which), [0]

    def failing(*arguments, **named):
        calls[0] += 1
        if calls[0] <= often:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(*arguments, **named)

    sink = JsonLines(tmp_path / "e.jsonl")
    monkeypatch.setattr(os, which, failing)
    put(sink, *events(20))
    monkeypatch.undo()
    found = tools(sink.path)
    assert len(found) + sink.lost == 20
    assert len(set(found)) == len(found)


@pytest.mark.parametrize("at", [1, 2, 4, 7, 29])
def test_a_store_that_fails_at_any_statement_has_every_event_once(tmp_path, monkeypatch, impatient, at):
    calls = [0]

    class Failing(sqlite3.Connection):
        def execute(self, *arguments):
            calls[0] += 1
            if calls[0] == at:
                raise sqlite3.OperationalError("disk I/O error")
            return super().execute(*arguments)

    real = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *a, **b: real(*a, **{"factory": Failing, **b}))
    sink = put(Store(tmp_path / "e.sqlite"), *events(20))
    monkeypatch.undo()
    assert sink.lost == 0
    assert tools(sink.path) == [f"t{n}" for n in range(20)]


def used(path):
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return event_file._used(connection)


def test_several_processes_keep_a_store_within_its_bound_and_the_newest_in_it(tmp_path):
    path, most = tmp_path / "e.sqlite", 300_000
    assert [one.communicate()[0] for one in [writer(path, n, 3000, most) for n in range(3)]] == [b"0\n"] * 3
    assert used(path) <= most
    assert path.stat().st_size < 3 * most, "what was freed was used again"
    found = list(read_events(path))
    assert 100 < len(found) < 3000
    times = [(event["session"], event["time"]) for event in found]
    assert len(set(times)) == len(times), "nothing was written twice"
    assert found[-1]["time"] == "1970-01-01T00:49:59.000+00:00"


def test_a_line_whose_writer_was_killed_spoils_no_other(tmp_path, caplog):
    path = tmp_path / "e.jsonl"
    path.write_bytes(b'{"time": "2026-')
    put(JsonLines(path), *events(1))
    assert [event["outcome"] for event in read_events(path)] == ["clean"]
    assert "e.jsonl:1 is not an event; the line is skipped" in caplog.text
