"""Mining in profile `full`: bounded evidence, dealt into parts by task, and clauses accepted under a false-alarm budget."""

from collections.abc import Iterator

from outcome_monitors.contracts.shapes import Shape
from outcome_monitors.features.extraction import features_of
from outcome_monitors.features.session.state import SessionState, extract, records_to_remember
from outcome_monitors.features.walk import Seen
from outcome_monitors.rules import KINDS, Candidate
from outcome_monitors.rules.evidence.evidence import Evidence, FeaturesByPath

from .buckets import bucket_of
from .budget import BUDGET, accept
from .config import CONFIG
from .shapes import pool_shapes

__all__ = ["FullObservations"]


class FullObservations:
    """The evidence of each tool, in parts."""

    def __init__(self, budget: float = BUDGET) -> None:
        self._budget = budget
        self._kinds = tuple(kind for kind in KINDS.values() if "full" in kind.mining.profiles)
        self._pasts: dict[int, dict[str, SessionState]] = {}
        self._parts: tuple[dict[str, Evidence], ...] = tuple({} for _ in range(CONFIG.parts))
        self._waiting: dict[tuple[int, str], _Waiting] = {}

    def add(self, seen: Seen) -> None:
        """Observe a call that was looked at: at once what its session says of it, the rest with the next calls of the tool."""
        features = list(features_of(seen))
        _copy_lists(seen)
        # Folds are dealt by the same hash: its upper half keeps the two apart.
        part = (seen.task >> 32) % CONFIG.parts
        waiting = self._waiting.get((part, seen.tool))
        if waiting is None:
            evidence = self._parts[part].setdefault(seen.tool, Evidence())
            waiting = self._waiting[part, seen.tool] = _Waiting(evidence)
        waiting.add(seen, features)
        if seen.session is not None:
            records = records_to_remember(seen.arguments, seen.result, seen.found)
            heard = extract(seen.tool, seen.arguments, records)
            past = self._past(seen.session)
            if seen.hidden:
                past.missed(seen.tool)
            else:
                past.called(seen.tool, seen.arguments)
                waiting.evidence.recall(past.recall(seen.tool, heard), seen.task)
                past.remember(seen.tool, heard)

    def _settle(self) -> None:
        """Add all that waits."""
        for waiting in self._waiting.values():
            waiting.settle()
        # Whoever asks for the parts may put other evidence in them.
        self._waiting.clear()

    def _past(self, session: str) -> SessionState:
        """Return what a session has said so far; which ones are forgotten depends on those of the same bucket alone."""
        pasts = self._pasts.setdefault(bucket_of(session), {})
        past = pasts.pop(session, None) or SessionState()
        pasts[session] = past
        if len(pasts) > CONFIG.open_sessions:
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
        self._calls: list[tuple[Seen, FeaturesByPath]] = []
        self._values = 0

    def add(self, seen: Seen, features: FeaturesByPath) -> None:
        self._calls.append((seen, features))
        self._values += sum(map(len, seen.values.values()))
        # More gain little, and of large results even a few take much room.
        if len(self._calls) == 16 or self._values > 2000:
            self.settle()

    def settle(self) -> None:
        if self._calls:
            self.evidence.observe_all(self._calls)
            self._calls, self._values = [], 0


def _copy_lists(seen: Seen) -> None:
    """Put copies in the place of lists: they are counted later, and the caller may have changed them by then."""
    for path, values in seen.values.items():
        if list in {*map(type, values)}:
            seen.values[path] = [[*value] if type(value) is list else value for value in values]
