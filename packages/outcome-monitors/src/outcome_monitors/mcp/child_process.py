"""No orphans: whatever ends the proxy, kill -9 included, ends the server behind it and all that it started.

On POSIX systems the server leads a process group of its own, and a guard, a bare fork of the proxy, waits at a pipe that
closes when the proxy is gone. On Windows the server sees its standard input close, as it would without a proxy.
"""

import os
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from outcome_monitors.exceptions import OutcomeMonitorsError

GRACE = 2.0
"""Seconds between asking a server to end and ending it."""
_POSIX = os.name == "posix"
_RUNNERS = frozenset(
    "python python3 node npx uv uvx pipx deno bun docker env sh bash run exec".split()  # noqa: SIM905 - a row a name is longer
)
"""What runs a program that is named behind it."""


def program_of(command: Sequence[str]) -> str:
    """Return the name of the program that a command runs; arguments may hold what nobody else should see."""
    names = [Path(word).name for word in command if not word.startswith("-")]
    return next((name for name in names if name not in _RUNNERS), names[0] if names else "")


class Server:
    """A server process."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self.process = process

    def stop(self) -> int:
        """End the server and all that it started, at first politely; return its exit status."""
        if self.process.poll() is None:
            if _POSIX:
                _kill(self.process.pid, signal.SIGTERM)
            else:
                self.process.terminate()
        status = self._wait()
        if _POSIX:
            _kill(self.process.pid, signal.SIGKILL)
        elif status is None:
            self.process.kill()
        return self.process.wait()

    def ended(self) -> int:
        """Return the exit status of a server that says nothing more; one that does not end is ended."""
        self._wait()
        return self.stop()

    def _wait(self) -> int | None:
        try:
            return self.process.wait(GRACE)
        except subprocess.TimeoutExpired:
            return None


def started(command: Sequence[str]) -> Server:
    """Start a server, and what guards it; no thread may have been started before."""
    try:
        process = subprocess.Popen(  # noqa: S603 - the command is the user's own
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            process_group=0 if _POSIX else None,
        )
    except OSError as error:
        raise OutcomeMonitorsError(
            f"cannot start {command[0]}: {error.strerror or error}; the server's command follows --"
        ) from None
    if _POSIX:
        _guard(process.pid)
    return Server(process)


def _guard(group: int) -> None:
    reading, writing = os.pipe()
    if os.fork():
        os.close(reading)
        # The writing end stays open, unused, for as long as the proxy lives.
        return
    try:
        os.setsid()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        # All but the pipe: an open standard output would keep the client waiting for its end.
        os.dup2(reading, 0)
        os.closerange(1, max(1024, writing + 1))
        os.read(0, 1)
        _kill(group, signal.SIGTERM)
        until = time.monotonic() + GRACE
        while time.monotonic() < until and _kill(group, 0):
            time.sleep(0.02)
        _kill(group, signal.SIGKILL)
    finally:
        os._exit(0)


def _kill(group: int, number: int) -> bool:
    """Send a signal to a group; say whether there was anyone."""
    with suppress(OSError):
        os.killpg(group, number)
        return True
    return False
