"""`memory`: what was said earlier in the session of an order, a user, the same question, is said again.

A clause names what identifies the record and a field that, in clean sessions, stayed as it was until a tool that writes was
called. It is checked where a session is kept (`Monitor.session`); a single result is not held against it.
"""

from collections.abc import Iterator

from outcome_monitors.evidence.evidence import Evidence
from outcome_monitors.model import Clause, Json, Violation
from outcome_monitors.records.features import shown
from outcome_monitors.values.display import clip

from .base.kind import Candidate
from .base.record import is_feature, noun, place_of, said
from .base.session import SessionKind, What, enough
from .base.traits import Cause

__all__ = ["Memory"]


class Memory(SessionKind):
    """The fields of a record are as they were when the session last heard of it."""

    name = "memory"
    code = "remembered_fact_contradicted"
    cause = Cause.DENIES_RUN
    judged = "field"
    identity = ("key", "field")
    params = {"key": is_feature, "field": is_feature}

    def suggest(self, evidence: Evidence) -> Iterator[Candidate]:
        """Suggest, for each key, the fields that were said again in the sessions of more than one task."""
        for path, key, field in sorted(evidence.recalled):
            if is_feature(key):
                params = {"key": key, "field": field}
                candidate = enough(
                    evidence, (path, key, field), Clause(self.name, path, params, 0, 0, "traces")
                )
                if candidate is not None:
                    yield candidate

    def what(self, clause: Clause) -> What:
        """Return what is recalled of the session."""
        return clause.path, clause.params["key"], clause.params["field"]

    def violation(self, clause: Clause, before: Json, now: Json) -> Violation:
        """Say what is wrong."""
        key, field = clause.params["key"], clause.params["field"]
        detail = f"{said(field)} is not what this session heard before for the same {noun(key)}"
        return Violation(
            self.code, place_of(clause.path, field), clip(shown(before)), clip(shown(now)), detail
        )

    def explain(self, clause: Clause) -> str:
        """Say it in words."""
        key, field = noun(clause.params["key"]), said(clause.params["field"])
        return f"within a session, {field} stays as it was for the same {key}"
