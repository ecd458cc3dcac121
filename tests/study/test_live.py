"""The world that runs: agents at work, wrong results among the right ones, and the console on all of it."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from outcome_monitors.events import read_events
from outcome_monitors.learning.status import Places, status_of
from outcome_monitors_study.demo.live import learn_in_advance, world_at_work
from tests.console.serving import Reader

PATIENCE = 60.0


def test_alarms_arrive_and_the_world_ends_when_it_is_left(tmp_path: Path) -> None:
    store = tmp_path / "events.sqlite"
    until = time.monotonic() + PATIENCE
    with world_at_work(tmp_path, most=4, pace=0.001):
        while not (store.exists() and any(event["told"] for event in read_events(store))):
            assert time.monotonic() < until, "no alarm came"
            time.sleep(0.1)
    events = [*read_events(store)]
    told = [event for event in events if event["told"]]
    assert 0 < len(told) < len(events) / 4
    assert all(event["clauses"] and event["receipt"] for event in told)
    time.sleep(0.3)
    assert len([*read_events(store)]) == len(events)


def test_what_is_learned_in_advance_was_learned_over_days_and_only_once(tmp_path: Path) -> None:
    learn_in_advance(tmp_path, 12)
    days = {event["time"][:10] for event in read_events(tmp_path)}
    assert len(days) >= 4
    assert not [event for event in read_events(tmp_path) if event["told"]]
    document = status_of(Places.in_folder(tmp_path))
    assert "its contract rests on too few tasks" in {tool["why"] for tool in document["tools"].values()}
    before = (tmp_path / "events.sqlite").stat().st_mtime_ns
    learn_in_advance(tmp_path, 12)
    assert (tmp_path / "events.sqlite").stat().st_mtime_ns == before


@pytest.mark.skipif(os.name == "nt", reason="Windows ends a program as it always does")
def test_the_command_serves_it_until_it_is_interrupted(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "outcome_monitors", "demo", "--live", "--workflows", "8"]
    (tmp_path / "live").mkdir()
    (tmp_path / "live" / "contracts.json").write_text(json.dumps({"version": 1, "tools": {}}))
    where = ["--out", str(tmp_path), "--listen", "127.0.0.1:0"]
    with subprocess.Popen([*command, *where], stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        found = next(filter(None, (re.search(r"127.0.0.1:(\d+)/", line) for line in process.stderr)))
        reader = Reader(int(found[1]))
        until = time.monotonic() + PATIENCE
        while not json.loads(reader.ask("/api/status").text)["results"]:
            assert time.monotonic() < until
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        rest = process.stderr.read()
        assert process.wait(PATIENCE) == 0
    assert "Traceback" not in rest
