"""What the kinds have in common that hold a result against the earlier ones of its session."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from outcome_monitors.features.session import What
from outcome_monitors.model import Clause, Json, Violation

from .kind import Beside, Bind, Candidate, Kind
from .traits import Mining, Traits

if TYPE_CHECKING:
    # As in `kind`.
    from outcome_monitors.rules.evidence.evidence import Evidence
    from outcome_monitors.rules.evidence.samples import Witness
from outcome_monitors.rules.config import CONFIG


class SessionKind(Kind):
    """A kind that says nothing of a result by itself."""

    traits = Traits(about="session", of_the_day=True, never_normal=True)
    mining = Mining(budget_weight=3.0)

    def about(self, what: What) -> Mapping[str, Json] | None:
        """Return the parameters of a clause on what is recalled of sessions; None of what another kind is about."""
        raise NotImplementedError

    def least_calls(self, params: Mapping[str, Json]) -> int:
        """Return in how many calls it must have held: of a few, that is an accident."""
        return CONFIG.session_calls

    def suggest(self, evidence: Evidence) -> Iterator[Candidate]:
        """Suggest what held in the sessions of more than one task, and hardly ever did not."""
        for what in sorted(evidence.recalled):
            params = self.about(what)
            kept, broken = held(evidence, what)
            if params is None or kept is None or kept.alone or kept.calls < self.least_calls(params):
                continue
            if broken is None or broken.calls <= CONFIG.label_noise * kept.calls:
                clause = Clause(self.name, what[0], params, kept.calls, evidence.tasks(what[0]), "traces")
                yield Candidate(clause, "", {broken.first: broken.calls} if broken else {})

    def what(self, clause: Clause) -> What:
        """Return what is recalled of the session for a clause."""
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
