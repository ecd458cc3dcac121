"""Mining in profile `full`: bounded evidence, dealt into parts by task, and clauses accepted under a false-alarm budget."""

from collections.abc import Iterator

from ._acceptance import BUDGET, PARTS, accept
from ._evidence import Evidence
from ._past import Past, records_to_remember
from ._pooling import pool_shapes
from ._seen import Seen
from ._shapes import Shape
from .rules import KINDS, Candidate

__all__ = ["Learned"]

OPEN_SESSIONS = 64
"""Sessions whose calls may be interleaved in the traces."""


class Learned:
    """The evidence of each tool, in parts."""

    def __init__(self, budget: float = BUDGET) -> None:
        self._budget = budget
        self._kinds = tuple(kind for kind in KINDS.values() if "full" in kind.profiles)
        self._pasts: dict[str | None, Past] = {}
        self._parts: tuple[dict[str, Evidence], ...] = tuple({} for _ in range(PARTS))

    def add(self, seen: Seen) -> None:
        """Observe one call."""
        # Folds are dealt by the same hash: its upper half keeps the two apart.
        part = self._parts[(seen.task >> 32) % PARTS]
        if seen.tool not in part:
            part[seen.tool] = Evidence()
        evidence = part[seen.tool]
        evidence.observe(seen)
        if seen.session is not None:
            self._recall(seen, evidence)

    def _recall(self, seen: Seen, evidence: Evidence) -> None:
        """Hold a call against what its session has said so far; the calls of a session come in order and from one part."""
        past = self._pasts.pop(seen.session, None) or Past()
        self._pasts[seen.session] = past
        if len(self._pasts) > OPEN_SESSIONS:
            self._pasts.pop(next(iter(self._pasts)))
        past.called(seen.tool, seen.arguments)
        records = records_to_remember(seen.arguments, seen.result)
        evidence.recall(past.recall(seen.tool, seen.arguments, records), seen.task)
        past.remember(seen.tool, seen.arguments, records)

    def merge(self, other: "Learned") -> None:
        """Add all that another has observed."""
        for mine, theirs in zip(self._parts, other._parts, strict=True):  # noqa: SLF001 - of the same class
            for tool, evidence in theirs.items():
                if tool not in mine:
                    mine[tool] = Evidence()
                mine[tool].merge(evidence)

    def tools(self) -> set[str]:
        """Return the tools observed."""
        return {tool for part in self._parts for tool in part}

    def shapes(self) -> tuple[Shape, ...]:
        """Return what objects have in common, whatever the tool."""
        return pool_shapes(self._parts)

    def candidates(self) -> Iterator[tuple[str, Candidate]]:
        """Yield each clause that the evidence suggests, with its tool, accepted or refused."""
        return accept(self._parts, self._kinds, self._budget)
