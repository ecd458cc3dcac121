"""The folder of a running monitor: what a proxy learns there, and what commands read and decide."""

import json
import subprocess
import sys
import time
import urllib.request

import pytest

from tests.net.support import DATA, Talk, environment, lines, run, same_json
from tests.net.test_proxy import HELLO, message

SAID = HELLO + message(1, "tools/list")


def depot(number: int, **more) -> bytes:
    return message(100 + number, "tools/call", name="depot", arguments={"id": f"W{number}", **more})


def proxy(folder) -> Talk:
    """Start a proxy that learns in `state`."""
    server = ("--", sys.executable, DATA / "server.py", DATA / "wrong.jsonl", "received.bin")
    return Talk("-m", "outcome_monitors", "proxy", "--learn", "state", "--timeout", "60", *server, cwd=folder)


def told(heard: list[bytes]) -> int:
    """Count the results of calls that came with a receipt."""
    return sum(b'"content"' in line and b"outcome_contract" in line for line in heard)


def learning(folder, said: bytes) -> int:
    """Hold a conversation through a proxy that learns; count the receipts."""
    running = proxy(folder)
    heard = running.ask(said)
    running.end()
    return told(heard)


def timeless(event):
    """Return an event without what may be another each time; what a receipt offers is worked out beside the conversation."""
    left_out = {"time", "session", "duration_us", "receipt"}
    return {name: value for name, value in event.items() if name not in left_out}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with `state`: six results, the fourth against the schema that the server lists."""
    made = tmp_path_factory.mktemp("folder")
    said = [depot(number, **({"total": "none"} if number == 4 else {})) for number in range(1, 7)]
    assert learning(made, SAID + b"".join(said)) == 1
    return made


def status(folder):
    return json.loads(run("status", "state", "--format", "json", cwd=folder).stdout)


def events(folder):
    return lines(run("events", "state", "--format", "jsonl", cwd=folder, status=1).stdout)


def test_status(folder):
    found = status(folder)
    same_json("wire/status.json", {name: value for name, value in found.items() if name != "time"})
    tool = found["tools"]["depot"]
    assert tool["stage"] in {"observing", "shadow", "advising"}
    assert {"checked", "told", "missing", "waiting", "muted"} <= set(tool)
    assert tool["told"] == 1


def test_events(folder):
    found = events(folder)
    same_json("wire/events.json", [timeless(event) for event in found[:6]])
    assert all({"tool", "outcome", "told", "clauses"} <= set(event) for event in found)
    [address] = found[3]["clauses"]
    assert address.startswith("depot.total/type#")


def test_what_was_recorded_are_traces(folder):
    recorded = [row for path in (folder / "state/traces").glob("*.jsonl") for row in lines(path.read_bytes())]
    assert all({"tool", "result"} <= set(row) for row in recorded)
    assert len(recorded) >= 6


def test_mute_and_unmute(folder):
    address = events(folder)[3]["clauses"][0]
    run("mute", address, "--in", "state", "--reason", "on holiday", cwd=folder)
    assert json.dumps(status(folder)["tools"]["depot"]["muted"]).count(address) == 1
    wrong = SAID + depot(9, total="none")
    assert learning(folder, wrong) == 0
    assert (events(folder)[-1]["told"], events(folder)[-1]["why"]) == (False, "muted")
    run("unmute", address, "--in", "state", cwd=folder)
    assert status(folder)["tools"]["depot"]["muted"] == []
    assert learning(folder, wrong) == 1


def test_a_running_proxy_takes_up_a_decision_within_two_seconds(folder):
    address = events(folder)[3]["clauses"][0]
    running = proxy(folder)
    running.ask(SAID)
    assert told(running.ask(depot(20, total="none"))) == 1
    run("mute", address, "--in", "state", cwd=folder)
    time.sleep(2)
    assert told(running.ask(depot(21, total="none"))) == 0
    running.end()
    run("unmute", address, "--in", "state", cwd=folder)


def test_verdicts_on_events(folder):
    flagged = next(event for event in events(folder) if event["told"])
    run("wrong", str(flagged["event"]), "--in", "state", cwd=folder)
    run("missed", "1", "--in", "state", cwd=folder)
    overrides = json.loads((folder / "state/overrides.json").read_text(encoding="utf-8"))
    assert [said["verdict"] for said in overrides["feedback"]] == ["wrong", "missed"]
    run("accept", flagged["clauses"][0], "--in", "state", cwd=folder)


def test_report(folder):
    run("report", "state", "-o", "report.html", cwd=folder, status=1)
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert "depot" in page
    assert "http://" not in page.replace("http://www.w3.org", "")


def test_console(folder):
    pytest.importorskip("aiohttp")
    command = [sys.executable, "-m", "outcome_monitors", "console", "state", "--listen", "127.0.0.1:0"]
    environ = environment(folder) | {"PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, cwd=folder, env=environ, stderr=subprocess.PIPE) as process:
        try:
            assert process.stderr is not None
            where = process.stderr.readline().decode().split()[-1].rstrip("/")
            page, told, figures = (
                urllib.request.urlopen(f"{where}{path}", timeout=60).read().decode()
                for path in ("/", "/api/status", "/metrics")
            )
        finally:
            process.terminate()
            process.communicate(timeout=60)
    assert page.lower().startswith("<!doctype html>")
    assert set(json.loads(told)["tools"]) == set(status(folder)["tools"])
    names = sorted({line.split()[2] for line in figures.splitlines() if line.startswith("# TYPE")})
    same_json("wire/metrics.json", names)
