"""Mining in profile `full`: bounded evidence, dealt into parts by task, and clauses accepted under a false-alarm budget."""

from collections.abc import Iterator

from outcome_monitors.contracts.shapes import Shape
from outcome_monitors.evidence.evidence import Evidence
from outcome_monitors.memory.past import Past, Records, all_of
from outcome_monitors.records.walk import Seen
from outcome_monitors.rules import KINDS, Candidate

from .buckets import bucket_of
from .budget import BUDGET, PARTS, accept
from .extraction_cache import extracted
from .shapes import pool_shapes

__all__ = ["FullObservations"]

OPEN_SESSIONS = 8
"""Sessions of one bucket (`buckets`) whose calls may be interleaved in the traces. A hundred at once are safe, and a thousand at most are held."""


class FullObservations:
    """The evidence of each tool, in parts."""

    def __init__(self, budget: float = BUDGET) -> None:
        self._budget = budget
        self._kinds = tuple(kind for kind in KINDS.values() if "full" in kind.profiles)
        self._pasts: dict[int, dict[str, Past]] = {}
        self._parts: tuple[dict[str, Evidence], ...] = tuple({} for _ in range(PARTS))

    def add(self, seen: Seen) -> None:
        """Observe one call."""
        # Folds are dealt by the same hash: its upper half keeps the two apart.
        part = self._parts[(seen.task >> 32) % PARTS]
        if seen.tool not in part:
            part[seen.tool] = Evidence()
        evidence, found = part[seen.tool], extracted(seen)
        evidence.observe(seen, found.features)
        if seen.session is not None:
            past = self._past(seen.session)
            if seen.hidden:
                past.missed(seen.tool)
            else:
                _recall(past, seen, evidence, found.to_remember)

    def _past(self, session: str) -> Past:
        """Return what a session has said so far; which ones are forgotten depends on those of the same bucket alone."""
        pasts = self._pasts.setdefault(bucket_of(session), {})
        past = pasts.pop(session, None) or Past()
        pasts[session] = past
        if len(pasts) > OPEN_SESSIONS:
            pasts.pop(next(iter(pasts)))
        return past

    def merge(self, other: "FullObservations") -> None:
        """Add all that another has observed."""
        for mine, theirs in zip(self._parts, other._parts, strict=True):  # noqa: SLF001 - of the same class
            for tool, evidence in theirs.items():
                if tool not in mine:
                    mine[tool] = Evidence()
                mine[tool].merge(evidence)

    def __getstate__(self) -> tuple[float, tuple[dict[str, Evidence], ...]]:
        """Leave the sessions behind: the calls of one are observed in one place."""
        return self._budget, self._parts

    def __setstate__(self, state: tuple[float, tuple[dict[str, Evidence], ...]]) -> None:
        budget, parts = state
        FullObservations.__init__(self, budget)
        self._parts = parts

    @property
    def parts(self) -> tuple[dict[str, Evidence], ...]:
        """The evidence of each tool, in each part."""
        return self._parts

    def tools(self) -> set[str]:
        """Return the tools observed."""
        return {tool for part in self._parts for tool in part}

    def shapes(self) -> tuple[Shape, ...]:
        """Return what objects have in common, whatever the tool."""
        return pool_shapes(self._parts)

    def candidates(self, workers: int = 1) -> Iterator[tuple[str, Candidate]]:
        """Yield each clause that the evidence suggests, with its tool, accepted or refused."""
        return accept(self._parts, self._kinds, self._budget, workers)


def _recall(past: Past, seen: Seen, evidence: Evidence, records: Records) -> None:
    """Hold a call against what its session has said so far; the calls of a session come in order and from one part."""
    heard = all_of(seen.tool, seen.arguments, records)
    past.called(seen.tool, seen.arguments)
    evidence.recall(past.recall(seen.tool, seen.arguments, heard), seen.task)
    past.remember(seen.tool, seen.arguments, heard)
