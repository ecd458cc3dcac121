"""A store has a bound, which many processes keep together; what is older than someone says is forgotten."""

import sqlite3
import subprocess
import sys

import pytest

from outcome_monitors.events import Event, JsonLines, Payload, Store, forget_events, read_events
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.state import event_file

MOST = 300_000
WRITER = """
import sys, time
from outcome_monitors.events import Event, Store
from outcome_monitors.state import event_file
event_file.LEAST_AT_ONCE = 20
store = Store(sys.argv[1], most=int(sys.argv[3]))
for number in range(3000):
    store.put(Event(float(number), sys.argv[2], "get_order", "clean", why="x" * 100))
    if number % 300 == 0:
        time.sleep(0.11)
store._background.close(within=60)
print(store.lost)
"""


def used(path):
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        found = event_file._used(connection)
    connection.close()
    return found


def test_several_processes_keep_a_store_within_its_bound_and_the_newest_in_it(tmp_path):
    path = tmp_path / "e.sqlite"
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(path), str(n), str(MOST)], stdout=subprocess.PIPE)
        for n in range(3)
    ]
    assert [writer.communicate()[0] for writer in writers] == [b"0\n"] * 3
    assert used(path) <= MOST
    assert path.stat().st_size < 3 * MOST, "what was freed was used again"
    found = list(read_events(path))
    assert 100 < len(found) < 3000
    times = [(event["session"], event["time"]) for event in found]
    assert len(set(times)) == len(times), "nothing was written twice"
    assert found[-1]["time"] == "1970-01-01T00:49:59.000+00:00"


def test_a_store_that_was_too_large_before_comes_within_its_bound_step_by_step(tmp_path, monkeypatch):
    path = tmp_path / "e.sqlite"
    store = Store(path)
    for number in range(100):
        store.put(Event(float(number), None, "t", "clean", payload=Payload('"' + "x" * 9000 + '"', "1")))
    store.close()
    before = used(path)
    assert before > 900_000
    monkeypatch.setattr(event_file, "LEAST_AT_ONCE", 5)
    for number in range(100, 103):
        store = Store(path, most=100_000)
        store.put(Event(float(number), None, "t", "clean"))
        store.close()
        assert store.lost == 0
    assert used(path) <= 100_000
    assert [event["time"][17:19] for event in read_events(path)][-3:] == ["40", "41", "42"]


def test_a_busy_store_is_bounded_another_time_and_nothing_is_written_twice(tmp_path, monkeypatch):
    path = tmp_path / "e.sqlite"
    store = Store(path, most=0)
    monkeypatch.setattr(
        event_file, "_used", lambda _: (_ for _ in ()).throw(sqlite3.OperationalError("locked"))
    )
    store.put(Event(1.0, None, "t", "clean"))
    store.close()
    assert store.lost == 0
    assert len(list(read_events(path))) == 1


def test_what_is_older_is_forgotten_while_others_write_and_its_bytes_are_gone(tmp_path):
    path = tmp_path / "e.sqlite"
    store = Store(path)
    for number in range(50):
        store.put(Event(float(number), None, "t", "clean", payload=Payload('"a secret"', "1")))
    store.close()
    writing = Store(path)
    writing.put(Event(100.0, "new", "t", "clean"))
    assert forget_events(path, 40.0) == 40
    writing.put(Event(101.0, "new", "t", "clean"))
    writing.close()
    assert writing.lost == 0
    assert forget_events(path, 100.0) == 10
    assert [event["session"] for event in read_events(path)] == ["new", "new"]
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    assert b"a secret" not in path.read_bytes()


def test_what_cannot_be_forgotten_is_one_sentence(tmp_path, monkeypatch):
    with pytest.raises(OutcomeMonitorsError, match="there is no store"):
        forget_events(tmp_path / "none.sqlite", 0.0)
    sink = JsonLines(tmp_path / "e.jsonl")
    sink.put(Event(1.0, None, "t", "clean"))
    sink.close()
    with pytest.raises(OutcomeMonitorsError, match="rotate it"):
        forget_events(sink.path, 0.0)
    (tmp_path / "empty.sqlite").write_bytes(b"")
    with pytest.raises(OutcomeMonitorsError, match="no such table"):
        forget_events(tmp_path / "empty.sqlite", 0.0)
    monkeypatch.setattr(event_file, "PATIENCE", 0.01)
    store = Store(tmp_path / "e.sqlite")
    store.put(Event(1.0, None, "t", "clean"))
    store.close()
    blocker = sqlite3.connect(store.path, isolation_level=None)
    blocker.execute("BEGIN EXCLUSIVE")
    with pytest.raises(OutcomeMonitorsError, match="locked"):
        forget_events(store.path, 9.0)
    blocker.close()
