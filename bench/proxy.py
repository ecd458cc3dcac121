"""`python -m bench.proxy`: what a proxy adds to a call, against a direct connection in the same run.

Direct and proxied calls take turns, so that a slow spell of the machine strikes both alike. Checks are on, with contracts of
profile `full`, and events go to an SQLite store. Before the bare servers a relay that only copies takes turns with both: what it adds
is what one more process costs, whatever it does, and what it keeps is the most that a proxy in Python can.
"""

import asyncio
import importlib.util
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from textwrap import fill
from typing import NamedTuple

import click

from outcome_monitors import mine
from outcome_monitors.cli._output import write

from ._connections import Pipe, Served, free_port, proxy_command, request, server_command, serving
from ._processes import cpu
from ._relays import relay_command
from ._report import WIDTH, Table, facts, show
from ._results import ORDER
from ._servers import PIN

CALLS_TIMED = 2000
CALLS_PIPELINED = 14_000
AT_ONCE = 16
ROUNDS = 7
"""Rounds of calls at once, direct and proxied in turn; the median of each counts."""
GOALS = (
    "at most 0.1 ms on stdio and 0.25 ms over HTTP in the median, 2 ms at the 99th percentile, and 75 % kept"
)
DIRECT, RELAY, PROXY = "direct", "a relay that only copies", "the proxy"
COLUMNS = ("connection", ">direct", ">added", ">p99", ">calls/s", ">kept", ">CPU, µs")

Row = tuple[str, ...]
Ask = Callable[[int], None]
"""Makes one call and waits for its answer."""


class Found(NamedTuple):
    """What was measured of one way to a server."""

    times: list[float]
    """Milliseconds of each call."""
    rates: list[float]
    """Calls a second of each round."""
    used: list[float]
    """Processor time of what stands between for each call of a round, in microseconds."""


Ways = dict[str, Found]


def timed(ways: dict[str, Ask], calls: int, found: Ways) -> None:
    """Note the milliseconds of each call, the ways in turn."""
    for number in range(-50, calls):
        for name, ask in ways.items():
            start = time.perf_counter()
            ask(number % 1000)
            if number >= 0:
                found[name].times.append((time.perf_counter() - start) * 1e3)


def rows(name: str, found: Ways) -> list[Row]:
    """Return a row for each thing that stands between, the proxy first."""
    between = [way for way in (PROXY, RELAY) if way in found]
    return [_row(name if way == PROXY else way, found[DIRECT], found[way]) for way in between]


def _row(name: str, direct: Found, found: Found) -> Row:
    median = statistics.median(found.times) - statistics.median(direct.times)
    tail = statistics.quantiles(found.times, n=100)[98] - statistics.quantiles(direct.times, n=100)[98]
    used = statistics.median(found.used)
    return (
        name,
        f"{statistics.median(direct.times):.2f}",
        f"{median:+.2f}",
        f"{tail:+.2f}",
        f"{statistics.median(direct.rates):,.0f}",
        f"{statistics.median(found.rates) / statistics.median(direct.rates):.0%}",
        f"{used:.0f}" if used else "",
    )


def over_stdio(folder: Path, kind: str, calls: int, pipelined: int) -> list[Row]:
    """Measure over standard input and output."""
    server = server_command(kind)
    commands = {DIRECT: server, PROXY: proxy_command(folder, "--", *server)}
    if kind == "bare":
        commands[RELAY] = [*relay_command("stdio", *server)]
    pipes = {name: Pipe(command) for name, command in commands.items()}
    found = {name: Found([], [], []) for name in pipes}
    for pipe in pipes.values():
        pipe.handshake()
    timed({name: pipe.ask for name, pipe in pipes.items()}, calls, found)
    size = pipelined // ROUNDS
    for _ in range(ROUNDS):
        for name, pipe in pipes.items():
            before = cpu(pipe.number)
            found[name].rates.append(pipe.many(size, AT_ONCE))
            found[name].used.append((cpu(pipe.number) - before) / size)
    for pipe in pipes.values():
        pipe.close()
    return rows(f"stdio, {kind} server", found)


def over_http(folder: Path, kind: str, calls: int, pipelined: int) -> list[Row]:
    """Measure over streamable HTTP."""
    behind, front, aside = free_port(), free_port(), free_port()
    with ExitStack() as stack:
        direct = stack.enter_context(serving(server_command(kind, str(behind)), behind))
        listen = ("--upstream", direct.address, "--listen", f"127.0.0.1:{front}")
        ways = {DIRECT: direct, PROXY: stack.enter_context(serving(proxy_command(folder, *listen), front))}
        if kind == "http":
            copies = relay_command("http", str(behind), str(aside))
            ways[RELAY] = stack.enter_context(serving(copies, aside))
        name = f"HTTP, {'sdk' if kind == 'sdk-http' else 'bare'} server"
        return rows(name, asyncio.run(_over_http(ways, calls, pipelined // ROUNDS)))


async def _over_http(ways: dict[str, Served], calls: int, size: int) -> Ways:
    from aiohttp import ClientSession  # noqa: PLC0415 - an extra

    found = {name: Found([], [], []) for name in ways}
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    async with ClientSession(headers=headers) as client:

        async def ask(address: str, number: int) -> None:
            async with client.post(address, data=request(number)) as answer:
                assert (await answer.read()).startswith(b'{"')

        async def worker(address: str, numbers: Iterator[int]) -> None:
            for number in numbers:
                await ask(address, number)

        for number in range(-50, calls):
            for name, server in ways.items():
                start = time.perf_counter()
                await ask(server.address, number % 1000)
                if number >= 0:
                    found[name].times.append((time.perf_counter() - start) * 1e3)
        for _ in range(ROUNDS):
            for name, server in ways.items():
                numbers, before, start = iter(range(size)), cpu(server.process.pid), time.perf_counter()
                await asyncio.gather(*(worker(server.address, numbers) for _ in range(AT_ONCE)))
                found[name].rates.append(size / (time.perf_counter() - start))
                found[name].used.append((cpu(server.process.pid) - before) / size)
    return found


def tables(calls: int = CALLS_TIMED, pipelined: int = CALLS_PIPELINED) -> Iterator[Table]:
    """Yield the tables."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        mine(ORDER.mined(), "full").save(folder / "contracts.json")
        found, notes = over_stdio(folder, "bare", calls, pipelined), []
        sdk = importlib.util.find_spec("mcp_types") is not None
        if sdk:
            found += over_stdio(folder, "sdk", calls, pipelined // 4)
        else:
            notes.append("sdk: this comparison needs mcp 2: pip install mcp")
        if importlib.util.find_spec("aiohttp") is not None:
            found += over_http(folder, "http", calls, pipelined // 2)
            found += over_http(folder, "sdk-http", calls // 2, pipelined // 8) if sdk else []
        else:
            notes.append("HTTP: this comparison needs aiohttp: pip install 'outcome-monitors[proxy-http]'")
        yield Table("What a proxy adds to a call", COLUMNS, tuple(found), (*_notes(calls, pipelined), *notes))


def _notes(calls: int, pipelined: int) -> Sequence[str]:
    return (
        (
            f"{calls:,} calls each way, in turn: the median of direct ones in milliseconds, and what the proxy adds to it and to"
            f" the 99th percentile. Then {pipelined:,} calls, {AT_ONCE} at once: how many a direct connection answers in a"
            f" second, and the share that is left behind the proxy, each the median of {ROUNDS} rounds; and the processor"
            f" time of the proxy for a call. The goals: {GOALS}."
        ),
        (
            "A relay that only copies is a process of the same kind that looks at nothing: what it adds, and fails to keep, is the price of"
            " one more process, and the rest is the proxy's own."
        ),
    )


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
