"""`monotonic`: counts and times do not run backwards: the last update of an order, the number of the next message, a clock.

Checked where a session is kept (`Monitor.session`), against the highest that it has heard. A tool that writes changes nothing
about it: it moves a count on.
"""

from collections.abc import Iterator
from dataclasses import replace

from outcome_monitors.features.feature import Sort
from outcome_monitors.features.session.high_water_marks import ONWARD, THE_TOOL
from outcome_monitors.jsonvalue.display import clip
from outcome_monitors.model import Clause, Json, Violation
from outcome_monitors.rules.evidence.evidence import Evidence

from .base.kind import Candidate
from .base.record import is_feature, is_of, noun, place_of, said
from .base.session import SessionKind, What, enough
from .base.traits import Cause

__all__ = ["Monotonic"]

LEAST_STEPS = 10
"""So many calls in which it moved, and went on: as many that went up by chance are one in a thousand."""


class Monotonic(SessionKind):
    """A number or time is never below what the session has heard before."""

    name = "monotonic"
    code = "ran_backwards"
    cause = Cause.OLDER
    mining = replace(SessionKind.mining, judged="field")
    identity = ("key", "field")
    params = {
        "key": lambda v: is_feature(v) or v == THE_TOOL,
        "field": lambda v: is_of(v, Sort.FIELD),
    }

    def suggest(self, evidence: Evidence) -> Iterator[Candidate]:
        """Suggest, for each key, the fields that moved in the sessions of more than one task, and went on."""
        for path, key, field in sorted(evidence.recalled):
            if key.startswith(ONWARD):
                params = {"key": key.removeprefix(ONWARD), "field": field}
                clause = Clause(self.name, path, params, 0, 0, "traces")
                candidate = enough(evidence, (path, key, field), clause, LEAST_STEPS)
                if candidate is not None:
                    yield candidate

    def what(self, clause: Clause) -> What:
        return clause.path, ONWARD + clause.params["key"], clause.params["field"]

    def violation(self, clause: Clause, before: Json, now: Json) -> Violation:
        field = clause.params["field"]
        detail = f"{said(field)} is below what this session heard before {_of(clause)}"
        return Violation(
            self.code, place_of(clause.path, field), f"not below {clip(before)}", clip(now), detail
        )

    def explain(self, clause: Clause) -> str:
        return f"within a session, {said(clause.params['field'])} does not run backwards {_of(clause)}"


def _of(clause: Clause) -> str:
    key = clause.params["key"]
    return "from call to call" if key == THE_TOOL else f"for the same {noun(key)}"
