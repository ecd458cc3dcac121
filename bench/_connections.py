"""Connections to the servers that are measured: by pipes and over HTTP, direct or behind a proxy."""

import asyncio
import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from ._servers import CALLS, WRONG

__all__ = [
    "Caller",
    "Pipe",
    "Served",
    "calling",
    "free_port",
    "listening",
    "proxy_command",
    "request",
    "server_command",
    "serving",
]


def request(number: int) -> bytes:
    """Return a call as a line."""
    call = CALLS[number % len(CALLS)]
    params = {"name": call.tool, "arguments": call.arguments}
    return (
        json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}).encode()
        + b"\n"
    )


def server_command(kind: str, *arguments: str) -> list[str]:
    """Return the command of a server."""
    return [sys.executable, "-m", "bench._servers", kind, *arguments]


def proxy_command(folder: Path, *arguments: str) -> list[str]:
    """Return the command of a proxy."""
    contracts, events = str(folder / "contracts.json"), str(folder / "events.sqlite")
    return [
        *(sys.executable, "-m", "outcome_monitors", "proxy"),
        *("--contracts", contracts, "--events", events, *arguments),
    ]


class Pipe:
    """A server on standard input and output."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str] | None = None) -> None:
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            env=environment,
        )
        self.number = self._process.pid
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._in, self._out = self._process.stdin, self._process.stdout
        self._lines = open(self._out.fileno(), "rb", closefd=False)  # noqa: SIM115 - closed with the process

    def handshake(self) -> None:
        """Say hello as clients do."""
        client = {"name": "bench", "version": "1"}
        params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
        self.say({"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": params})
        next(self._lines)
        self.say({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def say(self, message: dict[str, Any]) -> None:
        """Send a message."""
        self._in.write(json.dumps(message).encode() + b"\n")

    def call(self, number: int, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Call a tool and return the answer; what the server says meanwhile is passed over."""
        params = {"name": tool, "arguments": dict(arguments)}
        self.say({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})
        answers = (json.loads(line) for line in self._lines)
        return next(answer for answer in answers if answer.get("id") == number)

    def ask(self, number: int) -> None:
        """Make one call and wait for its answer."""
        self._in.write(request(number))
        next(self._lines)

    def many(self, calls: int, at_once: int) -> float:
        """Return how many calls are answered in a second, so many at once."""
        room = threading.Semaphore(at_once)
        requests = [request(number) for number in range(calls)]

        def send() -> None:
            for line in requests:
                room.acquire()
                self._in.write(line)

        start = time.perf_counter()
        threading.Thread(target=send, daemon=True).start()
        for _ in range(calls):
            next(self._lines)
            room.release()
        return calls / (time.perf_counter() - start)

    def close(self) -> None:
        """End the server."""
        self._in.close()
        self._process.wait(10)
        self._lines.close()
        self._out.close()


class Served(NamedTuple):
    """A server over HTTP."""

    address: str
    process: "subprocess.Popen[bytes]"


@contextmanager
def serving(command: Sequence[str], port: int) -> Iterator[Served]:
    """Run a server until the block ends."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            listening(port)
            yield Served(f"http://127.0.0.1:{port}/mcp", process)
        finally:
            process.terminate()


def listening(port: int) -> None:
    """Wait until something listens at a port."""
    until = time.monotonic() + 20
    while time.monotonic() < until:
        with socket.socket() as attempt:
            if attempt.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)


def free_port() -> int:
    """Return a port that nothing listens at."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


class Caller:
    """A client with one call at a time; every answer is counted."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._ends: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def call(self, number: int, *, wrong: bool = False) -> bytes:
        """Make a call; return the answer."""
        if self._ends is None:
            self._ends = await asyncio.open_connection("127.0.0.1", self._port)
        reader, writer = self._ends
        body = request(number)
        if wrong:
            body = body.replace(b'"arguments": {', b'"arguments": {"%b": true, ' % WRONG.encode())
        head = (
            f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\nContent-Type: application/json\r\n"
            f"Accept: application/json, text/event-stream\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        writer.write(head.encode() + body)
        said = (await reader.readuntil(b"\r\n\r\n")).lower()
        assert said.startswith(b"http/1.1 200 "), said
        return await reader.readexactly(int(said.partition(b"content-length:")[2].partition(b"\r\n")[0]))

    def close(self) -> None:
        """Leave."""
        if self._ends is not None:
            self._ends[1].close()


async def calling(
    ports: Sequence[int], clients: int, rate: float, seconds: float
) -> list[tuple[float, float]]:
    """Have clients call at a rate, evenly; return when each call was due, and the milliseconds from then to its answer."""
    callers = [Caller(ports[place % len(ports)]) for place in range(clients)]
    found: list[tuple[float, float]] = []
    try:
        for caller in callers:
            await caller.call(0)
        begun = time.perf_counter() + 0.1

        async def ask(caller: Caller, place: int) -> None:
            for number in range(place, int(rate * seconds), len(callers)):
                due = begun + number / rate
                await asyncio.sleep(max(0.0, due - time.perf_counter()))
                await caller.call(number)
                found.append((due - begun, (time.perf_counter() - due) * 1e3))

        await asyncio.gather(*(ask(caller, place) for place, caller in enumerate(callers)))
    finally:
        for caller in callers:
            caller.close()
    return found
