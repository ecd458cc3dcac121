"""`python -m bench.proxy`: what a proxy adds to a call, against a direct connection in the same run.

Direct and proxied calls take turns, so that a slow spell of the machine strikes both alike. Checks are on, with contracts of
profile `full`, and events go to an SQLite store.
"""

import asyncio
import importlib.util
import json
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from textwrap import fill
from typing import Any, NamedTuple

import click

from outcome_monitors import mine
from outcome_monitors.cli._output import write

from ._report import WIDTH, Table, facts, show
from ._results import ORDER
from ._servers import CALLS

CALLS_TIMED = 2000
CALLS_PIPELINED = 4000
AT_ONCE = 16
ROUNDS = 5
"""Rounds of calls at once, direct and proxied in turn; the fastest of each counts, since noise only ever slows."""
STARTS = 15
ECHO = "import sys\nfor line in sys.stdin: print(line, end='', flush=True)"
GOALS = {"stdio": (1.0, 5.0), "HTTP": (3.0, 15.0)}
"""Milliseconds that a call may take longer: in the median, and at the 99th percentile."""

Ask = Callable[[int], None]
"""Makes one call and waits for its answer."""


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

    def __init__(self, command: Sequence[str]) -> None:
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0
        )
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


def timed(direct: Ask, proxied: Ask, calls: int) -> tuple[list[float], list[float]]:
    """Return the milliseconds of each call, direct and proxied, in turn."""
    found: tuple[list[float], list[float]] = ([], [])
    for number in range(-50, calls):
        for ask, times in zip((direct, proxied), found, strict=True):
            start = time.perf_counter()
            ask(number % 1000)
            if number >= 0:
                times.append((time.perf_counter() - start) * 1e3)
    return found


def row(
    name: str, goal: str, direct: list[float], proxied: list[float], rates: tuple[float, float]
) -> tuple[str, ...]:
    """Return a row: what is added in the median and at the 99th percentile, and the throughput that is left."""
    median = statistics.median(proxied) - statistics.median(direct)
    tail = statistics.quantiles(proxied, n=100)[98] - statistics.quantiles(direct, n=100)[98]
    within = GOALS[goal]
    return (
        name,
        f"{statistics.median(direct):.2f}",
        f"{median:+.2f}",
        f"{tail:+.2f}",
        f"{within[0]:.0f} / {within[1]:.0f}",
        f"{rates[0]:,.0f}",
        f"{rates[1] / rates[0]:.0%}",
    )


def over_stdio(folder: Path, kind: str, calls: int, pipelined: int) -> tuple[str, ...]:
    """Measure over standard input and output."""
    direct, proxied = Pipe(server_command(kind)), Pipe(proxy_command(folder, "--", *server_command(kind)))
    for pipe in (direct, proxied):
        pipe.handshake()
    times = timed(direct.ask, proxied.ask, calls)
    rates = [0.0, 0.0]
    for _ in range(ROUNDS):
        for index, pipe in enumerate((direct, proxied)):
            rates[index] = max(rates[index], pipe.many(pipelined // ROUNDS, AT_ONCE))
    for pipe in (direct, proxied):
        pipe.close()
    return row(f"stdio, {kind} server", "stdio", *times, (rates[0], rates[1]))


class Served(NamedTuple):
    """A server over HTTP."""

    address: str
    process: "subprocess.Popen[bytes]"


@contextmanager
def serving(command: Sequence[str], port: int) -> Iterator[Served]:
    """Run a server until the block ends."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            until = time.monotonic() + 20
            while time.monotonic() < until and not _listens(port):
                time.sleep(0.02)
            yield Served(f"http://127.0.0.1:{port}/mcp", process)
        finally:
            process.terminate()


def _listens(port: int) -> bool:
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


def over_http(folder: Path, kind: str, calls: int, pipelined: int) -> tuple[str, ...]:
    """Measure over streamable HTTP."""
    behind, front = _free_port(), _free_port()
    with ExitStack() as stack:
        direct = stack.enter_context(serving(server_command(kind, str(behind)), behind))
        listen = ("--upstream", direct.address, "--listen", f"127.0.0.1:{front}")
        proxied = stack.enter_context(serving(proxy_command(folder, *listen), front))
        name = f"HTTP, {'sdk' if kind == 'sdk-http' else 'bare'} server"
        return asyncio.run(_over_http(name, (direct.address, proxied.address), calls, pipelined))


async def _over_http(name: str, addresses: tuple[str, str], calls: int, pipelined: int) -> tuple[str, ...]:
    from aiohttp import ClientSession  # noqa: PLC0415 - an extra

    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    async with ClientSession(headers=headers) as client:

        async def ask(address: str, number: int) -> None:
            async with client.post(address, data=request(number)) as answer:
                assert (await answer.read()).startswith(b'{"')

        times: tuple[list[float], list[float]] = ([], [])
        for number in range(-50, calls):
            for address, found in zip(addresses, times, strict=True):
                start = time.perf_counter()
                await ask(address, number % 1000)
                if number >= 0:
                    found.append((time.perf_counter() - start) * 1e3)

        async def worker(address: str, numbers: Iterator[int]) -> None:
            for number in numbers:
                await ask(address, number)

        rates = [0.0, 0.0]
        for _ in range(ROUNDS):
            for index, address in enumerate(addresses):
                numbers = iter(range(pipelined // ROUNDS))
                start = time.perf_counter()
                await asyncio.gather(*(worker(address, numbers) for _ in range(AT_ONCE)))
                rates[index] = max(rates[index], pipelined // ROUNDS / (time.perf_counter() - start))
    return row(name, "HTTP", *times, (rates[0], rates[1]))


def starts(folder: Path) -> Table:
    """Measure how long it takes to start: the least of several starts."""

    def first_answer(command: list[str]) -> float:
        start = time.perf_counter()
        pipe = Pipe(command)
        pipe.ask(0)
        took = time.perf_counter() - start
        pipe.close()
        return took * 1e3

    def imported() -> float:
        program = (
            "import time; t = time.perf_counter(); import outcome_monitors; print(time.perf_counter() - t)"
        )
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        return float(done.stdout) * 1e3

    echo = [sys.executable, "-c", ECHO]
    direct, proxied, imports = [], [], []
    for _ in range(STARTS):
        direct.append(first_answer(echo))
        proxied.append(first_answer(proxy_command(folder, "--", *echo)))
        imports.append(imported())
    rows = (
        ("first answer of a server that only echoes, direct", f"{min(direct):.0f}", ""),
        ("first answer of the same behind a proxy", f"{min(proxied):.0f}", "300"),
        ("import outcome_monitors", f"{min(imports):.0f}", "50"),
    )
    return Table("Starting", ("what", ">ms", ">goal"), rows, (f"The least of {STARTS} starts.",))


def tables(calls: int = CALLS_TIMED, pipelined: int = CALLS_PIPELINED) -> Iterator[Table]:
    """Yield the tables."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        mine(ORDER.mined(), "full").save(folder / "contracts.json")
        rows, notes = [over_stdio(folder, "bare", calls, pipelined)], []
        if importlib.util.find_spec("mcp_types") is not None:
            rows.append(over_stdio(folder, "sdk", calls, pipelined))
        else:
            notes.append("sdk: this comparison needs mcp 2: pip install mcp")
        if importlib.util.find_spec("aiohttp") is not None:
            rows.append(over_http(folder, "http", calls, pipelined))
            if len(rows) > 2:
                rows.append(over_http(folder, "sdk-http", calls // 2, pipelined // 4))
        else:
            notes.append("HTTP: this comparison needs aiohttp: pip install 'outcome-monitors[proxy-http]'")
        columns = ("connection", ">direct, ms", ">added", ">added, p99", ">goals", ">calls/s", ">kept")
        note = (
            f"{calls:,} calls each way, in turn: the median of direct ones, and what the proxy adds to the median and to"
            f" the 99th percentile. Then {pipelined:,} calls, {AT_ONCE} at once: how many a direct connection answers in a"
            f" second, and the share that is left behind the proxy; of {ROUNDS} rounds the fastest."
        )
        yield Table("What a proxy adds to a call", columns, tuple(rows), (note, *notes))
        yield starts(folder)


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--calls", default=CALLS_TIMED, show_default=True, help="Calls to time each way.")
def main(calls: int) -> None:
    """Measure what a proxy adds to a call.

    Example: python -m bench.proxy
    """
    write(fill(facts(), WIDTH) + "\n\n")
    for table in tables(calls, 2 * calls):
        show(table)


if __name__ == "__main__":
    main(prog_name="python -m bench.proxy")
