"""`python -m bench.scale`: mining many lines, by one process, by several and by Spark, beside reading them as JSON.

The traces are the tool world's. Beyond `OWN` lines they are copies with other task and session names. The contract
files of all ways must be the same, byte for byte.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import click

from outcome_monitors.cli._output import write
from outcome_monitors.traces.reader import write_traces
from outcome_monitors_study.world import nominal_traces

from ._report import Table, facts, show

__all__ = ["LOADS", "WAYS", "Cost", "measured", "traces"]

OWN = 100_000
"""Lines that no other line is a copy of."""
LOADS = "import json, sys\nfor line in open(sys.argv[1], 'rb'): json.loads(line)"
WAYS = {
    "json.loads": (),
    "local": ("--engine", "local"),
    "workers": ("--workers", "2"),
    "spark": ("--engine", "spark", "--master", "local[2]"),
}
"""The options of `mine`; the first is no mining at all."""


class Cost(NamedTuple):
    """What a command took: seconds on the clock, and the most megabytes of all its processes at once."""

    wall: float
    memory: int


def traces(folder: Path, lines: int) -> Path:
    """Write so many lines."""
    path = folder / f"{lines}.jsonl"
    if path.exists():
        return path
    own = folder / f"{min(lines, OWN)}.jsonl"
    if not own.exists():
        # A workflow is some eleven calls.
        write_traces(own, islice(nominal_traces(min(lines, OWN) // 10), min(lines, OWN)))
    if own != path:
        with path.open("wb") as out:
            for copy in range(-(-lines // OWN)):
                with own.open("rb") as originals:
                    for line in islice(originals, lines - copy * OWN):
                        out.write(line.replace(b"_task_", b"_task_%d_" % copy))
    return path


def measured(command: list[str]) -> Cost:
    """Run a command; raise where it fails."""
    begun = time.monotonic()
    most = 0
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors)
        while process.poll() is None:
            most = max(most, sum(map(_memory, _family(process.pid))) // 1024)
            time.sleep(0.1)
        if process.returncode:
            errors.seek(0)
            raise click.ClickException(errors.read().decode().strip().splitlines()[-1])
    return Cost(time.monotonic() - begun, most)


def _family(process: int) -> Iterator[int]:
    """Yield a process and all that descend from it."""
    yield process
    with suppress(OSError):
        for thread in Path(f"/proc/{process}/task").iterdir():
            for child in (thread / "children").read_text().split():
                yield from _family(int(child))


def _memory(process: int) -> int:
    """Return the kilobytes of a process, what it shares with others counted in part."""
    with suppress(OSError):
        for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1])
    return 0


def _table(path: Path, lines: int, profile: str, ways: tuple[str, ...]) -> Table:
    rows, files = [], set()
    for way in ways:
        output = path.with_suffix(f".{profile}.{way}.json")
        mines = ["-m", "outcome_monitors", "mine", str(path), "-o", str(output), "--profile", profile]
        cost = measured([sys.executable, *([*mines, *WAYS[way]] if WAYS[way] else ["-c", LOADS, str(path)])])
        if WAYS[way]:
            files.add(output.read_bytes())
        rows.append((way, f"{cost.wall:.0f}", f"{lines / cost.wall:,.0f}", f"{cost.memory:,}"))
    if len(files) > 1:
        raise click.ClickException("the contract files differ")
    return Table(
        f"{lines:,} lines, {path.stat().st_size / 1e6:,.0f} MB, profile {profile}",
        ("way", ">s", ">lines/s", ">MB"),
        tuple(rows),
        ("The contract files are the same, byte for byte.",) if files else (),
    )


@click.command()
@click.option(
    "--lines", multiple=True, type=int, default=[100_000], show_default=True, help="Can be repeated."
)
@click.option("--profile", type=click.Choice(["full", "paper"]), default="full", show_default=True)
@click.option(
    "--way", "ways", multiple=True, type=click.Choice(list(WAYS)), default=list(WAYS), help="Can be repeated."
)
@click.option("--folder", type=click.Path(path_type=Path), help="Where the traces stay.")
def main(lines: tuple[int, ...], profile: str, ways: tuple[str, ...], folder: Path | None) -> None:
    """Measure mining at several sizes."""
    write(facts() + "\n\n")
    with tempfile.TemporaryDirectory() as temporary:
        for number in lines:
            show(_table(traces(folder or Path(temporary), number), number, profile, ways))


if __name__ == "__main__":
    main(prog_name="python -m bench.scale")
