"""`python -m bench.load`: 500 sessions over HTTP at once, at half of what the server answers by itself: what the proxy adds.

First the server's own throughput, every session with a call under way. Then calls at half that rate, evenly over the sessions,
direct and through the proxy in turn, so that a slow spell of the machine strikes both alike. A call's time counts from when it was due.
"""

import asyncio
import os
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from textwrap import fill

import click

from outcome_monitors import mine
from outcome_monitors.cli._output import write

from ._connections import free_port, proxy_command, request, server_command, serving
from ._report import WIDTH, Table, facts, show
from ._results import ORDER

SESSIONS, SECONDS, ROUNDS = 500, 2.0, 20
QUIET = 4
"""Of so many rounds the quietest one counts by itself: that in which direct calls had the lowest 99th percentile."""
GOAL = 5.0
"""Milliseconds that the 99th percentile may be higher."""
KINDS = {"http": "bare", "sdk-http": "SDK"}


class _Session:
    """A connection of a client, with a call at a time."""

    def __init__(self, port: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._port, self._reader, self._writer = port, reader, writer

    async def call(self, number: int) -> None:
        """Make a call and wait for its answer."""
        body = request(number)
        head = (
            f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\nContent-Type: application/json\r\n"
            f"Accept: application/json, text/event-stream\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        self._writer.write(head.encode() + body)
        said = (await self._reader.readuntil(b"\r\n\r\n")).lower()
        assert said.startswith(b"http/1.1 200 "), said
        await self._reader.readexactly(int(said.partition(b"content-length:")[2].partition(b"\r\n")[0]))

    def close(self) -> None:
        """Leave."""
        self._writer.close()


@asynccontextmanager
async def _sessions(port: int, count: int) -> AsyncIterator[list[_Session]]:
    """Open sessions, for one round: while another goes on the server would close them."""
    found = [_Session(port, *await asyncio.open_connection("127.0.0.1", port)) for _ in range(count)]
    try:
        yield found
    finally:
        for session in found:
            session.close()


async def _throughput(sessions: list[_Session], seconds: float) -> float:
    """Return how many calls are answered in a second, with one of each session under way."""
    until, made = time.perf_counter() + seconds, 0

    async def ask(session: _Session) -> None:
        nonlocal made
        while time.perf_counter() < until:
            await session.call(made)
            made += 1

    begun = time.perf_counter()
    await asyncio.gather(*map(ask, sessions))
    return made / (time.perf_counter() - begun)


async def _times(sessions: list[_Session], rate: float, seconds: float) -> list[float]:
    """Return the milliseconds of calls at a rate, each from when it was due; every session has made one before."""
    for session in sessions:
        await session.call(0)
    begun, found = time.perf_counter() + 0.1, []

    async def ask(session: _Session, place: int) -> None:
        for number in range(place, int(rate * seconds), len(sessions)):
            due = begun + number / rate
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            await session.call(number)
            found.append((time.perf_counter() - due) * 1e3)

    await asyncio.gather(*(ask(session, place) for place, session in enumerate(sessions)))
    return found


Row = tuple[str, ...]
Pair = tuple[list[float], list[float]]
"""The milliseconds of a round, direct and proxied."""


async def _measured(
    name: str, ports: tuple[int, int], sessions: int, seconds: float, rounds: int
) -> Iterator[Row]:
    async with _sessions(ports[0], sessions) as direct:
        most = await _throughput(direct, seconds)
    pairs: list[Pair] = []
    for _ in range(rounds):
        found = []
        for port in ports:
            async with _sessions(port, sessions) as opened:
                found.append(await _times(opened, most / 2, seconds))
        pairs.append((found[0], found[1]))
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
