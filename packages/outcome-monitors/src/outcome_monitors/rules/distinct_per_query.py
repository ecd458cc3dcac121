"""`distinct_per_query`: another question has another answer: no page that repeats, no id that was given before, no answer left over.

Checked where a session is kept (`Monitor.session`), against the earlier calls of the same tool with other arguments; of a tool that
writes, against all its earlier calls.
"""

from collections.abc import Iterator
from dataclasses import replace

from outcome_monitors.features.feature import Sort
from outcome_monitors.features.session.answers import OTHERS, WHOLE
from outcome_monitors.jsonvalue.display import clip
from outcome_monitors.jsonvalue.paths import ROOT
from outcome_monitors.model import Clause, Json, Violation
from outcome_monitors.rules.evidence.evidence import Evidence

from .base.kind import Candidate
from .base.record import is_of, place_of, said
from .base.session import LEAST_CALLS, SessionKind, What, enough
from .base.traits import Cause

__all__ = ["DistinctPerQuery"]

LEAST_WHOLE = 10
"""Calls whose answers as a whole were never the same: of a few, that is an accident."""


class DistinctPerQuery(SessionKind):
    """What a call gives was not given to another call of the session."""

    name = "distinct_per_query"
    code = "answer_repeated"
    cause = Cause.REPEATED
    mining = replace(SessionKind.mining, judged="field")
    identity = ("field",)
    params = {"field": lambda v: v == WHOLE or is_of(v, Sort.FIELD)}

    def suggest(self, evidence: Evidence) -> Iterator[Candidate]:
        """Suggest it of an answer, or an id in it, that was never that of another call."""
        for path, key, field in sorted(evidence.recalled):
            if key == OTHERS:
                clause = Clause(self.name, ROOT, {"field": field}, 0, 0, "traces")
                least = LEAST_WHOLE if field == WHOLE else LEAST_CALLS
                candidate = enough(evidence, (path, key, field), clause, least)
                if candidate is not None:
                    yield candidate

    def what(self, clause: Clause) -> What:
        return ROOT, OTHERS, clause.params["field"]

    def violation(self, clause: Clause, before: Json, now: Json) -> Violation:
        field = clause.params["field"]
        if field == WHOLE:
            detail = "the answer is the one that the session was given for other arguments"
            return Violation(self.code, ROOT, "another answer", "the same answer again", detail)
        detail = f"{said(field)} was given before in this session, for another call"
        return Violation(self.code, place_of(ROOT, field), "a value not given before", clip(now), detail)

    def explain(self, clause: Clause) -> str:
        field = clause.params["field"]
        what = "the answer" if field == WHOLE else said(field)
        return f"within a session, {what} is another one for each call"
