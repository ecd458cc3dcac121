"""Mining in profile `full`: bounded evidence, dealt into parts by task, and clauses accepted under a false-alarm budget."""

from collections.abc import Iterator

from outcome_monitors.contracts.shapes import Shape
from outcome_monitors.evidence.evidence import Evidence, FeaturesByPath
from outcome_monitors.memory.past import Past
from outcome_monitors.model import Call
from outcome_monitors.records.walk import Seen
from outcome_monitors.records.witness import task_hash
from outcome_monitors.rules import KINDS, Candidate

from .buckets import bucket_of
from .budget import BUDGET, PARTS, accept
from .extraction_cache import Extracted, extract, extracted
from .shapes import pool_shapes

__all__ = ["FullObservations"]

OPEN_SESSIONS = 8
"""Sessions of one bucket (`buckets`) whose calls may be interleaved in the traces. A hundred at once are safe, and a thousand at most are held."""

AT_ONCE = 16
"""Calls of one tool that are added to its evidence at once; more of them gain little."""
MANY = 2000
"""Values in those calls, after which no more are waited for: of large results even a few take much room."""


class FullObservations:
    """The evidence of each tool, in parts."""

    def __init__(self, budget: float = BUDGET) -> None:
        self._budget = budget
        self._kinds = tuple(kind for kind in KINDS.values() if "full" in kind.profiles)
        self._pasts: dict[int, dict[str, Past]] = {}
        self._parts: tuple[dict[str, Evidence], ...] = tuple({} for _ in range(PARTS))
        self._waiting: dict[tuple[int, str], _Waiting] = {}

    def add(self, seen: Seen) -> None:
        """Observe a call that was looked at."""
        self._add(extract(seen), seen.task, seen.session)

    def add_call(self, call: Call) -> None:
        """Observe a call of which nothing is hidden; one with a number that no file can hold would be none of any contract."""
        found = extracted(call)
        if found is not None:
            self._add(found, task_hash(call), call.session)

    def _add(self, found: Extracted, task: int, session: str | None) -> None:
        """Observe a call: at once what its session says of it, the rest with the next calls of the tool."""
        seen = found.seen
        # Folds are dealt by the same hash: its upper half keeps the two apart.
        part = (task >> 32) % PARTS
        waiting = self._waiting.get((part, seen.tool))
        if waiting is None:
            evidence = self._parts[part].setdefault(seen.tool, Evidence())
            waiting = self._waiting[part, seen.tool] = _Waiting(evidence)
        waiting.add(seen, found.features, task)
        if session is not None and found.heard is not None:
            past = self._past(session)
            if seen.hidden:
                past.missed(seen.tool)
            else:
                past.called(seen.tool, seen.arguments)
                waiting.evidence.recall(past.recall(seen.tool, found.heard), task)
                past.remember(seen.tool, found.heard)

    def _settle(self) -> None:
        """Add all that waits."""
        for waiting in self._waiting.values():
            waiting.settle()
        # Whoever asks for the parts may put other evidence in them.
        self._waiting.clear()

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
        for mine, theirs in zip(self.parts, other.parts, strict=True):
            for tool, evidence in theirs.items():
                if tool not in mine:
                    mine[tool] = Evidence()
                mine[tool].merge(evidence)

    def __getstate__(self) -> tuple[float, tuple[dict[str, Evidence], ...]]:
        """Leave the sessions behind: the calls of one are observed in one place."""
        return self._budget, self.parts

    def __setstate__(self, state: tuple[float, tuple[dict[str, Evidence], ...]]) -> None:
        budget, parts = state
        FullObservations.__init__(self, budget)
        self._parts = parts

    @property
    def parts(self) -> tuple[dict[str, Evidence], ...]:
        """The evidence of each tool, in each part."""
        self._settle()
        return self._parts

    def tools(self) -> set[str]:
        """Return the tools observed."""
        return {tool for part in self._parts for tool in part}

    def shapes(self) -> tuple[Shape, ...]:
        """Return what objects have in common, whatever the tool."""
        return pool_shapes(self.parts)

    def candidates(self, workers: int = 1) -> Iterator[tuple[str, Candidate]]:
        """Yield each clause that the evidence suggests, with its tool, accepted or refused."""
        return accept(self.parts, self._kinds, self._budget, workers)


class _Waiting:
    """Calls of a tool that are not in its evidence yet."""

    __slots__ = ("_calls", "_values", "evidence")

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence
        self._calls: list[tuple[Seen, FeaturesByPath, int]] = []
        self._values = 0

    def add(self, seen: Seen, features: FeaturesByPath, task: int) -> None:
        self._calls.append((seen, features, task))
        self._values += sum(map(len, seen.values.values()))
        if len(self._calls) == AT_ONCE or self._values > MANY:
            self.settle()

    def settle(self) -> None:
        if self._calls:
            self.evidence.observe_all(self._calls)
            self._calls, self._values = [], 0
