"""Contracts for keeping, learned from all workflows, and contracts for judging, each blind to those that it judges."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from outcome_monitors.checking.monitor import Monitor
from outcome_monitors.contracts.folds import FoldIndex, fold_of
from outcome_monitors.contracts.registry import Registry
from outcome_monitors.mining.observations import mine
from outcome_monitors.model import Call
from outcome_monitors.records.witness import task_name
from outcome_monitors.recovery.relations import Relations

from ._settings import DemoProgress, DemoSettings

__all__ = ["DemoContracts", "learn"]


@dataclass(frozen=True, slots=True)
class DemoContracts:
    """The contracts, and who may judge what."""

    whole: Registry
    """Learned from all workflows: the one to take away. It judges nothing here."""
    registries: tuple[Registry, ...]
    """One a fold, learned without it."""
    monitors: tuple[Monitor, ...]
    """One for each registry."""
    folds: dict[str, int]
    """The fold of each workflow."""
    relations: Relations

    def judge(self, task: str) -> Monitor:
        """Return the monitor that never saw a workflow."""
        return self.monitors[self.folds[task]]

    def save(self, folder: Path) -> None:
        """Write the contracts, the registries with their index, and the relations."""
        self.whole.save(folder / "contracts.json")
        self.relations.save(folder / "relations.json")
        names = tuple(f"folds.fold{fold}.json" for fold in range(len(self.registries)))
        for name, registry in zip(names, self.registries, strict=True):
            registry.save(folder / name)
        FoldIndex(names, self.folds).save(folder / "folds.json")


def learn(
    calls: Sequence[Call], relations: Relations, settings: DemoSettings, progress: DemoProgress
) -> DemoContracts:
    """Mine the contracts."""
    whole, *registries = progress(_mined(calls, settings), "contract file")
    return DemoContracts(
        whole=whole,
        registries=tuple(registries),
        monitors=tuple(Monitor(registry, relations) for registry in registries),
        folds={task_name(call): fold_of(call, settings.folds) for call in calls},
        relations=relations,
    )


def _mined(calls: Sequence[Call], settings: DemoSettings) -> Iterable[Registry]:
    yield mine(calls, settings.profile)
    for fold in range(settings.folds):
        yield mine((call for call in calls if fold_of(call, settings.folds) != fold), settings.profile)
