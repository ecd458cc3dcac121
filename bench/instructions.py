"""`python -m bench.instructions`: how many instructions a few jobs take, beside the last release; a tenth more fails.

Times differ from run to run by more than a tenth, counts do not. They are of Python's own instructions, and stand in
`bench/data/instructions.json` for each minor version of Python, which have instructions of their own. `--write` writes those of the
Python that runs it, at a release.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import click

from outcome_monitors.cli._output import write

from ._instruction_count import JOBS
from ._report import Table, facts, show

__all__ = ["BASELINE", "MORE", "counts", "known", "table", "too_many"]

BASELINE = Path(__file__).parent / "data" / "instructions.json"
MORE = 1.10
"""So many times as many instructions as at the last release are too many."""
PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"
FIXED = {"PYTHONHASHSEED": "0"}
NEEDS_VALGRIND = "valgrind is not installed: what C code does is not counted"

Counts = Mapping[str, int]


def counts() -> Counts:
    """Return how many instructions each job takes, counted in a process of its own, in which nothing was done before."""
    done = subprocess.run(
        [sys.executable, "-m", "bench._instruction_count"],
        capture_output=True,
        text=True,
        check=True,
        cwd=BASELINE.parent.parent.parent,
        env={**os.environ, **FIXED},
    )
    found: Counts = json.loads(done.stdout)
    return found


def known() -> Counts | None:
    """Return the counts of the last release, where there are any for this Python."""
    found: dict[str, Counts] = json.loads(BASELINE.read_text())
    return found.get(PYTHON)


def too_many(now: Counts, before: Counts) -> list[str]:
    """Say which jobs take more than they may; a job that is new may take what it takes."""
    return [
        f"{job}: {now[job]:,} instructions, {now[job] / before[job] - 1:.0%} more than the {before[job]:,} of the last release"
        for job in now
        if job in before and now[job] > MORE * before[job]
    ]


def table(now: Counts, before: Counts | None, machine: Counts | None = None) -> Table:
    """Return the counts beside those of the last release, and beside those of the processor where they were made."""
    rows = []
    for job, count in now.items():
        old = (before or {}).get(job)
        last = (f"{old:,}", f"{count / old:.2f}") if old else ("", "")
        rows.append((job, f"{count:,}", *last, *([f"{machine[job]:,}"] if machine else [])))
    columns = ("job", ">instructions", ">last release", ">x", *([">of the processor"] if machine else []))
    return Table(
        "Instructions",
        columns,
        tuple(rows),
        (f"Of our own code, as Python {PYTHON} runs it. What C code does for it is not in them.",),
    )


def _of_the_processor() -> Counts:
    """Count by valgrind what the processor does for each job, C code included."""
    return {job: _collected(job, "()()") - _collected(job, "()") for job in JOBS}


def _collected(job: str, calls: str) -> int:
    code = f"from bench._instruction_count import JOBS; JOBS[{job!r}]{calls}"
    valgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    done = subprocess.run(
        [*valgrind, sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=BASELINE.parent.parent.parent,
        env={**os.environ, **FIXED},
    )
    return int(re.findall(r"Collected : (\d+)", done.stderr)[0])


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--write", "writes", is_flag=True, help="Write the counts as those of the last release.")
@click.option(
    "--valgrind", is_flag=True, help="Also count what the processor does, C code included: minutes."
)
def main(writes: bool, valgrind: bool) -> None:
    """Count instructions, and hold them against those of the last release.

    Example: python -m bench.instructions
    """
    now, before = counts(), known()
    machine = _of_the_processor() if valgrind and shutil.which("valgrind") else None
    write(facts() + "\n\n")
    show(table(now, before, machine))
    if valgrind and machine is None:
        write(NEEDS_VALGRIND + "\n")
    if writes:
        every = {**json.loads(BASELINE.read_text()), PYTHON: now}
        BASELINE.write_text(json.dumps(every, indent=1, sort_keys=True) + "\n")
        return
    found = too_many(now, before or {})
    for line in found:
        write(f"{line}\n")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main(prog_name="python -m bench.instructions")
