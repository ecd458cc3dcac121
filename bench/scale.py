"""`python -m bench.scale`: mining many lines with one process, with several and with Spark.

The traces are the tool world's. Beyond `OWN` lines they are copies with other task and session names. The contract files must be
the same, byte for byte.
"""

import os
import subprocess
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path

import click

from outcome_monitors.cli._output import write
from outcome_monitors.traces.reader import write_traces
from outcome_monitors_study.world import nominal_traces

from ._report import Table, facts, show

OWN = 100_000
"""Lines that no other line is a copy of."""
WAYS = {
    "one process": (),
    "--workers 2": ("--workers", "2"),
    "--engine spark": ("--engine", "spark", "--master", "local[2]"),
}
"""The options of `mine`."""


def traces(path: Path, lines: int) -> None:
    """Write so many lines; a workflow is some eleven calls."""
    write_traces(path, islice(nominal_traces(min(lines, OWN) // 10), min(lines, OWN)))
    originals = path.read_bytes().splitlines(keepends=True)
    with path.open("ab") as out:
        for number in range(OWN, lines):
            out.write(originals[number % OWN].replace(b"_task_", b"_task_%d_" % (number // OWN)))


def measured(path: Path, profile: str) -> Table:
    """Mine a file in each way; the memory is that of the main process."""
    rows, files = [], set()
    for way, options in WAYS.items():
        output = path.with_suffix(".json")
        mines = ["-m", "outcome_monitors", "mine", str(path), "-o", str(output), "--profile", profile]
        begun = time.monotonic()
        process = subprocess.Popen([sys.executable, *mines, *options], stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        if status:
            raise click.ClickException(f"`mine` failed: {way}")
        files.add(output.read_bytes())
        rows.append((way, f"{time.monotonic() - begun:.0f}", f"{usage.ru_maxrss // 1024:,}"))
    if len(files) > 1:
        raise click.ClickException("the contract files differ")
    size = path.stat().st_size / 1e6
    return Table(f"{size:,.0f} MB of traces, profile {profile}", ("way", ">s", ">MB"), tuple(rows))


@click.command()
@click.option(
    "--lines", multiple=True, type=int, default=[100_000], show_default=True, help="Can be repeated."
)
@click.option("--profile", type=click.Choice(["full", "paper"]), default="full", show_default=True)
def main(lines: tuple[int, ...], profile: str) -> None:
    """Measure mining at several sizes."""
    write(facts() + "\n\n")
    with tempfile.TemporaryDirectory() as folder:
        for number in lines:
            traces(Path(folder) / "traces.jsonl", number)
            show(measured(Path(folder) / "traces.jsonl", profile))


if __name__ == "__main__":
    main(prog_name="python -m bench.scale")
