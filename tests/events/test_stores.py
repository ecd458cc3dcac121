"""Stores: safe under many processes and against kill -9; a store in trouble delays nobody, and what is lost is counted."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, suppress
from pathlib import Path

import pytest

from outcome_monitors.events import (
    Event,
    Fan,
    JsonLines,
    Payload,
    Store,
    Wanted,
    Watch,
    background,
    counted,
    read_events,
)
from outcome_monitors.events.rows import TABLE
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.values.files import append
from tests.events.shop import Kept, monitor, order

WRITER = """
import sys, time
from outcome_monitors.events import Event, Store
store = Store(sys.argv[1])
for number in range(int(sys.argv[2])):
    store.put(Event(float(number), sys.argv[3], "get_order", "clean"))
    if number % 50 == 0:
        time.sleep(0.01)
store._background.close(within=60)
print(store.lost)
"""


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(background, "GATHER", 0.01)
    monkeypatch.setattr(background, "PATIENCE", 0.2)
    monkeypatch.setattr(background, "BETWEEN_TRIES", 0.02)
    monkeypatch.setattr(background, "AT_THE_END", 0.3)


def until_it_holds_events(path):
    while True:
        with suppress(OutcomeMonitorsError):
            if list(read_events(path)):
                return
        time.sleep(0.01)


def events(number, outcome="clean"):
    return [Event(1000.0 + i, "s", "get_order", outcome) for i in range(number)]


@pytest.mark.parametrize("make", [Store, JsonLines])
def test_what_is_put_in_comes_back_in_order(make, tmp_path):
    path = tmp_path / "deep" / ("e.sqlite" if make is Store else "e.jsonl")
    sink = make(path)
    conversation = Watch(monitor(), sink).conversation("s")
    conversation.look("get_order", {"id": "W1"}, order(1))
    conversation.look("get_order", {"id": "W2"}, order(2, status="lost"))
    conversation.skip("get_order", "because")
    sink.put(Event(5.0, None, "t", "clean", payload=Payload('{"a": 1}', "[2]")))
    sink.close()
    assert sink.lost == 0
    clean, flagged, skipped, kept = read_events(path)
    assert [event["outcome"] for event in (clean, flagged, skipped)] == ["clean", "flagged", "not_checked"]
    assert flagged["violations"][0]["code"] == "unseen_category"
    assert flagged["receipt"]["violation"]["observed"] == "lost"
    assert flagged["advised"] is True
    assert skipped["why"] == "because"
    assert (kept["arguments"], kept["result"], kept["session"]) == ({"a": 1}, [2], None)
    assert "arguments" not in clean
    found = counted(read_events(path, Wanted(tool="get_order")))
    assert found == {"get_order": {"clean": 1, "flagged": 1, "not_checked": 1}}
    assert len(list(read_events(path, Wanted(outcomes=("flagged", "clean"), since=100.0)))) == 2


def test_many_processes_at_once(tmp_path):
    path = tmp_path / "e.sqlite"
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(path), "400", str(n)], stdout=subprocess.PIPE)
        for n in range(4)
    ]
    assert [writer.communicate()[0] for writer in writers] == [b"0\n"] * 4
    found = list(read_events(path))
    for writer in range(4):
        times = [event["time"] for event in found if event["session"] == str(writer)]
        assert len(times) == 400
        assert times == sorted(times)


def test_kill_9_leaves_a_store_that_can_be_read_and_written(tmp_path):
    path = tmp_path / "e.sqlite"
    with subprocess.Popen([sys.executable, "-c", WRITER, str(path), "1000000", "x"]) as writer:
        until_it_holds_events(path)
        os.kill(writer.pid, signal.SIGKILL)
    before = len(list(read_events(path)))
    store = Store(path)
    store.put(events(1)[0])
    store.close()
    assert store.lost == 0
    assert len(list(read_events(path))) == before + 1
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_locked_store_delays_nobody_and_loses_nothing_once_it_is_free(tmp_path, monkeypatch):
    monkeypatch.setattr("outcome_monitors.state.event_file.BUSY", 0.05)
    monkeypatch.setattr(background, "BETWEEN_TRIES", 0.02)
    path = tmp_path / "e.sqlite"
    store = Store(path)
    store.put(events(1)[0])
    until_it_holds_events(path)
    blocker = sqlite3.connect(path, isolation_level=None)
    blocker.execute("BEGIN EXCLUSIVE")
    for event in events(500):
        store.put(event)
    time.sleep(0.3)
    assert store.lost == 0
    blocker.execute("ROLLBACK")
    blocker.close()
    store.close()
    assert store.lost == 0
    assert len(list(read_events(path))) == 501


def test_what_a_locked_store_cannot_take_in_time_is_counted_and_logged(
    tmp_path, impatient, caplog, monkeypatch
):
    monkeypatch.setattr("outcome_monitors.state.event_file.BUSY", 0.01)
    path = tmp_path / "e.sqlite"
    blocker = sqlite3.connect(path, isolation_level=None)
    blocker.execute("BEGIN EXCLUSIVE")
    store = Store(path)
    for event in events(7):
        store.put(event)
    store.close()
    blocker.close()
    assert store.lost == 7
    assert "locked" in caplog.text


@pytest.mark.parametrize("make", [Store, JsonLines])
def test_a_place_that_cannot_be_written_is_lost_and_counted(make, tmp_path, impatient):
    (tmp_path / "file").write_text("")
    sink = make(tmp_path / "file" / "e.sqlite")
    for event in events(3):
        sink.put(event)
    sink.close()
    assert sink.lost == 3


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk(impatient):
    sink = JsonLines("/dev/full")
    sink.put(events(1)[0])
    sink.close()
    assert sink.lost == 1


def test_a_queue_that_is_full_drops_and_counts(tmp_path, impatient, monkeypatch):
    monkeypatch.setattr(background, "MOST_ITEMS", 10)
    blocker = sqlite3.connect(tmp_path / "e.sqlite", isolation_level=None)
    blocker.execute("BEGIN EXCLUSIVE")
    store = Store(tmp_path / "e.sqlite")
    for event in events(100):
        store.put(event)
    assert store.lost >= 80
    blocker.close()
    store.close()
    assert store.lost + len(list(read_events(tmp_path / "e.sqlite"))) == 100


def test_what_waits_is_bounded_in_bytes_too(tmp_path, impatient, monkeypatch):
    monkeypatch.setattr(background, "MOST_WEIGHT", 10_000)
    # What is given up makes room for more.
    monkeypatch.setattr(background, "PATIENCE", 60.0)
    blocker = sqlite3.connect(tmp_path / "e.sqlite", isolation_level=None)
    blocker.execute("BEGIN EXCLUSIVE")
    store = Store(tmp_path / "e.sqlite")
    for _ in range(10):
        store.put(Event(1.0, None, "t", "clean", payload=Payload("1" * 3000, "2")))
    assert store.lost == 8
    blocker.close()
    store.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_fork_writes_too(tmp_path):
    store = Store(tmp_path / "e.sqlite")
    store.put(Event(1.0, "parent", "t", "clean"))
    store._background.close()
    store = Store(tmp_path / "e.sqlite")
    store.put(Event(2.0, "parent", "t", "clean"))
    child = os.fork()
    if not child:
        store.put(Event(3.0, "child", "t", "clean"))
        store.close()
        os._exit(0)
    os.waitpid(child, 0)
    store.close()
    assert sorted(event["session"] for event in read_events(tmp_path / "e.sqlite")) == [
        "child",
        "parent",
        "parent",
    ]


def test_a_sink_that_raises_does_not_reach_the_host():
    class Bad(Kept):
        def put(self, event):
            raise RuntimeError("no")

    conversation = Watch(monitor(), Bad()).conversation()
    assert conversation.look("get_order", {"id": "W1"}, order(1)).verdict == "clean"
    assert conversation.look("get_order", {"id": "W1"}, order(1, total=-1)).receipt is not None
    assert conversation.skip("get_order", "why").verdict == "not_checked"


def test_several_sinks_as_one():
    one, two = Kept(), Kept()
    fan = Fan([one, two])
    fan.put(events(1)[0])
    fan.close()
    assert fan.lost == 0
    assert len(one.events) == len(two.events) == 1


def test_a_store_of_a_later_release_is_left_alone(tmp_path, impatient):
    path = tmp_path / "e.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 9")
    store = Store(path)
    store.put(events(1)[0])
    store.close()
    assert store.lost == 1
    with pytest.raises(OutcomeMonitorsError, match="this release can read"):
        list(read_events(path))


@pytest.mark.parametrize("data", [b"half", b"not a database at all, but long enough to look like one" * 100])
def test_what_is_no_store_is_one_sentence(data, tmp_path):
    path = tmp_path / "e.sqlite"
    path.write_bytes(data)
    with pytest.raises(OutcomeMonitorsError):
        list(read_events(path))
    with pytest.raises(OutcomeMonitorsError, match="there is no store"):
        read_events(tmp_path / "none.sqlite")


@pytest.mark.parametrize(
    "line", [b"{}\n", b"[]\n", b"no\n", json.dumps({"time": "x", "tool": "t", "outcome": "clean"}).encode()]
)
def test_a_line_that_is_no_event_is_named(line, tmp_path):
    (tmp_path / "e.jsonl").write_bytes(line)
    with pytest.raises(OutcomeMonitorsError, match="e.jsonl:1 is not an event"):
        list(read_events(tmp_path / "e.jsonl"))


def test_what_people_ask_for_has_an_index_also_in_a_store_from_before(tmp_path):
    path = tmp_path / "events.sqlite"
    for _ in range(2):
        store = Store(path)
        store.put(Event(1.0, "s", "t", "flagged", advised=True))
        store.close()
        with closing(sqlite3.connect(path)) as connection:
            condition, values = Wanted(outcomes=("flagged",)).condition()
            asked = {
                "told": (
                    "SELECT tool, count(*) FROM events WHERE time >= ? AND time < ? AND advised = 1 GROUP BY tool",
                    [0.0, 9.0],
                ),
                "flagged": (f"SELECT * FROM events WHERE {condition} ORDER BY id DESC LIMIT 3", values),
            }
            for index, (query, given) in asked.items():
                plan = " ".join(row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {query}", given))
                assert f"INDEX {index}" in plan
                connection.execute(f"DROP INDEX {index}")
    assert len(list(read_events(path))) == 2


@pytest.mark.parametrize("begun", ["", TABLE])
def test_a_store_that_is_only_begun_is_empty(begun, tmp_path):
    (tmp_path / "events.sqlite").touch()
    assert list(read_events(tmp_path / "events.sqlite")) == []
    with closing(sqlite3.connect(tmp_path / "events.sqlite")) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute(begun or "PRAGMA user_version")
        assert list(read_events(tmp_path / "events.sqlite")) == []
        connection.execute("CREATE TABLE other (id)")
        with pytest.raises(OutcomeMonitorsError, match="not a store of events"):
            list(read_events(tmp_path / "events.sqlite"))


def test_a_line_whose_writer_was_killed_spoils_no_other(tmp_path, caplog):
    path = tmp_path / "e.jsonl"
    path.write_bytes(b'{"time": "2026-')
    sink = JsonLines(path)
    sink.put(events(1)[0])
    sink.close()
    assert [event["outcome"] for event in read_events(path)] == ["clean"]
    assert "e.jsonl:1 is not an event; the line is skipped" in caplog.text


def test_a_line_that_was_cut_short_is_taken_back(tmp_path, monkeypatch):
    path = tmp_path / "lines"
    append(path, b"one\n")
    write = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: write(descriptor, data[:2]))
    with pytest.raises(OSError, match="only 2 of 4"):
        append(path, b"two\n")
    assert path.read_bytes() == b"one\n"
