"""The proxy as a process, around servers that behave and servers that do not."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from outcome_monitors.receipts.mcp import KEY
from tests.proxy.wire import PATIENCE, SERVER, SERVES, TOLD, Proxy, alive, call, gone, line, lists

posix = pytest.mark.skipif(os.name != "posix", reason="signals and process groups as POSIX has them")


def peak_memory(number):
    """Return the most bytes that a process has used so far, where the system tells."""
    status = Path(f"/proc/{number}/status")
    found = re.search(r"VmHWM:\s+(\d+) kB", status.read_text()) if status.exists() else None
    return int(found[1]) * 1024 if found else 0


def test_a_flagged_result_is_told_and_all_else_is_as_it_came(tmp_path):
    with Proxy(tmp_path) as proxy:
        proxy.say(lists(1), call(2, id="W1"), call(3, id="W1", total=-1.0), call(4, id="W2"))
        assert KEY in json.dumps(proxy.hear())
        assert len(proxy.hear()["result"]["content"]) == 1
        assert proxy.hear()["result"]["structuredContent"][KEY]["violation"]["path"] == "total"
        assert proxy.hear()["id"] == 4
        status, rest, log = proxy.end()
    assert (status, rest) == (0, b"")
    assert "3 results: 2 clean, 1 flagged" in log
    assert proxy.outcomes == ["clean", "flagged", "clean"]


def test_whatever_the_server_says_is_passed_on(tmp_path):
    """Broken JSON, empty lines, no newline at the end, bytes that are no text, answers to nothing, answers out of order."""
    said = b'{broken\n\n\r\n\xff\xfe\n{"id": 99, "result": {}}\n{"method": "ping", "id": 1}\n[]\n"x"\nnull\n{"no newline": 1'
    program = f"""
first, second = (next(asked) for asked in [requests()] * 2)
sys.stdout.buffer.write({said!r} + b"\\n"); sys.stdout.flush()
say(answer(second)); say(answer(first))
sys.stdout.buffer.write({said!r}); sys.stdout.flush()
"""
    with Proxy(tmp_path, program) as proxy:
        proxy.say(call(1, id="W1"), call(2, id="W2"))
        status, out, _ = proxy.end()
    assert status == 0
    answers = [b'"id": 2', b'"id": 1']
    assert out.startswith(said + b"\n")
    assert out.endswith(said)
    middle = out[len(said) + 1 : -len(said)].splitlines()
    assert [found in text for found, text in zip(answers, middle, strict=True)] == [True, True]
    assert proxy.outcomes == ["clean", "clean"]


def test_what_the_client_says_is_passed_on(tmp_path):
    program = "data = sys.stdin.buffer.read(); sys.stdout.write(repr(data)); sys.stdout.flush()\n"
    said = b'{broken\n\n\xff\n{"method": "notifications/cancelled"}\n' + line(call(1)) + b"no newline"
    with Proxy(tmp_path, program) as proxy:
        proxy.say(said)
        assert proxy.end()[:2] == (0, repr(said).encode())


def test_a_result_larger_than_memory_is_worth_passes_unread(tmp_path):
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


def test_a_server_that_floods_is_held_up_by_a_client_that_does_not_read(tmp_path):
    program = """
for number in range(20000): say({"method": "notifications/message", "params": {"number": number, "data": "x" * 100}})
"""
    with Proxy(tmp_path, program) as proxy:
        time.sleep(0.2)
        status, out, _ = proxy.end()
    assert status == 0
    assert [json.loads(text)["params"]["number"] for text in out.splitlines()] == list(range(20000))


def test_a_server_that_dies_is_told_by_the_status(tmp_path):
    program = "message = next(requests()); say(answer(message)); os._exit(7)\n"
    with Proxy(tmp_path, program) as proxy:
        proxy.say(call(1, id="W1", total=-1.0))
        assert TOLD in json.dumps(proxy.hear())
        assert proxy.process.wait(PATIENCE) == 7


@posix
def test_a_server_that_is_killed(tmp_path):
    with Proxy(tmp_path, "say({'pid': os.getpid()}); time.sleep(60)\n") as proxy:
        os.kill(proxy.hear()["pid"], signal.SIGKILL)
        assert proxy.process.wait(PATIENCE) == 128 + signal.SIGKILL


def test_a_server_that_cannot_be_started(tmp_path):
    command = [
        sys.executable,
        "-m",
        "outcome_monitors",
        "proxy",
        "--learn",
        str(tmp_path),
        "--",
        "no-such-server",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("error: cannot start no-such-server: No such file or directory")


def test_what_is_wrong_with_the_options_is_one_sentence_and_leaves_no_server(tmp_path):
    (tmp_path / "file").write_text("no folder")
    for options, told in (
        (["--contracts", "none.json"], "none.json cannot be read"),
        (["--learn", str(tmp_path / "file")], "cannot learn in"),
        (["--learn", str(tmp_path / "s"), "--redact", "mail"], "cannot redact"),
        (["--learn", str(tmp_path / "s"), "--events", "e.txt"], "events cannot go to"),
    ):
        command = [sys.executable, "-m", "outcome_monitors", "proxy", *options, "--", "sleep", "60"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
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


def test_when_the_client_ends_the_server_may_finish(tmp_path):
    program = "list(requests()); time.sleep(0.2); say({'method': 'bye'})\n"
    with Proxy(tmp_path, program) as proxy:
        status, out, _ = proxy.end()
    assert (status, out) == (0, line({"method": "bye"}))


def test_events_that_cannot_be_written_show_in_the_log_alone(tmp_path):
    (tmp_path / "file").write_text("")
    with Proxy(tmp_path, SERVES, "--events", str(tmp_path / "file" / "e.sqlite")) as proxy:
        proxy.say(call(1, id="W1", total=-1.0))
        assert TOLD in json.dumps(proxy.hear())
        status, _, log = proxy.end()
    assert status == 0
    assert "lost" in log
    assert proxy.outcomes == ["flagged"]


def test_observe_records_traces_and_shadow_changes_nothing(tmp_path):
    traces = tmp_path / "traces.jsonl"
    with Proxy(tmp_path, SERVES, "--mode", "shadow", "--record", str(traces)) as proxy:
        proxy.say(lists(1), call(2, id="W1", total=-1.0))
        said = json.dumps([proxy.hear(), proxy.hear()])
        assert KEY not in said
        assert TOLD not in said
        proxy.end()
    assert proxy.outcomes == ["flagged"]
    before = traces.read_text()
    assert json.loads(before)["result"]["total"] == -1.0
    (tmp_path / "events.jsonl").unlink()
    with Proxy(tmp_path, SERVES, "--mode", "observe", "--record", str(traces)) as proxy:
        proxy.say(call(2, id="W3"))
        proxy.hear()
        proxy.end()
    assert not proxy.events.exists()
    first, second = map(json.loads, traces.read_text().splitlines())
    assert second["arguments"] == {"id": "W3"}
    assert second["session"] != first["session"]
    assert second["task"].startswith(second["session"])


def test_a_file_as_standard_input(tmp_path):
    (tmp_path / "server.py").write_text(SERVER + SERVES)
    (tmp_path / "ask.jsonl").write_bytes(line(call(1)) + line(call(2)))
    command = [sys.executable, "-m", "outcome_monitors", "proxy", "--learn", str(tmp_path / "s"), "--"]
    with (tmp_path / "ask.jsonl").open("rb") as asked:
        done = subprocess.run(
            [*command, sys.executable, str(tmp_path / "server.py")],
            stdin=asked,
            capture_output=True,
            check=True,
        )
    assert [json.loads(text)["id"] for text in done.stdout.splitlines()] == [1, 2]


@pytest.mark.parametrize(
    ("messages", "told"),
    [
        (
            [lists(1), call(2, id="W1"), call(3, id="W2"), call(4, "other", id="W3")],
            [
                "outcome-monitors: 3 calls of 2 tools, 1 tool observing, 0 told; see outcome-monitors status FOLDER"
            ],
        ),
        (
            [lists(1), call(2, id="W1", total="free")],
            [
                "outcome-monitors: 1 call of 1 tool, 1 tool observing, 1 told; see outcome-monitors status FOLDER"
            ],
        ),
        ([lists(1)], []),
    ],
    ids=["calls", "one that breaks its schema", "none"],
)
def test_one_line_says_what_was_learned(tmp_path, messages, told):
    (tmp_path / "server.py").write_text(SERVER + SERVES)
    folder = tmp_path / "s"
    command = [sys.executable, "-m", "outcome_monitors", "proxy", "--learn", str(folder), "--"]
    done = subprocess.run(
        [*command, sys.executable, str(tmp_path / "server.py")],
        input=b"".join(map(line, messages)),
        capture_output=True,
        check=True,
    )
    assert len(done.stdout.splitlines()) == len(messages)
    assert done.stderr.decode().replace(str(folder), "FOLDER").splitlines() == told
