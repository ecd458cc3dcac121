"""What the kinds have in common that hold a result against the earlier ones of its session."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from outcome_monitors.features.session import What
from outcome_monitors.model import Clause, Json, Violation

from .kind import Beside, Bind, Candidate, Kind
from .traits import Mining, Traits

if TYPE_CHECKING:
    # As in `kind`.
    from outcome_monitors.rules.evidence.evidence import Evidence
    from outcome_monitors.rules.evidence.samples import Witness

__all__ = ["LEAST_CALLS", "MOST_BROKEN", "SessionKind", "What", "enough"]

LEAST_CALLS = 3
MOST_BROKEN = 0.01
"""Of the calls that could show it, the share that may show otherwise: traces have label noise."""


class SessionKind(Kind):
    """A kind that says nothing of a result by itself."""

    traits = Traits(about="session", of_the_day=True)
    mining = Mining(exact=True, budget_weight=3.0)

    def what(self, clause: Clause) -> What:
        """Return what is recalled of the session."""
        raise NotImplementedError

    def violation(self, clause: Clause, before: Json, now: Json) -> Violation:
        """Say what is wrong with what is said now."""
        raise NotImplementedError

    def fires(self, clause: Clause, evidence: Evidence) -> Mapping[int, int]:
        """Look for what did not hold in other sessions."""
        _, broken = held(evidence, self.what(clause))
        return {broken.first: broken.calls} if broken else {}

    def check(self, clause: Clause, arguments: Mapping[str, Json], result: Json) -> Iterator[Violation]:
        """Say nothing of a result by itself."""
        return iter(())

    def fast(self, clause: Clause, bind: Bind, beside: Beside) -> str | None:
        """Nothing to test."""
        return "True"


def held(evidence: Evidence, what: What) -> tuple[Witness | None, Witness | None]:
    """Return in which tasks it held, and in which it did not."""
    sample = evidence.recalled.get(what)
    found = dict(sample.items()) if sample else {}
    return found.get(True), found.get(False)


def enough(evidence: Evidence, what: What, clause: Clause, least: int = LEAST_CALLS) -> Candidate | None:
    """Return a clause that held in the sessions of more than one task, and hardly ever did not; None of any other."""
    kept, broken = held(evidence, what)
    if kept is None or kept.alone or kept.calls < least:
        return None
    if broken is not None and broken.calls > MOST_BROKEN * kept.calls:
        return None
    supported = replace(clause, samples=kept.calls, tasks=evidence.tasks(clause.path))
    return Candidate(supported, "", {broken.first: broken.calls} if broken else {})
