"""`python -m bench.learn [--lines N]`: the job that learns from a fleet's PostgreSQL, beside `mine` of the same lines in a file.

The database is one of its own, on this machine. The contracts of both ways must be the same, byte for byte.
"""

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import click

from outcome_monitors.cli._output import write
from outcome_monitors.state.address import CACHE
from outcome_monitors.state.opening import open_storage
from outcome_monitors.state.storage import RecordedLine
from outcome_monitors_server.cli.state import state_at
from outcome_monitors_server.versions.versions import body_of, versions

from ._fleet_hosts import Database
from ._report import Table, facts, show
from .scale import Cost, measured, traces

LINES = 100_000
OWN = [sys.executable, "-m", "outcome_monitors"]


def recorded(address: str, path: Path) -> int:
    """Put the lines of a file into a fleet, as its proxies would have."""
    with path.open(encoding="utf-8") as lines:
        numbered = (
            RecordedLine((path.name, number), line.rstrip("\n")) for number, line in enumerate(lines, 1)
        )
        return state_at(address).record(numbered)


def learned(address: str) -> str:
    """Return the newest version's contracts."""
    with open_storage(address).versions() as table:
        return body_of(table, versions(table)[0].number)


def costs(address: str, path: Path, workers: int) -> Iterator[tuple[str, Cost]]:
    """Yield what each way took; refuse contracts that differ."""
    file, told = path.with_suffix(".json"), ("--workers", str(workers))
    yield (
        "`mine` of the file",
        measured([*OWN, "mine", str(path), "-o", str(file), "--profile", "full", *told]),
    )
    yield "`learn` from the fleet", measured([*OWN, "learn", "--state", address, *told])
    if learned(address) != file.read_text(encoding="utf-8"):
        raise click.ClickException("the contracts differ")


@click.command()
@click.option("--lines", type=click.IntRange(1), default=LINES, show_default=True)
@click.option("--workers", type=click.IntRange(1), default=2, show_default=True)
def main(lines: int, workers: int) -> None:
    """Measure learning as a job."""
    write(f"{facts()}; load {os.getloadavg()[0]:.1f}\n\n")
    with tempfile.TemporaryDirectory() as name, closing(Database(Path(name) / "pg")) as database:
        os.environ[CACHE] = str(Path(name) / "copies")
        path = traces(Path(name), lines)
        recorded(database.address, path)
        rows = tuple(
            (way, f"{cost.wall:.0f}", f"{cost.cores:.0f}", f"{lines / cost.wall:,.0f}", f"{cost.memory:,}")
            for way, cost in costs(database.address, path, workers)
        )
    columns = ("way", ">seconds", ">core seconds", ">lines a second", ">MB")
    title = f"{lines:,} lines, profile full, {workers} workers"
    show(Table(title, columns, rows, ("The contracts are the same, byte for byte.",)))


if __name__ == "__main__":
    main(prog_name="python -m bench.learn")
