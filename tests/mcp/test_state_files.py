"""The proxy on standard input goes on, and ends, whatever holds its pipe or lies in the place of its state's files."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.mcp.wire import PATIENCE, call, line

pytestmark = pytest.mark.skipif(os.name != "posix", reason="pipes, devices and signals of POSIX systems")

SERVER = """
import json, subprocess, sys
if "held" in sys.argv:
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(120)"], start_new_session=True)
for said in sys.stdin:
    number = json.loads(said)["id"]
    result = {"content": [{"type": "text", "text": "{}"}], "structuredContent": {}}
    print(json.dumps({"jsonrpc": "2.0", "id": number, "result": result}), flush=True)
"""


class Running:
    """A proxy as a process, and its client."""

    def __init__(self, folder: Path, *arguments: str):
        (folder / "server.py").write_text(SERVER)
        proxy = [sys.executable, "-m", "outcome_monitors", "proxy", "--learn", str(folder / "state"), "--"]
        self.process = subprocess.Popen(
            [*proxy, sys.executable, str(folder / "server.py"), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def answers(self, number: int) -> bool:
        """Make a call; say whether its answer came."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(line(call(number)))
        self.process.stdin.flush()
        return bool(json.loads(self.process.stdout.readline())["id"] == number)

    def ended(self) -> tuple[int, str]:
        """Wait for its end; return its status, and what it has logged."""
        with self.process:
            _, logged = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, logged.decode()


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGHUP"])
def test_a_signal_ends_it_although_a_process_of_another_session_holds_the_servers_pipe(name, tmp_path):
    running = Running(tmp_path, "held")
    assert running.answers(1)
    running.process.send_signal(getattr(signal, name))
    # Its input stays open.
    with running.process:
        assert running.process.wait(PATIENCE) == 0


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        *(("pipe", name) for name in ("stages.sqlite", "changes.sqlite", "contracts.json", "tools.json")),
        *(("device", name) for name in ("overrides.json", "contracts.json", "events.sqlite")),
        *(("folder", name) for name in ("stages.sqlite", "overrides.json")),
    ],
)
def test_replies_go_on_with_a_pipe_or_a_device_in_the_place_of_a_file(kind, name, tmp_path):
    (tmp_path / "state").mkdir()
    place = tmp_path / "state" / name
    if kind == "pipe":
        os.mkfifo(place)
    elif kind == "device":
        place.symlink_to("/dev/zero")
    else:
        place.mkdir()
    running = Running(tmp_path)
    assert [running.answers(number) for number in range(3)] == [True] * 3
    status, logged = running.ended()
    assert status == 0
    assert "Traceback" not in logged
    assert name in logged or "lost" in logged, "what cannot be used, or what is lost, is said"


def test_replies_go_on_when_the_folder_is_removed_while_it_runs(tmp_path):
    running = Running(tmp_path)
    assert running.answers(1)
    shutil.rmtree(tmp_path / "state")
    assert running.answers(2)
    assert running.ended()[0] == 0
