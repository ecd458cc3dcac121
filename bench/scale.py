"""`python -m bench.scale`: mining many lines, by one process, by several and by Spark, beside reading them as JSON.

The traces are the tool world's. Beyond `OWN` lines they are copies with other task and session names. The contract
files of all ways must be the same, byte for byte.
"""

import os
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
"""What `mine` is told; the first is no mining at all."""


class Cost(NamedTuple):
    """What a command took: seconds on the clock and of all cores, and megabytes of all its processes at once."""

    wall: float
    cores: float
    half: int
    """The most megabytes in the first half of the time,"""
    memory: int
    """and in all of it."""
    largest: int = 0
    """The most megabytes of one Python process that another started: of Spark's, each holds one partition at a time."""
    first: float = 0.0
    """The seconds of the first process alone: what more workers do not make less."""


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
    held: list[tuple[float, int]] = []
    spent: dict[int, float] = {}
    peaks: dict[int, int] = {}
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=said)
        while process.poll() is None:
            family = list(_family(process.pid))
            held.append((time.monotonic() - begun, sum(map(_memory, family)) // 1024))
            # Of a process that ends between two looks a little is lost; Spark's do not wait for each other.
            spent.update({member: _spent(member) or spent.get(member, 0.0) for member in family})
            peaks.update({member: _peak(member) or peaks.get(member, 0) for member in family[1:]})
            time.sleep(0.1)
        if process.returncode:
            said.seek(0)
            raise click.ClickException(said.read().decode().strip().splitlines()[-1])
    wall = time.monotonic() - begun
    half = max((memory for after, memory in held if after < wall / 2), default=0)
    most = max(memory for _, memory in held)
    largest = max(peaks.values(), default=0) // 1024
    return Cost(wall, sum(spent.values()), half, most, largest, spent.get(process.pid, 0.0))


def _spent(process: int) -> float:
    """Return the seconds that a process has had of any core."""
    with suppress(OSError):
        told = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        return (int(told[11]) + int(told[12])) / os.sysconf("SC_CLK_TCK")
    return 0.0


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


def _peak(process: int) -> int:
    """Return the most kilobytes that a process of Python has had so far; of any other, nothing."""
    with suppress(OSError):
        told = dict(line.split(":", 1) for line in Path(f"/proc/{process}/status").read_text().splitlines())
        return int(told["VmHWM"].split()[0]) if "python" in told["Name"] and "VmHWM" in told else 0
    return 0


def _commands(path: Path, profile: str, ways: tuple[str, ...]) -> Iterator[tuple[str, list[str], Path]]:
    for way in ways:
        output = path.with_suffix(f".{profile}.{way}.json")
        told = [
            sys.executable,
            "-m",
            "outcome_monitors",
            "mine",
            str(path),
            "-o",
            str(output),
            "--profile",
            profile,
        ]
        yield way, [*told, *WAYS[way]] if WAYS[way] else [sys.executable, "-c", LOADS, str(path)], output


def _table(path: Path, lines: int, profile: str, ways: tuple[str, ...]) -> Table:
    rows, files, base = [], set(), 0.0
    for way, command, output in _commands(path, profile, ways):
        cost = measured(command)
        if WAYS[way]:
            files.add(output.read_bytes())
        else:
            base = cost.cores
        ratio = f"{cost.cores / base:.1f}" if base else ""
        rows.append(
            (
                way,
                f"{cost.wall:.0f}",
                f"{cost.cores:.0f}",
                ratio,
                f"{lines / cost.wall:,.0f}",
                f"{cost.half:,}",
                f"{cost.memory:,}",
                f"{cost.largest:,}" if cost.largest else "",
            )
        )
    if len(files) > 1:
        raise click.ClickException("the contract files differ")
    return Table(
        f"{lines:,} lines, {path.stat().st_size / 1e6:,.0f} MB, profile {profile}",
        ("way", ">s", ">core s", ">x loads", ">lines/s", ">MB, half", ">MB", ">child"),
        tuple(rows),
        (
            "Seconds on the clock and of all cores, and these as a multiple of what `json.loads` takes.",
            "The most megabytes of all processes in the first half of the time, and in all of it; and of the largest that another started.",
            *(("The contract files are the same, byte for byte.",) if files else ()),
        ),
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
