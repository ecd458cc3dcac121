"""`python -m bench.proxy`: what a proxy adds to a call, against a direct connection in the same run.

Direct and proxied calls take turns, so that a slow spell of the machine strikes both alike. Checks are on, with contracts of
profile `full`, and events go to an SQLite store.
"""

import asyncio
import importlib.util
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from textwrap import fill

import click

from outcome_monitors import mine
from outcome_monitors.cli._output import write

from ._connections import Pipe, Served, free_port, proxy_command, request, server_command, serving
from ._processes import cpu
from ._report import WIDTH, Table, facts, show
from ._results import ORDER
from ._servers import PIN
from ._starting import starts

CALLS_TIMED = 2000
CALLS_PIPELINED = 14_000
AT_ONCE = 16
ROUNDS = 7
"""Rounds of calls at once, direct and proxied in turn; the median of each counts."""
GOALS = {"stdio": (1.0, 5.0), "HTTP": (3.0, 15.0)}
"""Milliseconds that a call may take longer: in the median, and at the 99th percentile."""

Rates = tuple[list[float], list[float]]
"""Calls a second of each round, direct and proxied."""
Ask = Callable[[int], None]
"""Makes one call and waits for its answer."""


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
    name: str, goal: str, direct: list[float], proxied: list[float], rates: Rates, used: float
) -> tuple[str, ...]:
    """Return a row: what is added in the median and at the 99th percentile, the throughput that is left, the CPU used."""
    median = statistics.median(proxied) - statistics.median(direct)
    tail = statistics.quantiles(proxied, n=100)[98] - statistics.quantiles(direct, n=100)[98]
    within = GOALS[goal]
    return (
        name,
        f"{statistics.median(direct):.2f}",
        f"{median:+.2f}",
        f"{tail:+.2f}",
        f"{within[0]:.0f} / {within[1]:.0f}",
        f"{statistics.median(rates[0]):,.0f}",
        f"{statistics.median(rates[1]) / statistics.median(rates[0]):.0%}",
        f"{used:.0f}" if used else "",
    )


def over_stdio(folder: Path, kind: str, calls: int, pipelined: int) -> tuple[str, ...]:
    """Measure over standard input and output."""
    direct, proxied = Pipe(server_command(kind)), Pipe(proxy_command(folder, "--", *server_command(kind)))
    for pipe in (direct, proxied):
        pipe.handshake()
    times = timed(direct.ask, proxied.ask, calls)
    rates: Rates = ([], [])
    before = cpu(proxied.number)
    for _ in range(ROUNDS):
        for pipe, found in zip((direct, proxied), rates, strict=True):
            found.append(pipe.many(pipelined // ROUNDS, AT_ONCE))
    used = (cpu(proxied.number) - before) / (pipelined // ROUNDS * ROUNDS)
    for pipe in (direct, proxied):
        pipe.close()
    return row(f"stdio, {kind} server", "stdio", *times, rates, used)


def over_http(folder: Path, kind: str, calls: int, pipelined: int) -> tuple[str, ...]:
    """Measure over streamable HTTP."""
    behind, front = free_port(), free_port()
    with ExitStack() as stack:
        direct = stack.enter_context(serving(server_command(kind, str(behind)), behind))
        listen = ("--upstream", direct.address, "--listen", f"127.0.0.1:{front}")
        proxied = stack.enter_context(serving(proxy_command(folder, *listen), front))
        name = f"HTTP, {'sdk' if kind == 'sdk-http' else 'bare'} server"
        return asyncio.run(_over_http(name, (direct, proxied), calls, pipelined))


async def _over_http(
    name: str, servers: tuple[Served, Served], calls: int, pipelined: int
) -> tuple[str, ...]:
    from aiohttp import ClientSession  # noqa: PLC0415 - an extra

    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    async with ClientSession(headers=headers) as client:

        async def ask(address: str, number: int) -> None:
            async with client.post(address, data=request(number)) as answer:
                assert (await answer.read()).startswith(b'{"')

        times: tuple[list[float], list[float]] = ([], [])
        for number in range(-50, calls):
            for server, found in zip(servers, times, strict=True):
                start = time.perf_counter()
                await ask(server.address, number % 1000)
                if number >= 0:
                    found.append((time.perf_counter() - start) * 1e3)

        async def worker(address: str, numbers: Iterator[int]) -> None:
            for number in numbers:
                await ask(address, number)

        rates: Rates = ([], [])
        proxy, size = servers[1].process.pid, pipelined // ROUNDS
        before = cpu(proxy)
        for _ in range(ROUNDS):
            for server, found in zip(servers, rates, strict=True):
                numbers = iter(range(size))
                start = time.perf_counter()
                await asyncio.gather(*(worker(server.address, numbers) for _ in range(AT_ONCE)))
                found.append(size / (time.perf_counter() - start))
    return row(name, "HTTP", *times, rates, (cpu(proxy) - before) / (size * ROUNDS))


def tables(calls: int = CALLS_TIMED, pipelined: int = CALLS_PIPELINED) -> Iterator[Table]:
    """Yield the tables."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        mine(ORDER.mined(), "full").save(folder / "contracts.json")
        rows, notes = [over_stdio(folder, "bare", calls, pipelined)], []
        if importlib.util.find_spec("mcp_types") is not None:
            rows.append(over_stdio(folder, "sdk", calls, pipelined // 4))
        else:
            notes.append("sdk: this comparison needs mcp 2: pip install mcp")
        if importlib.util.find_spec("aiohttp") is not None:
            rows.append(over_http(folder, "http", calls, pipelined // 2))
            if len(rows) > 2:
                rows.append(over_http(folder, "sdk-http", calls // 2, pipelined // 8))
        else:
            notes.append("HTTP: this comparison needs aiohttp: pip install 'outcome-monitors[proxy-http]'")
        columns = (
            "connection",
            ">direct, ms",
            ">added",
            ">p99",
            ">goals",
            ">calls/s",
            ">kept",
            ">CPU, µs",
        )
        note = (
            f"{calls:,} calls each way, in turn: the median of direct ones, and what the proxy adds to the median and to"
            f" the 99th percentile. Then {pipelined:,} calls, {AT_ONCE} at once: how many a direct connection answers in a"
            f" second, and the share that is left behind the proxy, each the median of {ROUNDS} rounds; and the processor"
            " time of the proxy for a call."
        )
        yield Table("What a proxy adds to a call", columns, tuple(rows), (note, *notes))
        yield starts(folder)


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--calls", default=CALLS_TIMED, show_default=True, help="Calls to time each way.")
@click.option(
    "--pin", is_flag=True, help="Servers keep to one processor, client and proxy to another (Linux)."
)
def main(calls: int, pin: bool) -> None:
    """Measure what a proxy adds to a call.

    Example: python -m bench.proxy
    """
    if pin:
        own, theirs, *_ = sorted(os.sched_getaffinity(0))
        os.environ[PIN] = str(theirs)
        os.sched_setaffinity(0, {own})
    write(fill(facts(), WIDTH) + "\n\n")
    for table in tables(calls, 7 * calls):
        show(table)


if __name__ == "__main__":
    main(prog_name="python -m bench.proxy")
