"""Mining in profile `full`: bounded evidence, dealt into parts by task, and clauses accepted under a false-alarm budget.

A call passes these steps, in this order:

    observe     its features are extracted and its session is recalled (`FullObservations.add`)
    propose     rule kinds propose clauses of a tool's own evidence, and of that of all objects of one shape (`validation.suggest`)
    validate    each proposal of three parts of the tasks is tried on the fourth (`validation.validate_on`)
    budget      those that fit into the false-alarm budget together are accepted (`budget.accept`)
    write       `Observations.contracts` makes a registry of them
"""

from collections.abc import Iterator, Mapping, Sequence

from outcome_monitors.contracts.shapes import Shape
from outcome_monitors.features.extraction import features_of
from outcome_monitors.features.session.state import SessionState, extract, records_to_remember
from outcome_monitors.features.walk import WalkedCall
from outcome_monitors.model import Clause
from outcome_monitors.rules import KINDS, Candidate
from outcome_monitors.rules.base.kind import Kind
from outcome_monitors.rules.evidence.evidence import Evidence, together

from .budget import BUDGET, accept
from .config import CONFIG
from .parallel import bucket_of, each_part
from .priors import PriorTable, public_priors
from .shapes import pool_shapes
from .taken_back import taken_back, violated
from .validation import part_of, suggest, validate_on
from .verification import Again, Shown, verified


class FullObservations:
    """The evidence of each tool, in parts."""

    def __init__(self, budget: float = BUDGET) -> None:
        self._budget = budget
        self._kinds = tuple(kind for kind in KINDS.values() if "full" in kind.mining.profiles)
        self._sessions: dict[int, dict[str, SessionState]] = {}
        self.parts: tuple[dict[str, Evidence], ...] = tuple({} for _ in range(CONFIG.parts))
        """The evidence of each tool, in each part."""

    def add(self, seen: WalkedCall) -> None:
        """Observe a call."""
        part = self.parts[part_of(seen.task)]
        evidence = part.setdefault(seen.tool, Evidence())
        evidence.observe_all([(seen, list(features_of(seen)))])
        evidence.note_violated(violated(seen), seen.task)
        if seen.session is not None:
            records = records_to_remember(seen.arguments, seen.result)
            entry = extract(seen.tool, seen.arguments, records)
            session = self._session(seen.session)
            if seen.hidden:
                session.missed(seen.tool)
            else:
                session.called(seen.tool, seen.arguments)
                evidence.recall(session.recall(seen.tool, entry), seen.task)
                session.remember(seen.tool, entry)

    def _session(self, name: str) -> SessionState:
        """Return the state of a session; which ones are forgotten depends on those of the same bucket alone."""
        sessions = self._sessions.setdefault(bucket_of(name), {})
        session = sessions.pop(name, None) or SessionState()
        sessions[name] = session
        if len(sessions) > CONFIG.open_sessions:
            sessions.pop(next(iter(sessions)))
        return session

    def merge(self, other: "FullObservations") -> None:
        """Add all that another has observed."""
        for mine, theirs in zip(self.parts, other.parts, strict=True):
            for tool, evidence in theirs.items():
                mine.setdefault(tool, Evidence()).merge(evidence)

    def __getstate__(self) -> tuple[float, tuple[dict[str, Evidence], ...]]:
        """Leave the sessions behind: the calls of one are observed in one place."""
        return self._budget, self.parts

    def __setstate__(self, state: tuple[float, tuple[dict[str, Evidence], ...]]) -> None:
        budget, parts = state
        FullObservations.__init__(self, budget)
        self.parts = parts

    def tools(self) -> set[str]:
        """Return the tools observed."""
        return {tool for part in self.parts for tool in part}

    def taken_back(self, tool: str) -> Iterator[Clause]:
        """Yield the clauses that switch built-in rules off for a tool."""
        return taken_back([part[tool] for part in self.parts if tool in part])

    def shapes(self) -> tuple[Shape, ...]:
        """Return what objects have in common, whatever the tool."""
        return pool_shapes(self.parts)

    def candidates(
        self, workers: int = 1, shown: Shown = lambda call: call, again: Again | None = None
    ) -> Iterator[tuple[str, Candidate]]:
        """Yield each clause that the evidence suggests, with its tool, accepted or refused."""
        return candidates(self.parts, self._kinds, self._budget, workers, shown=shown, again=again)


def candidates(
    parts: Sequence[Mapping[str, Evidence]],
    kinds: Sequence[Kind],
    budget: float,
    workers: int = 1,
    priors: PriorTable | None = None,
    *,
    shown: Shown = lambda call: call,
    again: Again | None = None,
) -> Iterator[tuple[str, Candidate]]:
    """Propose, validate, verify and accept clauses; `priors` in place of the public ones."""
    whole = together(parts)
    with each_part(lambda part: list(validate_on(part, parts, kinds)), len(parts), workers) as validated:
        proposed = suggest(whole, kinds)
        trials = [trial for found in validated for trial in found]
    if again is not None:
        trials = [*verified(trials, len(parts), shown, again)]
    return accept(whole, proposed, trials, budget, public_priors() if priors is None else priors)
