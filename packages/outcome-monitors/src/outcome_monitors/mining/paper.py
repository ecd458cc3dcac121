"""Mining as published: Algorithm 2 of the paper, over the fields of object results."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from outcome_monitors.contracts.privacy import without_private
from outcome_monitors.contracts.shapes import Shape
from outcome_monitors.features.walk import WalkedCall
from outcome_monitors.model import Clause
from outcome_monitors.rules import KINDS, Candidate
from outcome_monitors.rules.base.kind import Counting, State
from outcome_monitors.rules.base.support import Ground, Presence


@dataclass(slots=True)
class Observed:
    """What was observed of one tool."""

    presence: Presence = field(default_factory=Presence)
    states: dict[str, State] = field(default_factory=dict)

    @property
    def calls(self) -> int:
        """How many calls there were."""
        return self.presence.calls


class PaperObservations:
    """The state of every published rule kind, for each tool."""

    def __init__(self, profile: str = "paper") -> None:
        self._profile = profile
        self._kinds = tuple(
            kind for kind in KINDS.values() if profile in kind.mining.profiles and isinstance(kind, Counting)
        )
        self._tools: dict[str, Observed] = {}

    def add(self, seen: WalkedCall) -> None:
        """Observe one call."""
        tool = self._tool(seen.tool)
        tool.presence.observe(seen)
        for kind in self._kinds:
            kind.observe(tool.states[kind.name], seen)

    def merge(self, other: "PaperObservations") -> None:
        """Add all that another has observed."""
        for name, theirs in other._tools.items():  # noqa: SLF001 - of the same class
            mine = self._tool(name)
            mine.presence.merge(theirs.presence)
            for kind in self._kinds:
                kind.merge(mine.states[kind.name], theirs.states[kind.name])

    @property
    def parts(self) -> tuple[dict[str, Observed]]:
        """What was observed of each tool, in one part."""
        return (self._tools,)

    def tools(self) -> set[str]:
        """Return the tools observed."""
        return set(self._tools)

    def taken_back(self, _tool: str) -> tuple[Clause, ...]:
        """Return nothing: the published profile has no built-in rules."""
        return ()

    def shapes(self) -> tuple[Shape, ...]:
        """Return nothing: the paper's contracts are those of tools."""
        return ()

    def candidates(
        self, workers: int = 1, shown: object = None, again: object = None
    ) -> Iterator[tuple[str, Candidate]]:
        """Yield each clause that the observations suggest, with its tool, accepted or refused; that is soon done, by one, and as published."""
        for name in sorted(self._tools):
            tool = self._tools[name]
            ground = Ground(self._profile, tool.presence)
            for kind in self._kinds:
                for candidate in kind.accept(tool.states[kind.name], ground):
                    yield name, without_private(candidate)

    def _tool(self, name: str) -> Observed:
        tool = self._tools.get(name)
        if tool is None:
            tool = self._tools[name] = Observed(states={kind.name: kind.start() for kind in self._kinds})
        return tool
