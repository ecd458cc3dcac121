"""Whatever goes wrong beside the traffic, or in the middle of it, the client hears what the server said, once and in order."""

import json
import os
import sqlite3
import time
from itertools import pairwise
from pathlib import Path

import pytest

from outcome_monitors.events import read_events
from outcome_monitors.events.summary import summarise
from outcome_monitors.exceptions import OutcomeMonitorsError
from tests.proxy.wire import PATIENCE, SERVES, TOLD, Proxy, call, gone, line

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals, limits and devices as POSIX has them")
FULL = Path("/dev/full")


def exchanged(proxy, numbers):
    """Make calls, every third of which breaks its contract; the answers come in order, with receipts where they must."""
    for number in numbers:
        proxy.say(call(number, id=f"W{number}", **({"total": -1.0} if number % 3 == 0 else {})))
        said = proxy.hear()
        assert said["id"] == number
        assert said["result"]["structuredContent"]["id"] == f"W{number}"
        assert len(said["result"]["content"]) == 1 + (number % 3 == 0)


@pytest.mark.skipif(not FULL.exists(), reason="needs a device that is always full")
def test_a_full_disk_for_traces_shows_in_the_log_alone(tmp_path):
    traces = tmp_path / "traces.jsonl"
    traces.symlink_to(FULL)
    with Proxy(tmp_path, SERVES, "--record", str(traces)) as proxy:
        exchanged(proxy, range(1, 31))
        status, rest, log = proxy.end()
    assert (status, rest) == (0, b"")
    assert "No space left on device" in log
    assert "30 events or traces were lost" in log
    assert len(proxy.outcomes) == 30


def test_a_disk_that_fills_up_leaves_a_store_that_is_whole(tmp_path):
    store = tmp_path / "e.sqlite"
    with Proxy(tmp_path, SERVES, "--events", str(store), "--payloads", most_kib=200) as proxy:
        for start, end in pairwise((0, 20, 200, 400, 600)):
            exchanged(proxy, range(start, end))
            # What comes together is written together: the first lot is to be in before the disk is full.
            until_there(store, 1)
        status, rest, log = proxy.end()
    assert (status, rest) == (0, b"")
    assert "lost" in log
    with sqlite3.connect(store) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()
    assert 0 < summarise(store).tools["get_order"].seen < 600


def test_a_locked_store_holds_up_no_reply_and_has_all_events_in_the_end(tmp_path):
    store = tmp_path / "e.sqlite"
    with Proxy(tmp_path, SERVES, "--events", str(store)) as proxy:
        exchanged(proxy, range(10))
        until_there(store, 10)
        blocker = sqlite3.connect(store, isolation_level=None)
        blocker.execute("BEGIN EXCLUSIVE")
        start = time.monotonic()
        exchanged(proxy, range(10, 110))
        took = time.monotonic() - start
        blocker.execute("ROLLBACK")
        blocker.close()
        assert took < 60, "a hundred calls, where one wait for the store takes a second"
        assert proxy.end()[0] == 0
    assert summarise(store).tools["get_order"].seen == 110


def until_there(store, number):
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        try:
            if len(list(read_events(store))) >= number:
                return
        except OutcomeMonitorsError:
            pass
        time.sleep(0.02)
    raise AssertionError("no events came")


def test_kill_9_in_the_middle_of_traffic_leaves_a_whole_store_and_no_server(tmp_path):
    store = tmp_path / "e.sqlite"
    program = "say({'pid': os.getpid()})\n" + SERVES
    with Proxy(tmp_path, program, "--events", str(store)) as proxy:
        pid = proxy.hear()["pid"]
        exchanged(proxy, range(50))
        until_there(store, 1)
        proxy.say(*(call(number, id="W1") for number in range(1000)))
        proxy.process.kill()
        assert gone(pid)
    with sqlite3.connect(store) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()
    assert summarise(store).tools["get_order"].seen >= 1


def test_a_look_that_takes_too_long_is_given_up_and_the_next_is_not(tmp_path):
    """A budget of two thousandths of a second: reading two million characters takes longer, reading a few does not."""
    program = """
for message in requests():
    said = answer(message)
    if message["id"] % 2: said["result"]["structuredContent"]["rows"] = [{"a": i, "b": [i]} for i in range(60000)]
    say(said)
"""
    with Proxy(tmp_path, program, "--budget", "0.002") as proxy:
        for number in range(1, 9):
            proxy.say(call(number, id="W1", total=-1.0))
            said = proxy.hear()
            assert said["id"] == number
            assert len(said["result"].get("structuredContent").get("rows", ())) == (
                60000 if number % 2 else 0
            )
            if number % 2:
                assert TOLD not in json.dumps(said), "what is given up is passed on as it came"
        # A machine may be too busy even for the small ones, but not each time.
        last = next(number for number in range(10, 10_000, 2) if TOLD in json.dumps(told(proxy, number)))
        status, rest, _ = proxy.end()
    assert (status, rest) == (0, b"")
    found = [json.loads(event) for event in proxy.events.read_text().splitlines()]
    assert len(found) == 8 + (last - 8) // 2, "each call is one event"
    assert [event.get("why") for event in found[:8:2]] == ["the check took too long"] * 4
    assert found[-1]["outcome"] == "flagged"


def told(proxy, number):
    """Return what comes for an order that is wrong."""
    proxy.say(call(number, id="W1", total=-1.0))
    return proxy.hear()


def test_many_messages_at_once_come_in_order_and_once(tmp_path):
    """Lines that come together, in chunks that end anywhere, some of them too large to be looked at."""
    program = """
said = []
for message in requests():
    text = json.dumps(answer(message))
    said.append(text[:-1] + ', "pad": "' + "x" * (message["id"] * 37 % 50000) + '"}\\n')
    if message["id"] % 100 == 99:
        os.write(1, "".join(said).encode()) if len(said) < 2 else sys.stdout.write("".join(said)); sys.stdout.flush(); said = []
"""
    with Proxy(tmp_path, program, "--largest", "40000") as proxy:
        for start in range(0, 400, 100):
            proxy.say(b"".join(line(call(number, id=f"W{number}")) for number in range(start, start + 100)))
            for number in range(start, start + 100):
                said = proxy.hear()
                assert (said["id"], said["result"]["structuredContent"]["id"]) == (number, f"W{number}")
                assert said["pad"] == "x" * (number * 37 % 50000)
        assert proxy.end()[:2] == (0, b"")
    assert len(proxy.outcomes) == 400


def test_what_is_redacted_is_nowhere_in_the_events(tmp_path):
    store = tmp_path / "e.sqlite"
    options = ("--events", str(store), "--payloads", "--redact", "result.id", "--redact", "arguments.id")
    with Proxy(tmp_path, SERVES, *options, "--redact", "result.total") as proxy:
        proxy.say(call(1, id="W77777"), call(2, id="W77777", total=-66666.0))
        assert "W77777" in json.dumps(proxy.hear())
        assert "-66666" in json.dumps(proxy.hear()["result"]["content"][1]), "the agent has the result"
        assert proxy.end()[0] == 0
    first, second = read_events(store)
    assert first["arguments"] == {"id": "[redacted]"}
    assert first["result"] == {"id": "[redacted]", "total": "[redacted]", "status": "sent"}
    assert second["violations"][0]["observed"] == "[redacted]"
    written = store.read_bytes() + proxy.events.read_bytes()
    assert b"W77777" not in written
    assert b"66666" not in json.dumps(second["violations"]).encode() + json.dumps(second["receipt"]).encode()
