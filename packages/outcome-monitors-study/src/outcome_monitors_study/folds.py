"""Contracts learned without some of the tasks (the paper's Algorithm 2).

Tasks of levels that nothing is sampled from are learned from in every fold: so the paper's 400 workflows give 1,800 inputs to five.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import chain
from typing import NamedTuple

from outcome_monitors.features.walk import fold_of
from outcome_monitors.mining.observations import Mined, Observations
from outcome_monitors.model import Call


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
