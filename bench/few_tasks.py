"""`python -m bench.few_tasks TRACES...`: what contracts flag and catch that were learned from 1, 3, 10, 30 and 100 tasks.

The tasks that are judged are the same for all sizes, and none of them is learned from.
"""

import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import click

from outcome_monitors import mine, read_traces
from outcome_monitors.cli._output import write
from outcome_monitors.contracts.registry import Registry
from outcome_monitors.evaluation.audit import judge_cases
from outcome_monitors.evaluation.cases import Case, make_cases
from outcome_monitors.evaluation.faults import SUITES, faults
from outcome_monitors.features.walk import task_name
from outcome_monitors.model import Call

SIZES = (1, 3, 10, 30, 100)
SEEDS = 3
HELD_OUT = 60
"""Tasks that are judged."""
LIMIT = 10
"""Corrupted results of each kind of fault."""


class Point(NamedTuple):
    """What came of one size."""

    flagged: int = 0
    results: int = 0
    caught: int = 0
    corrupted: int = 0

    def plus(self, other: "Point") -> "Point":
        """Add what came of another draw."""
        return Point(*(mine + theirs for mine, theirs in zip(self, other, strict=True)))


def judged(cases: Sequence[Case], registry: Registry) -> Point:
    """Hold cases against contracts."""
    point = Point()
    for _, outcome, corrupted in judge_cases(cases, registry):
        caught = sum(bool(other.broken) for _, other in corrupted)
        point = point.plus(Point(bool(outcome.broken), 1, caught, len(corrupted)))
    return point


def curve(calls: Sequence[Call]) -> Iterator[tuple[int, Point]]:
    """Yield what comes of each size, as far as there are tasks."""
    tasks = sorted({task_name(call) for call in calls})
    orders = [random.Random(seed).sample(tasks, len(tasks)) for seed in range(SEEDS)]
    wanted = faults(tuple(SUITES))
    cases = [
        make_cases([call for call in calls if task_name(call) in {*order[:HELD_OUT]}], wanted, 2, LIMIT)
        for order in orders
    ]
    for size in SIZES:
        point = Point()
        for order, held_out in zip(orders, cases, strict=True):
            learned = {*order[HELD_OUT : HELD_OUT + size]}
            if len(learned) == size:
                registry = mine([call for call in calls if task_name(call) in learned])
                point = point.plus(judged(held_out, registry))
        if point.results:
            yield size, point


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("traces", nargs=-1, required=True)
def main(traces: tuple[str, ...]) -> None:
    """Print the curve of each file.

    Example: python -m bench.few_tasks retail.jsonl.gz
    """
    write(f"{'file':24} tasks  flagged  recall\n")
    for file in traces:
        calls = [call for call in read_traces([file]) if not call.error]
        for size, point in curve(calls):
            flagged, recall = point.flagged / point.results, point.caught / max(point.corrupted, 1)
            write(f"{Path(file).name.partition('.')[0]:24} {size:5}  {flagged:7.2%}  {recall:6.1%}\n")


if __name__ == "__main__":
    main(prog_name="python -m bench.few_tasks")
