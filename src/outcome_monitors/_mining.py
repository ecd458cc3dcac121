"""From clean calls to contracts: observe, merge, accept.

`Observations` is all that mining keeps: for each tool, the state of every rule kind. It is small, it merges, and what it
yields depends on the calls alone, not on their order or on how they were split.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from ._model import Call, Contract
from ._registry import Registry, in_order
from ._seen import look
from ._tasks import stable_hash, task_name
from .rules import KINDS, Candidate
from .rules._ground import Ground, Presence
from .rules._kind import State

__all__ = ["DEFAULT_PROFILE", "PROFILES", "Mined", "Observations", "fold_of", "mine", "mine_folds"]

PROFILES = {"paper": 1}
"""Each profile, and how deep into a result it looks."""
DEFAULT_PROFILE = "paper"


@dataclass(slots=True)
class _Tool:
    """What was observed of one tool."""

    presence: Presence = field(default_factory=Presence)
    states: dict[str, State] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Mined:
    """Contracts, and how they came about."""

    registry: Registry
    calls: int
    candidates: int
    accepted: int


class Observations:
    """What was observed of a set of calls."""

    def __init__(self, profile: str = "paper") -> None:
        self.profile = profile
        self._depth = PROFILES[profile]
        self._kinds = tuple(kind for kind in KINDS.values() if profile in kind.profiles)
        self._tools: dict[str, _Tool] = {}
        self.calls = 0

    def add(self, call: Call) -> None:
        """Observe one call; one that failed openly says nothing about clean results."""
        if call.error:
            return
        self.calls += 1
        seen = look(call, self._depth)
        tool = self._tool(call.tool)
        tool.presence.observe(seen)
        for kind in self._kinds:
            kind.observe(tool.states[kind.name], seen)

    def merge(self, other: "Observations") -> None:
        """Add all that another has observed."""
        self.calls += other.calls
        for name, theirs in other._tools.items():  # noqa: SLF001 - of the same class
            mine = self._tool(name)
            mine.presence.merge(theirs.presence)
            for kind in self._kinds:
                kind.merge(mine.states[kind.name], theirs.states[kind.name])

    def candidates(self) -> Iterator[tuple[str, Candidate]]:
        """Yield each clause that the observations suggest, with its tool, accepted or refused."""
        for name in sorted(self._tools):
            tool = self._tools[name]
            ground = Ground(self.profile, tool.presence)
            for kind in self._kinds:
                for candidate in kind.accept(tool.states[kind.name], ground):
                    yield name, candidate

    def contracts(self) -> Mined:
        """Accept what can be accepted, and write it as contracts."""
        accepted: dict[str, list[Candidate]] = {name: [] for name in sorted(self._tools)}
        count = 0
        for name, candidate in self.candidates():
            count += 1
            if not candidate.refused:
                accepted[name].append(candidate)
        contracts = {
            name: Contract(name, in_order(candidate.clause for candidate in found))
            for name, found in accepted.items()
        }
        return Mined(Registry(contracts, self.profile), self.calls, count, sum(map(len, accepted.values())))

    def _tool(self, name: str) -> _Tool:
        tool = self._tools.get(name)
        if tool is None:
            tool = self._tools[name] = _Tool(states={kind.name: kind.start() for kind in self._kinds})
        return tool


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
    calls: Iterable[Call], folds: int, profile: str = "paper"
) -> tuple[list[Mined], dict[str, int]]:
    """Learn one registry a fold, each without that fold's tasks; also return which task is in which fold."""
    parts = [Observations(profile) for _ in range(folds)]
    tasks: dict[str, int] = {}
    for call in calls:
        fold = fold_of(call, folds)
        tasks[task_name(call)] = fold
        parts[fold].add(call)
    mined: list[Mined] = []
    for left_out in range(folds):
        together = Observations(profile)
        for fold, part in enumerate(parts):
            if fold != left_out:
                together.merge(part)
        mined.append(together.contracts())
    return mined, tasks
