"""What mining costs, beside reading the same file as JSON, and what it keeps in memory."""

import json
import os
import pickle
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import chain, groupby, islice, pairwise
from pathlib import Path

from outcome_monitors import Call, read_traces
from outcome_monitors.mining.observations import Mined, Observations, mine_folds
from outcome_monitors.rules.evidence.tasks import MOST_HASHES
from outcome_monitors.traces.reader import call_to_json, write_traces
from outcome_monitors_study.world import nominal_traces

from ._report import Table
from ._timing import in_turn, once

__all__ = ["tables"]

WORKFLOWS = 400
"""As many as the paper mined."""
FOLDS = 5
GOAL = 2.0
"""Seconds for the registries of all folds: the paper's figure."""
FULL_GOAL = 10.0
"""The same in profile `full`."""
GROWTH = {"paper": (400, 4000, 12000), "full": (100, 400, 1600)}
"""After how many workflows the observations of each profile are weighed."""


@dataclass(frozen=True, slots=True)
class _Traces:
    """A file of clean traces of the tool world."""

    path: Path

    @classmethod
    def write(cls, folder: Path, workflows: int) -> "_Traces":
        path = folder / f"{workflows}.jsonl"
        write_traces(path, nominal_traces(workflows))
        return cls(path)

    def loads(self) -> None:
        with self.path.open("rb") as lines:
            for line in lines:
                json.loads(line)

    def mine_folds(self, profile: str = "paper", workers: int = 1) -> list[Mined]:
        return mine_folds(read_traces([self.path]), FOLDS, profile, workers=workers)[0]


def tables(
    workflows: int = WORKFLOWS, growth: Mapping[str, tuple[int, ...]] = GROWTH, rounds: int = 5
) -> Iterator[Table]:
    """Measure, and yield each table when it is done."""
    with tempfile.TemporaryDirectory() as folder:
        traces = _Traces.write(Path(folder), workflows)
        seconds = in_turn({"loads": traces.loads, "folds": traces.mine_folds}, rounds)
        yield _folds_table(traces, workflows, seconds["folds"], seconds["loads"])
        yield _full_folds_table(traces, workflows)
    yield _growth_table(growth)


def _folds_table(traces: _Traces, workflows: int, seconds: float, base: float) -> Table:
    mined = traces.mine_folds()
    row = (
        f"{seconds:.2f}",
        f"{GOAL:.0f}",
        f"{seconds / base:.1f}",
        f"{sum(found.candidates for found in mined):,}",
        f"{sum(found.accepted for found in mined):,}",
    )
    return Table(
        f"{FOLDS} cross-fitted registries from {workflows:,} workflows, profile paper",
        (">seconds", ">goal", ">x json.loads", ">candidates", ">accepted"),
        (row,),
        ("One process, on one core; reading the file is included.",),
    )


def _full_folds_table(traces: _Traces, workflows: int) -> Table:
    """Measure the registries of profile full once: they take long."""
    rows = []
    for workers in (1, 2):
        before = os.times()
        taken, mined = once(partial(traces.mine_folds, "full", workers))
        # Of this process and of those it has waited for.
        cores = sum(os.times()[:4]) - sum(before[:4])
        rows.append(
            (
                f"{workers}",
                f"{taken:.1f}",
                f"{cores:.1f}",
                f"{FULL_GOAL:.0f}",
                f"{sum(found.candidates for found in mined):,}",
                f"{sum(found.accepted for found in mined):,}",
            )
        )
    return Table(
        f"The same {FOLDS} registries from {workflows:,} workflows in profile full",
        (">workers", ">seconds", ">core seconds", ">goal", ">candidates", ">accepted"),
        tuple(rows),
        (
            "Measured once. Core seconds are those of all processes; the goal is that of one.",
            "Clauses are suggested five times a registry: by all parts of its tasks, and by all but each of four.",
        ),
    )


def _growth_table(growth: Mapping[str, tuple[int, ...]]) -> Table:
    return Table(
        "What mining keeps, and how fast it is, as the traces grow",
        ("profile", ">traces", ">calls", ">calls/s", ">file, kB", ">kept, kB", ">growth", ">clauses"),
        tuple(row for profile, sizes in growth.items() for row in _growth_rows(profile, sizes)),
        (
            "Kept is the pickled size of the observations. More traces are other workflows, with new values.",
            "Calls a second (calls/s) are those of mining all the traces so far: to observe each call, and then to accept clauses.",
            f"To count its tasks, each path keeps up to {MOST_HASHES} hashes of them: in profile `paper` this is what grows.",
            "Profile `full` also keeps samples of values and of records. All have a bound for each path.",
        ),
    )


def _growth_rows(profile: str, sizes: tuple[int, ...]) -> Iterator[tuple[str, ...]]:
    observations = Observations(profile)
    first = file = 0
    observing = 0.0
    for size, calls in _stretches(sizes):
        for call in calls:
            file += len(json.dumps(call_to_json(call))) + 1
            observing += once(partial(observations.add, call))[0]
        kept = len(pickle.dumps(observations))
        first = first or kept
        accepting, mined = once(observations.contracts)
        yield (
            profile,
            f"{size // sizes[0]}x",
            f"{observations.calls:,}",
            f"{observations.calls / (observing + accepting):,.0f}",
            f"{file / 1000:,.0f}",
            f"{kept / 1000:,.0f}",
            f"{kept / first:.1f}x",
            f"{mined.accepted:,}",
        )


def _stretches(sizes: tuple[int, ...]) -> Iterator[tuple[int, Iterator[Call]]]:
    """Yield the calls of the first workflows, then of the next, so that none is carried out twice."""
    runs = (calls for _, calls in groupby(nominal_traces(sizes[-1]), key=lambda call: call.task))
    for before, size in pairwise((0, *sizes)):
        yield size, chain.from_iterable(islice(runs, size - before))
