"""`python -m bench.fleet`: 200 clients over 20 proxies that share a PostgreSQL, against the same proxies with a folder each.

Direct calls, calls through proxies with folders and through those of the fleet take turns, so that a slow spell of the machine strikes
all alike. Then a clause is muted, and each proxy says when it heeds that. Then the database is killed while calls go on, and started
again: every call is answered, and every event arrives or is counted.
"""

import asyncio
import json
import os
import re
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from textwrap import fill
from typing import NamedTuple

import click

from outcome_monitors import mine
from outcome_monitors.cli._output import write
from outcome_monitors.learning.decisions import mute
from outcome_monitors.learning.folder import StateFolder
from outcome_monitors.mcp import JsonRpcSession
from outcome_monitors.mcp.settings import ProxySettings
from outcome_monitors.storage.address import CACHE

from ._connections import Caller, calling, free_port, request, server_command, serving
from ._fleet_hosts import Database, FleetHost, hosts, until_serving
from ._report import WIDTH, Table, facts, show
from ._results import ORDER
from ._servers import answer

PROXIES, CLIENTS, RATE, SECONDS, ROUNDS, AWAY = 20, 200, 200.0, 5.0, 6, 60.0
GOAL = 0.05
"""Milliseconds by which the median of a fleet's proxies may be above that of proxies with folders."""
PARTS, PART = 60, 50
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


def tables(load: Load) -> Iterator[Table]:
    """Yield the tables."""
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        os.environ[CACHE] = str(folder / "copies")
        # Of this profile no relations are made of traffic, which takes long at first and is the same for all.
        mine(ORDER.mined(), "paper").save(folder / "contracts.json")
        database = stack.enter_context(closing(Database(folder / "pg")))
        yield _thread(folder, database)
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
        yield _accounted(database, fleet)


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


def _thread(folder: Path, database: Database) -> Table:
    """Hold the thread that a reply is on against itself: its processor time, which no other process has a part in."""
    answers = [json.dumps(answer(json.loads(request(number)))).encode() + b"\n" for number in range(PART)]
    spent: dict[str, list[float]] = {"a folder": [], "one PostgreSQL": []}
    with ExitStack() as stack:
        desks = {}
        for kind, learn in zip(
            spent, (str(folder / "here"), f"{database.address}&fleet=thread"), strict=True
        ):
            setting = ProxySettings(learn=learn, contracts=str(folder / "contracts.json"), budget=0.0)
            desks[kind] = JsonRpcSession(stack.enter_context(setting.context()), kind)
        for _ in range(PARTS):
            for kind, dialogue in desks.items():
                begun = time.thread_time()
                for number in range(PART):
                    dialogue.asked(request(number))
                    dialogue.answered(answers[number])
                spent[kind].append((time.thread_time() - begun) / PART * 1e6)
    rows = [(kind, f"{statistics.median(found):.1f}", f"{min(found):.1f}") for kind, found in spent.items()]
    note = f"Processor time of the thread that looks at a call and its result, in {PARTS} parts of {PART} calls in turn.{_machine()}"
    return Table("The thread of a reply", ("learns in", ">median, µs a call", ">least"), tuple(rows), (note,))


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


def _accounted(database: Database, fleet: Sequence[FleetHost]) -> Table:
    """End the proxies, and hold what was sent against what arrived."""
    for host in fleet:
        host.stop()
    lost = sum(host.ended() for host in fleet)
    said = sum(_last(host, r"(\d+) results: ") for host in fleet)
    unread = sum(_last(host, r"(\d+) not checked") for host in fleet)
    [(events,)] = database.asked("SELECT count(*) FROM events")
    [(traces,)] = database.asked("SELECT count(*) FROM traces")
    [(noted,)] = database.asked("SELECT coalesce(sum(lost), 0) FROM writers")
    away = sum("results are served by it" in host.log for host in fleet)
    note = (
        f"{away} of {len(fleet)} proxies have said, once, that the database was away. Of the writers {noted} are noted as lost."
        f" {unread} results took too long to be looked at, and were passed on unread: of those there are events, and no traces."
    )
    row = (f"{said:,}", f"{events:,}", f"{traces:,}", f"{lost:,}")
    columns = (">results", ">events arrived", ">traces arrived", ">counted as lost")
    return Table("What was sent, and what arrived", columns, (row,), (note,))


def _last(host: FleetHost, said: str) -> int:
    """Return a number that a proxy says at its end."""
    found = re.findall(said, host.log)
    assert found, host.log[-2000:]
    return int(found[-1])


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
