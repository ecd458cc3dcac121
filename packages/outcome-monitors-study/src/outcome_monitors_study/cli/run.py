"""`study run`: the episodes of a frozen study that are missing."""

import sys
import time
from pathlib import Path
from typing import Any

import click

from outcome_monitors.cli._output import count, fail, printable, show_progress, warn, write
from outcome_monitors_study.run import Effort, Progress, run
from outcome_monitors_study.tables import money

from .settings import effort_options

__all__ = ["run_command", "teller"]

SILENCE = 30.0
"""Seconds before the same trouble is told once more."""


@click.command("run", epilog="\b\nExample:\n  outcome-monitors study run trial --max-cost 5")
@click.argument("folder", type=click.Path(path_type=Path))
@effort_options(1, "Concurrent episodes of a model.")
def run_command(folder: Path, max_cost: float | None, concurrency: int, timeout: int) -> int:
    """Run the missing episodes of a frozen study; refuse if anything differs from what was frozen."""
    done = run(folder, max_cost=max_cost, effort=Effort(concurrency, timeout), tell=teller("episode"))
    broken = f", {done.failures:,} tries broken off" if done.failures else ""
    write(
        printable(
            f"{folder}: {done.done:,} of {count(done.planned, 'episode')} done, cost {money(done.spent)}{broken}"
        )
        + "\n"
    )
    if done.done < done.planned:
        fail(
            "not all episodes were run: a limit was reached, or an endpoint or a plugin failed (failures.jsonl says how);"
            " run it again to go on"
        )
        return 2
    return 0


def teller(what: str) -> Any:
    """Return what shows progress of so many episodes or requests, no more often than people can read."""
    due, last, silent = time.monotonic() + 1.0, "", 0.0

    def tell(progress: Progress) -> None:
        nonlocal due, last, silent
        what_failed, trouble = _failed(progress)
        if trouble and (trouble.partition(";")[0] != last or time.monotonic() > silent):
            warn(printable(f"{what_failed}: {trouble}"))
            last, silent = trouble.partition(";")[0], time.monotonic() + SILENCE
        if not sys.stderr.isatty() or time.monotonic() < due:
            return
        due = time.monotonic() + 0.2
        left = "" if progress.seconds_left is None else f", {progress.seconds_left:.0f} s left"
        more = "" if not progress.cost_left else f", about {progress.cost_left:.2f} to come"
        show_progress(
            f"{progress.done:,} of {count(progress.planned, what)}{left}, cost {money(progress.spent)}{more}"
        )

    return tell


def _failed(progress: Progress) -> tuple[str, str]:
    """Return whose fault something is, and what it is."""
    if progress.fault:
        return "an episode was broken off", progress.fault
    return "the endpoint failed", progress.trouble
