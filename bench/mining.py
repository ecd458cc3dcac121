"""What mining costs, beside reading the same file as JSON."""

import json
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from outcome_monitors import read_traces
from outcome_monitors.features.walk import fold_of
from outcome_monitors.mining.observations import Mined, Observations
from outcome_monitors.traces.reader import write_traces
from outcome_monitors_study.world import nominal_traces

from ._report import Table
from ._timing import in_turn

__all__ = ["tables"]

WORKFLOWS = 400
"""As many as the paper mined."""
FOLDS = 5


def tables(workflows: int = WORKFLOWS, rounds: int = 5) -> Iterator[Table]:
    """Measure, and yield each table when it is done; profile full once, since it takes long."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "traces.jsonl"
        write_traces(path, nominal_traces(workflows))
        for profile, times in (("paper", rounds), ("full", 1)):
            mined: list[Mined] = []
            works = {"loads": partial(_loads, path), "mine": partial(_mine, path, profile, mined)}
            seconds = in_turn(works, times)
            folds = mined[-FOLDS:]
            row = (
                f"{seconds['mine']:.2f}",
                f"{seconds['mine'] / seconds['loads']:.1f}",
                f"{sum(found.candidates for found in folds):,}",
                f"{sum(found.accepted for found in folds):,}",
            )
            yield Table(
                f"{FOLDS} cross-fitted registries from {workflows:,} workflows, profile {profile}",
                (">seconds", ">x json.loads", ">candidates", ">accepted"),
                (row,),
                ("One process, on one core; reading the file is included.",),
            )


def _loads(path: Path) -> None:
    with path.open("rb") as lines:
        for line in lines:
            json.loads(line)


def _mine(path: Path, profile: str, mined: list[Mined]) -> None:
    """Mine a registry a fold, each from what was observed of the others."""
    calls = list(read_traces([path]))
    parts = [Observations(profile) for _ in range(FOLDS)]
    for call in calls:
        parts[fold_of(call, FOLDS)].add(call)
    for left_out in range(FOLDS):
        together = Observations(profile)
        for fold, part in enumerate(parts):
            if fold != left_out:
                together.merge(part)
        mined.append(together.contracts(again=[call for call in calls if fold_of(call, FOLDS) != left_out]))
