"""From clean calls to contracts: observe, merge, accept.

`Observations` is all that mining keeps. It is small, it merges, and what it yields depends on the calls alone, not on
their order or on how they were split. The two profiles keep different things: `_published` and `_learned`.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ._acceptance import BUDGET
from ._learned import Learned
from ._model import Call, Contract
from ._published import Published
from ._registry import Registry, in_order
from ._seen import DEEPEST, look
from ._tasks import stable_hash, task_name
from .rules import Candidate

__all__ = ["DEFAULT_PROFILE", "PROFILES", "Mined", "Observations", "fold_of", "mine", "mine_folds"]

PROFILES = {"full": DEEPEST, "paper": 1}
"""Each profile, and how deep into a result it looks."""
DEFAULT_PROFILE = "full"


@dataclass(frozen=True, slots=True)
class Mined:
    """Contracts, and how they came about."""

    registry: Registry
    calls: int
    candidates: int
    accepted: int


class Observations:
    """What was observed of a set of calls.

    `budget` is the share of clean results that profile `full` may flag; the published profile has none.
    """

    def __init__(self, profile: str = DEFAULT_PROFILE, budget: float = BUDGET) -> None:
        self.profile = profile
        self.calls = 0
        self._depth = PROFILES[profile]
        self._kept: Published | Learned = Published() if profile == "paper" else Learned(budget)

    def add(self, call: Call) -> None:
        """Observe one call; one that failed openly says nothing about clean results."""
        if not call.error:
            self.calls += 1
            self._kept.add(look(call, self._depth))

    def merge(self, other: "Observations") -> None:
        """Add all that another of the same profile has observed."""
        self.calls += other.calls
        self._kept.merge(other._kept)  # type: ignore[arg-type]  # noqa: SLF001 - of the same class and profile

    def candidates(self) -> Iterator[tuple[str, Candidate]]:
        """Yield each clause that the observations suggest, with its tool, accepted or refused."""
        return self._kept.candidates()

    def contracts(self) -> Mined:
        """Accept what can be accepted, and write it as contracts."""
        accepted: dict[str, list[Candidate]] = {name: [] for name in sorted(self._kept.tools())}
        count = 0
        for name, candidate in self.candidates():
            count += 1
            if not candidate.refused:
                accepted[name].append(candidate)
        contracts = {
            name: Contract(name, in_order(candidate.clause for candidate in found))
            for name, found in accepted.items()
        }
        registry = Registry(contracts, self.profile, self._kept.shapes())
        return Mined(registry, self.calls, count, sum(map(len, accepted.values())))


def mine(calls: Iterable[Call], profile: str = "paper") -> Registry:
    """Learn contracts from clean calls."""
    observations = Observations(profile)
    for call in calls:
        observations.add(call)
    return observations.contracts().registry


def fold_of(call: Call, folds: int) -> int:
    """Return the fold of a call: that of its task, so that no task is ever split."""
    return stable_hash(task_name(call)) % folds


def mine_folds(
    calls: Iterable[Call], folds: int, profile: str = "paper", budget: float = BUDGET
) -> tuple[list[Mined], dict[str, int]]:
    """Learn one registry a fold, each without that fold's tasks; also return which task is in which fold."""
    parts = [Observations(profile, budget) for _ in range(folds)]
    tasks: dict[str, int] = {}
    for call in calls:
        fold = fold_of(call, folds)
        tasks[task_name(call)] = fold
        parts[fold].add(call)
    mined: list[Mined] = []
    for left_out in range(folds):
        together = Observations(profile, budget)
        for fold, part in enumerate(parts):
            if fold != left_out:
                together.merge(part)
        mined.append(together.contracts())
    return mined, tasks
