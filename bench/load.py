"""`python -m bench.load`: 500 sessions over HTTP at once, at half of what the server answers by itself: what the proxy adds.

First the server's own throughput, every session with a call under way. Then calls at half that rate, evenly over the sessions,
direct and through the proxy in turn, so that a slow spell of the machine strikes both alike. A call's time counts from when it was due.
"""

import asyncio
import os
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from textwrap import fill

import click

from outcome_monitors import mine
from outcome_monitors.cli._output import write

from ._connections import Caller, calling, free_port, proxy_command, server_command, serving
from ._report import WIDTH, Table, facts, show
from ._results import ORDER

SESSIONS, SECONDS, ROUNDS = 500, 2.0, 20
QUIET = 4
"""Of so many rounds the quietest one counts by itself: that in which direct calls had the lowest 99th percentile."""
GOAL = 5.0
"""Milliseconds that the 99th percentile may be higher."""
KINDS = {"http": "bare", "sdk-http": "SDK"}


async def _throughput(port: int, sessions: int, seconds: float) -> float:
    """Return how many calls are answered in a second, with one of each session under way."""
    callers = [Caller(port) for _ in range(sessions)]
    for caller in callers:
        await caller.call(0)
    begun, made = time.perf_counter(), 0

    async def ask(caller: Caller) -> None:
        nonlocal made
        while time.perf_counter() < begun + seconds:
            await caller.call(made)
            made += 1

    await asyncio.gather(*map(ask, callers))
    for caller in callers:
        caller.close()
    return made / (time.perf_counter() - begun)


Row = tuple[str, ...]
Pair = tuple[list[float], list[float]]
"""The milliseconds of a round, direct and proxied."""


async def _measured(
    name: str, ports: tuple[int, int], sessions: int, seconds: float, rounds: int
) -> Iterator[Row]:
    most = await _throughput(ports[0], sessions, seconds)
    pairs: list[Pair] = []
    for _ in range(rounds):
        direct, proxied = [await calling([port], sessions, most / 2, seconds) for port in ports]
        pairs.append(([spent for _, spent in direct], [spent for _, spent in proxied]))
    pairs.sort(key=lambda pair: _tail(pair[0]))
    quiet = pairs[: max(1, rounds // QUIET)]
    return iter([_row(name, "all", most, pairs), _row(name, "quietest", most, quiet)])


def _row(name: str, rounds: str, most: float, pairs: list[Pair]) -> Row:
    direct, proxied = ([time for pair in pairs for time in pair[side]] for side in (0, 1))
    added = statistics.median(proxied) - statistics.median(direct)
    return (
        name,
        rounds,
        f"{most:,.0f}",
        f"{statistics.median(direct):.2f}",
        f"{added:+.2f}",
        f"{_tail(direct):.2f}",
        f"{_tail(proxied) - _tail(direct):+.2f}",
    )


def _tail(times: list[float]) -> float:
    return statistics.quantiles(times, n=100)[98]


def tables(
    sessions: int = SESSIONS,
    seconds: float = SECONDS,
    rounds: int = ROUNDS,
    kinds: tuple[str, ...] = (*KINDS,),
) -> Iterator[Table]:
    """Yield the table."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        mine(ORDER.mined(), "full").save(folder / "contracts.json")
        rows = [row for kind in kinds for row in _rows(folder, kind, sessions, seconds, rounds)]
    columns = ("server", "rounds", ">calls/s", ">median, ms", ">added", ">p99, ms", ">added")
    load = (
        ""
        if not hasattr(os, "getloadavg")
        else f" The load of the machine was {os.getloadavg()[0]:.1f} at the end."
    )
    note = (
        f"{sessions:,} sessions at once: how many calls a second the server answers by itself, and, at half that rate, the time of"
        f" direct calls and what the proxy adds, in the median and at the 99th percentile ({rounds} rounds of {seconds:g} s each way,"
        f" in turn; the quietest are those in which direct calls had the lowest 99th percentile). The goal is {GOAL:.0f} ms at the 99th percentile.{load}"
    )
    yield Table("What a proxy adds under load", columns, tuple(rows), (note,))


def _rows(folder: Path, kind: str, sessions: int, seconds: float, rounds: int) -> Iterator[Row]:
    behind, front = free_port(), free_port()
    with ExitStack() as stack:
        direct = stack.enter_context(serving(server_command(kind, str(behind)), behind))
        listen = ("--upstream", direct.address, "--listen", f"127.0.0.1:{front}")
        stack.enter_context(serving(proxy_command(folder, *listen), front))
        return asyncio.run(_measured(KINDS[kind], (behind, front), sessions, seconds, rounds))


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--sessions", default=SESSIONS, show_default=True, help="Sessions at once.")
@click.option("--seconds", default=SECONDS, show_default=True, help="Seconds of a round.")
@click.option("--rounds", default=ROUNDS, show_default=True, help="Rounds each way.")
@click.option("--server", "kinds", multiple=True, type=click.Choice([*KINDS]), help="One server alone.")
def main(sessions: int, seconds: float, rounds: int, kinds: tuple[str, ...]) -> None:
    """Measure what a proxy adds to calls of many sessions at once.

    Example: python -m bench.load
    """
    write(fill(facts(), WIDTH) + "\n\n")
    for table in tables(sessions, seconds, rounds, kinds or (*KINDS,)):
        show(table)


if __name__ == "__main__":
    main(prog_name="python -m bench.load")
