"""`python -m bench.proxy`: what a proxy adds to a call, compared with a direct connection in the same run.

Direct and proxied calls alternate, so that a slow spell of the machine affects both. Contracts are of profile `full`, and events go
to an SQLite store. Under many sessions, the proxy is compared with a relay that only copies.
"""

import asyncio
import http.client
import importlib.util
import json
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from textwrap import fill

import click

from outcome_monitors import mine
from outcome_monitors.cli._output import write

from ._report import WIDTH, Table, facts, show
from ._results import ORDER
from ._servers import CALLS

CALLS_TIMED, WARM_UP = 2000, 50
SESSIONS, RATE, SECONDS, ROUNDS = 500, 200, 5, 3
COLUMNS = ("connection", ">direct, ms", ">added, median", ">added, p99")
SERVERS = {"bare": "minimal server", "sdk": "official SDK"}

Ask = Callable[[bytes], object]
"""Makes one call and waits for its answer."""


def request(number: int) -> bytes:
    """Return a call as a JSON-RPC message."""
    call = CALLS[number % len(CALLS)]
    params = {"name": call.tool, "arguments": call.arguments}
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}).encode()


def compared(name: str, direct: Ask, proxied: Ask, calls: int) -> tuple[str, ...]:
    """Time the calls of both connections in turn; return the row."""
    times: tuple[list[float], list[float]] = ([], [])
    for number in range(-WARM_UP, calls):
        for ask, found in zip((direct, proxied), times, strict=True):
            message, start = request(number % 1000), time.perf_counter()
            ask(message)
            if number >= 0:
                found.append((time.perf_counter() - start) * 1e3)
    medians = [statistics.median(found) for found in times]
    tails = [statistics.quantiles(found, n=100)[98] for found in times]
    return name, f"{medians[0]:.2f}", f"{medians[1] - medians[0]:+.2f}", f"{tails[1] - tails[0]:+.2f}"


def over_stdio(folder: Path, kind: str, calls: int) -> tuple[str, ...]:
    """Measure over standard input and output."""
    server = _server(kind)
    with _pipe(server) as direct, _pipe(_proxy(folder, "--", *server)) as proxied:
        return compared(f"stdio, {SERVERS[kind]}", direct, proxied, calls)


def over_http(folder: Path, kind: str, calls: int) -> tuple[str, ...]:
    """Measure over streamable HTTP."""
    behind, front = _free_port(), _free_port()
    upstream = ("--upstream", f"http://127.0.0.1:{behind}/mcp", "--listen", f"127.0.0.1:{front}")
    with ExitStack() as stack:
        direct = stack.enter_context(_posting(_server(f"{kind}-http", str(behind)), behind))
        proxied = stack.enter_context(_posting(_proxy(folder, *upstream), front))
        return compared(f"HTTP, {SERVERS[kind]}", direct, proxied, calls)


def under_load(folder: Path) -> Iterator[tuple[str, ...]]:
    """Measure calls of many sessions over HTTP, made evenly at a rate, each from when it was due."""
    behind, between, front = _free_port(), _free_port(), _free_port()
    upstream = ("--upstream", f"http://127.0.0.1:{behind}/mcp", "--listen", f"127.0.0.1:{front}")
    ways: dict[str, tuple[int, list[float]]] = {}
    with ExitStack() as stack:
        for name, port, command in (
            ("direct", behind, _server("bare-http", str(behind))),
            ("a relay that only copies", between, _server("relay", str(between), str(behind))),
            ("the proxy", front, _proxy(folder, *upstream)),
        ):
            stack.enter_context(_posting(command, port))
            ways[name] = port, []
        for _ in range(ROUNDS):
            for port, found in ways.values():
                found.extend(asyncio.run(_paced(port)))
    for name, (_, found) in ways.items():
        yield name, f"{statistics.median(found):.2f}", f"{statistics.quantiles(found, n=100)[98]:.1f}"


async def _paced(port: int) -> list[float]:
    begun, found = time.perf_counter() + 0.5, list[float]()

    async def session(place: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for number in range(place, RATE * SECONDS, SESSIONS):
            body, due = request(number % 1000), begun + number / RATE
            head = f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nMcp-Session-Id: {place}\r\n"
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
            said = (await reader.readuntil(b"\r\n\r\n")).lower()
            await reader.readexactly(int(said.partition(b"content-length:")[2].partition(b"\r\n")[0]))
            found.append((time.perf_counter() - due) * 1e3)
        writer.close()

    await asyncio.gather(*map(session, range(SESSIONS)))
    return found


def _server(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "bench._servers", *arguments]


def _proxy(folder: Path, *arguments: str) -> list[str]:
    kept = ("--contracts", str(folder / "contracts.json"), "--events", str(folder / "events.sqlite"))
    return [sys.executable, "-m", "outcome_monitors", "proxy", *kept, *arguments]


@contextmanager
def _pipe(command: Sequence[str]) -> Iterator[Ask]:
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        sending, receiving = process.stdin, process.stdout

        def say(message: bytes) -> None:
            sending.write(message + b"\n")
            sending.flush()

        def ask(message: bytes) -> bytes:
            say(message)
            return receiving.readline()

        client = {"name": "bench", "version": "1"}
        params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
        hello = {"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": params}
        ask(json.dumps(hello).encode())
        say(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}')
        yield ask


@contextmanager
def _posting(command: Sequence[str], port: int) -> Iterator[Ask]:
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            with closing(_connected(port)) as connection:

                def ask(message: bytes) -> bytes:
                    connection.request("POST", "/mcp", message, headers)
                    return connection.getresponse().read()

                yield ask
        finally:
            process.terminate()


def _connected(port: int) -> http.client.HTTPConnection:
    """Connect once the server listens."""
    connection, until = http.client.HTTPConnection("127.0.0.1", port), time.monotonic() + 20
    while True:
        try:
            connection.connect()
        except ConnectionRefusedError:
            if time.monotonic() > until:
                raise
            time.sleep(0.05)
        else:
            return connection


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


def tables(calls: int = CALLS_TIMED) -> Iterator[Table]:
    """Yield the table."""
    rows, notes = [], [f"{calls:,} calls each way, one at a time."]
    kinds = ["bare"]
    if importlib.util.find_spec("mcp_types") is None:
        notes.append("The official SDK was not measured: pip install mcp")
    else:
        kinds.append("sdk")
    with tempfile.TemporaryDirectory() as name:
        mine(ORDER.mined(), "full").save(Path(name) / "contracts.json")
        rows = [way(Path(name), kind, calls) for way in (over_stdio, over_http) for kind in kinds]
        yield Table("What a proxy adds to a call", COLUMNS, tuple(rows), tuple(notes))
        columns, note = ("over HTTP", ">median, ms", ">p99, ms"), f"{RATE} calls a second in all."
        yield Table(f"Under {SESSIONS} sessions", columns, tuple(under_load(Path(name))), (note,))


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--calls", default=CALLS_TIMED, show_default=True, help="Calls to time each way.")
def main(calls: int) -> None:
    """Measure what a proxy adds to a call.

    Example: python -m bench.proxy
    """
    write(fill(facts(), WIDTH) + "\n\n")
    for table in tables(calls):
        show(table)


if __name__ == "__main__":
    main(prog_name="python -m bench.proxy")
