"""What the tests of the proxy share: messages, servers as small programs, and a proxy around them."""

import asyncio
import json
import os
import re
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Self

from outcome_monitors.events import Watch
from outcome_monitors.mcp import JsonRpcSession, ProxyContext, TimeLimit
from tests.events.shop import Kept, contracts as shop_contracts, monitor, order

PATIENCE = 60.0
"""Seconds in which anything comes about that comes about at all, on a machine that is busy and starts from cold."""
TOLD = "This result is inconsistent"
"""How a receipt begins where it is text."""
SCHEMA = {
    "type": "object",
    "properties": {"id": {"type": "string"}, "total": {"type": "number"}, "status": {"type": "string"}},
    "required": ["id", "total", "status"],
    "additionalProperties": False,
}
TOOLS: list[dict[str, Any]] = [
    {"name": "get_order", "inputSchema": {"type": "object"}, "outputSchema": SCHEMA}
]

NAMED: dict[str, Any] = {"clientInfo": {"name": "probe", "version": "1.2"}, "capabilities": {}}
"""What a client says of itself when a conversation begins."""


def line(message) -> bytes:
    return json.dumps(message).encode() + b"\n"


def call(number, tool="get_order", **arguments):
    params = {"name": tool, "arguments": arguments or {"id": "W1"}}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


def lists(number, **params):
    return {"jsonrpc": "2.0", "id": number, "method": "tools/list", "params": params}


def answer(number, result):
    return {"jsonrpc": "2.0", "id": number, "result": result}


def result(value, **more):
    return {"content": [{"type": "text", "text": json.dumps(value)}], "structuredContent": value, **more}


GOOD, BAD = result(order(1)), result(order(1, total=-1.0))


def context(sink=None, watched=None, **options) -> ProxyContext:
    return ProxyContext(Watch(watched or monitor(), sink or Kept()), limit=TimeLimit(0), **options)


class Session:
    """A session on the wire, and its events."""

    def __init__(
        self, at: ProxyContext | None = None, name: str | None = "s", watched=None, **options
    ) -> None:
        self.sink = Kept()
        self.context = at or context(self.sink, watched)
        self.session = JsonRpcSession(self.context, name, **options)

    def ask(self, *messages) -> None:
        """Have the client say something, as a message or as bytes."""
        for message in messages:
            self.session.from_client(message if isinstance(message, bytes) else line(message))

    def hear(self, message) -> bytes:
        """Have the server say something; return what the client hears."""
        return self.session.from_server(message if isinstance(message, bytes) else line(message))

    def answer(self, number, value) -> Any:
        """Have the server answer a request; return the result that the client hears."""
        return json.loads(self.hear(answer(number, value)))["result"]

    def call(self, value, number=1, **arguments) -> Any:
        """Have the client make a call, and the server give a result; return the one that the client hears."""
        self.ask(call(number, **arguments))
        return self.answer(number, value)

    @property
    def events(self) -> list[tuple[str, str]]:
        """What became of each result, and why."""
        return [(event.outcome, event.why) for event in self.sink.events]


SERVER = """
import json, os, sys, time
def say(message): sys.stdout.write(json.dumps(message) + "\\n"); sys.stdout.flush()
def order(number, total): return {"id": number, "total": total, "status": "sent"}
def answer(message):
    number, params = message["id"], message.get("params", {})
    if message["method"] == "tools/list":
        return {"jsonrpc": "2.0", "id": number, "result": {"tools": TOOLS}}
    value = order(params["arguments"]["id"], params["arguments"].get("total", 12.5))
    content = [{"type": "text", "text": json.dumps(value)}]
    return {"jsonrpc": "2.0", "id": number, "result": {"content": content, "structuredContent": value}}
def requests():
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message and "method" in message:
            yield message
""".replace("TOOLS", repr(TOOLS))
SERVES = "for message in requests(): say(answer(message))\n"


PATIENT = ("--timeout", f"{PATIENCE}")
"""A busy machine may hold a process up for longer than a look is commonly allowed: only tests of that allow less."""


class Proxy:
    """A proxy around a server that is a program of a few lines."""

    def __init__(self, folder: Path, program: str = SERVES, *options: str) -> None:
        (folder / "server.py").write_text(SERVER + program)
        contracts = folder / "contracts.json"
        if not contracts.exists():
            shop_contracts().save(contracts)
        self.events = folder / "events.jsonl"
        command = [sys.executable, "-m", "outcome_monitors", "proxy", "--contracts", str(contracts)]
        command += ["--events", str(self.events), "--verbose", *PATIENT, *options, "--"]
        self.process = subprocess.Popen(
            [*command, sys.executable, str(folder / "server.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONWARNINGS": "ignore"},
        )

    def say(self, *messages) -> None:
        assert self.process.stdin is not None
        for message in messages:
            self.process.stdin.write(message if isinstance(message, bytes) else line(message))
        self.process.stdin.flush()

    def hear(self):
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def end(self) -> tuple[int, bytes, str]:
        """Close the proxy's input; return its status, the rest of its output, and its log."""
        out, log = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, out, log.decode()

    @property
    def outcomes(self) -> list[str]:
        return [json.loads(event)["outcome"] for event in self.events.read_text().splitlines()]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()


def written(path: Path) -> int:
    """Return how many lines a file has."""
    return path.read_bytes().count(b"\n") if path.exists() else 0


async def until_written(path: Path, lines: int) -> None:
    """Wait until a file has so many lines; who calls this says for how long."""
    while written(path) < lines:  # noqa: ASYNC110 - another process writes it
        await asyncio.sleep(0.02)


def alive(number: int) -> bool:
    try:
        os.kill(number, 0)
        state = Path(f"/proc/{number}/stat")
        return not state.exists() or state.read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def peak_memory(number: int) -> int:
    """Return the most bytes that a process has used so far, where the system tells."""
    status = Path(f"/proc/{number}/status")
    found = re.search(r"VmHWM:\s+(\d+) kB", status.read_text()) if status.exists() else None
    return int(found[1]) * 1024 if found else 0


def gone(number: int, within: float = PATIENCE) -> bool:
    until = time.monotonic() + within
    while alive(number) and time.monotonic() < until:
        time.sleep(0.02)
    return not alive(number)


def free_port() -> int:
    """Return a port that nobody listens at."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])
