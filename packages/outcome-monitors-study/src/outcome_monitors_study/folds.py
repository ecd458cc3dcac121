"""Contracts learned without some of the tasks (the paper's Algorithm 2), and the index that says which never saw which task.

Tasks of levels that nothing is sampled from are learned from in every fold: so the paper's 400 workflows give 1,800 inputs to five.
"""

import json
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from outcome_monitors.contracts.registry import Registry
from outcome_monitors.features.walk import fold_of
from outcome_monitors.files import read_json, write_atomically
from outcome_monitors.mining.observations import Mined, Observations
from outcome_monitors.model import Call, Json

FORMAT = "outcome-monitors/folds"
VERSION = 1


class Construction(NamedTuple):
    """What registries were built from, and what became of it."""

    workflows: int
    inputs: int
    """Workflows, once for each registry that they were learned from for."""
    candidates: int
    accepted: int
    private: int
    """Candidates that were refused, or have lost a part, since what they say is private."""

    @property
    def sentence(self) -> str:
        """Say it in one line."""
        private = f"; {self.private:,} left out as private, whole or in part" if self.private else ""
        share = f" ({self.accepted / self.candidates:.1%})" if self.candidates else ""
        return (
            f"{self.workflows:,} workflows, {self.inputs:,} inputs, {self.candidates:,} candidates,"
            f" {self.accepted:,} accepted{share}{private}"
        )


class Crossfit(NamedTuple):
    """A registry for each fold, and the fold that each task was left out of."""

    mined: tuple[Mined, ...]
    tasks: Mapping[str, int]
    construction: Construction


def crossfit(
    calls: Iterable[Call],
    level: Callable[[str], str],
    levels: Collection[str],
    folds: int,
    profile: str,
    without: Collection[str] = (),
) -> Crossfit:
    """Learn a registry for each fold without its tasks, those of `levels`; of one fold alone, without the tasks that are named."""
    parts: list[list[Call]] = [[] for _ in range(folds)]
    always: list[Call] = []
    dealt: dict[str, int] = {}
    others: set[str] = set()
    for call in calls:
        task = call.task or ""
        if folds == 1 and task in without:
            continue
        if folds == 1 or level(task) not in levels:
            others.add(task)
            always.append(call)
        else:
            dealt[task] = fold_of(call, folds)
            parts[dealt[task]].append(call)
    mined = tuple(_without(fold, parts, always, profile) for fold in range(folds))
    construction = Construction(
        len(others) + len(dealt),
        folds * len(others) + (folds - 1) * len(dealt),
        sum(each.candidates for each in mined),
        sum(each.accepted for each in mined),
        sum(each.private for each in mined),
    )
    return Crossfit(mined, dealt, construction)


def _without(fold: int, parts: list[list[Call]], always: list[Call], profile: str) -> Mined:
    learned = [*chain(always, *parts[:fold], *parts[fold + 1 :])]
    observations = Observations(profile)
    observations.add_all(learned)
    return observations.contracts(again=learned)


@dataclass(frozen=True, slots=True)
class FoldIndex:
    """Which registry never saw which task."""

    registries: tuple[str, ...]
    """The file of each fold's registry, beside the index."""
    tasks: Mapping[str, int] = field(default_factory=dict)
    """The fold that each task was left out of."""

    def save(self, path: Path) -> None:
        """Write the index: a line a task."""
        document: Json = {
            "format": FORMAT,
            "version": VERSION,
            "folds": len(self.registries),
            "registries": list(self.registries),
            "tasks": dict(sorted(self.tasks.items())),
        }
        write_atomically(path, json.dumps(document, indent=2) + "\n")


def load_index(path: Path) -> FoldIndex | None:
    """Read an index; None where the file holds contracts. A study's manifest knows the file by its digest."""
    document = read_json(path)
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        return None
    return FoldIndex(tuple(document["registries"]), document["tasks"])


def load_registries(folder: Path, index: FoldIndex) -> tuple[Registry, ...]:
    """Read the contracts of every fold, in order."""
    return tuple(Registry.load(folder / name) for name in index.registries)
