"""How a client reaches a server: as a command, or as an address where it and proxies before it listen."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from ._environments import ROOT, Unmade
from ._matrix import Server

__all__ = ["Target", "command_of", "targets"]

Target = dict[str, Any]
"""A `command` with its `env`, or a `url`."""
PATH = "/mcp"
START = 30.0
"""Seconds within which a server must listen."""
END = 5.0
"""Seconds within which it must end."""


def command_of(server: Server, words: Mapping[str, str]) -> list[str]:
    """Return a server's command with its words filled in."""
    return [part.format(**words) for part in server.command]


@contextmanager
def targets(
    server: Server, words: Mapping[str, str], proxies: Sequence[Path | None]
) -> Iterator[list[Target]]:
    """Give the server as it is reached through proxies with these contracts, where there is one, and without."""
    if not server.over_http:
        command = command_of(server, words)
        yield [
            {"command": [*(_proxy(contracts, "--") if contracts else ()), *command], "env": _environment()}
            for contracts in proxies
        ]
        return
    with ExitStack() as running:
        port = _free_port()
        upstream = running.enter_context(_listening(command_of(server, {**words, "port": str(port)}), port))
        urls = [
            running.enter_context(_before(upstream, contracts)) if contracts else upstream
            for contracts in proxies
        ]
        yield [{"url": url} for url in urls]


@contextmanager
def _before(upstream: str, contracts: Path) -> Iterator[str]:
    port = _free_port()
    command = _proxy(contracts, "--upstream", upstream, "--listen", f"127.0.0.1:{port}")
    with _listening(command, port) as url:
        yield url


@contextmanager
def _listening(command: Sequence[str], port: int) -> Iterator[str]:
    with subprocess.Popen(
        command,
        env=_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            _await(process, port)
            yield f"http://127.0.0.1:{port}{PATH}"
        finally:
            _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    # A proxy that is asked to end writes its last events.
    process.terminate()
    try:
        process.wait(END)
    except subprocess.TimeoutExpired:
        process.kill()


def _await(process: subprocess.Popen[bytes], port: int) -> None:
    until = time.monotonic() + START
    while time.monotonic() < until and process.poll() is None:
        with socket.socket() as tried:
            if tried.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise Unmade("the server does not listen")


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def _proxy(contracts: Path, *options: str) -> list[str]:
    events = contracts.with_suffix(".jsonl")
    # What is tried is whether they understand each other, not how fast they do on a busy machine.
    known = ["--contracts", str(contracts), "--events", str(events), "--timeout", "60"]
    return [sys.executable, "-m", "outcome_monitors", "proxy", *known, *options]


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT / "packages" / "outcome-monitors" / "src")}
