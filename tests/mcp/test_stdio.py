"""The proxy as a process, around servers that behave and servers that do not, and with trouble beside the traffic.

That all passes byte for byte, in every mode, is tested in tests/net.
"""

import json
import os
import signal
import subprocess
import sys

import pytest

from tests.mcp.wire import (
    PATIENCE,
    SERVER,
    SERVES,
    Proxy,
    alive,
    call,
    gone,
    line,
    lists,
    peak_memory,
)

posix = pytest.mark.skipif(os.name != "posix", reason="signals, limits and pipes as POSIX has them")


def started(*options, **more):
    """Run a proxy's command line."""
    command = [sys.executable, "-m", "outcome_monitors", "proxy", *map(str, options)]
    return subprocess.run(command, capture_output=True, check=False, **more)


def test_a_result_larger_than_is_inspected_passes_in_little_memory(tmp_path):
    program = """
message = next(requests())
sys.stdout.write('{"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": "')
for _ in range(100): sys.stdout.write("x" * 2**20)
sys.stdout.write('"}]}}\\n'); sys.stdout.flush()
for message in requests(): say(answer(message))
"""
    with Proxy(tmp_path, program) as proxy:
        proxy.say(call(1), call(2, id="W1", total=-1.0))
        assert len(proxy.hear()["result"]["content"][0]["text"]) == 100 * 2**20
        assert len(proxy.hear()["result"]["content"]) == 2
        assert peak_memory(proxy.process.pid) < 100 * 2**20
        status, _, log = proxy.end()
    assert status == 0
    assert "1 flagged, 0 not covered, 1 not checked" in log
    assert "; not checked: 1 of get_order, the result is too large\n" in log
    assert log.count("a result of 'get_order' is not checked: the result is too large") == 1
    assert json.loads(proxy.events.read_text().partition("\n")[0])["why"] == "the result is too large"


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--contracts", "none.json"], b"none.json cannot be read"),
        (["--learn", "file"], b"cannot learn in"),
        (["--learn", "s", "--redact", "mail"], b"cannot redact"),
        (["--learn", "s", "--events", "e.txt"], b"events cannot go to"),
    ],
)
def test_what_is_wrong_with_the_options_is_one_sentence(tmp_path, options, told):
    (tmp_path / "file").write_text("no folder")
    done = started(*options, "--", "sleep", "60", cwd=tmp_path)
    assert (done.returncode, done.stderr.count(b"\n")) == (2, 1), done.stderr
    assert told in done.stderr


STUBBORN = """
import signal, subprocess
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-c", "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)"])
say({"pids": [os.getpid(), child.pid]})
time.sleep(60)
"""


@posix
@pytest.mark.parametrize("how", ["SIGKILL", "SIGTERM"])
def test_however_the_proxy_ends_it_leaves_no_orphan(tmp_path, how):
    with Proxy(tmp_path, STUBBORN) as proxy:
        pids = proxy.hear()["pids"]
        assert all(map(alive, pids))
        proxy.process.send_signal(getattr(signal, how))
        assert all(map(gone, pids))
        proxy.process.wait(PATIENCE)


@posix
def test_a_client_that_goes_away_ends_the_server(tmp_path):
    program = "say({'pid': os.getpid()})\nwhile True: time.sleep(0.01); say({'method': 'notifications/x'})\n"
    with Proxy(tmp_path, program) as proxy:
        pid = proxy.hear()["pid"]
        assert proxy.process.stdout is not None
        proxy.process.stdout.close()
        assert proxy.process.wait(PATIENCE) == 141
        assert gone(pid)
        proxy.process.stdout = None


@pytest.mark.parametrize(
    ("messages", "told"),
    [
        (
            [lists(1), call(2, id="W1"), call(3, id="W2"), call(4, "other", id="W3")],
            ["3 calls of 2 tools, 1 tool observing, 0 told"],
        ),
        ([lists(1), call(2, id="W1", total="free")], ["1 call of 1 tool, 1 tool observing, 1 told"]),
        ([lists(1)], []),
    ],
    ids=["calls", "one that violates its schema", "none"],
)
def test_one_line_says_what_was_learned(tmp_path, messages, told):
    (tmp_path / "server.py").write_text(SERVER + SERVES)
    (tmp_path / "ask.jsonl").write_bytes(b"".join(map(line, messages)))
    with (tmp_path / "ask.jsonl").open("rb") as asked:
        done = started("--learn", "s", "--", sys.executable, "server.py", stdin=asked, cwd=tmp_path)
    assert len(done.stdout.splitlines()) == len(messages)
    said = [f"outcome-monitors: {one}; see outcome-monitors status s" for one in told]
    assert done.stderr.decode().splitlines() == said


def test_what_is_redacted_is_nowhere_in_the_events(tmp_path):
    options = ("--payloads", "--redact", "result.id", "--redact", "arguments.id", "--redact", "result.total")
    with Proxy(tmp_path, SERVES, *options) as proxy:
        proxy.say(call(1, id="W77777", total=-66666.0))
        assert "-66666" in json.dumps(proxy.hear()["result"]["content"][1]), "the agent has the result"
        assert proxy.end()[0] == 0
    event = json.loads(proxy.events.read_text())
    assert event["arguments"]["id"] == event["result"]["id"] == event["result"]["total"] == "[redacted]"
    assert event["violations"][0]["observed"] == "[redacted]"
    assert "77777" not in json.dumps(event)
