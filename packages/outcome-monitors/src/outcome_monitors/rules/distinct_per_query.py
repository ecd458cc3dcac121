"""`distinct_per_query`: another question has another answer: no page that repeats, no id that was given before, no answer left over.

Checked where a session is kept (`Monitor.session`), against the earlier calls of the same tool with other arguments; of a tool that
writes, against all its earlier calls.
"""

from collections.abc import Mapping
from dataclasses import replace

from outcome_monitors.features.feature import Sort
from outcome_monitors.features.session import What
from outcome_monitors.features.session.answers import OTHERS, WHOLE
from outcome_monitors.jsonvalue.display import clip
from outcome_monitors.jsonvalue.paths import ROOT
from outcome_monitors.model import Clause, Json, Violation

from .base.record import described, is_of, place_of
from .base.session import SessionKind
from .base.traits import Cause
from .config import CONFIG


class DistinctPerQuery(SessionKind):
    """What a call gives was not given to another call of the session."""

    name = "distinct_per_query"
    code = "answer_repeated"
    cause = Cause.REPEATED
    mining = replace(SessionKind.mining, judged="field")
    identity = ("field",)
    params = {"field": lambda v: v == WHOLE or is_of(v, Sort.FIELD)}

    def about(self, what: What) -> Mapping[str, Json] | None:
        _, key, field = what
        return {"field": field} if key == OTHERS else None

    def least_calls(self, params: Mapping[str, Json]) -> int:
        return CONFIG.distinct_whole_answers if params["field"] == WHOLE else CONFIG.session_calls

    def what(self, clause: Clause) -> What:
        return ROOT, OTHERS, clause.params["field"]

    def violation(self, clause: Clause, before: Json, now: Json) -> Violation:
        field = clause.params["field"]
        if field == WHOLE:
            detail = "the answer is the one that the session was given for other arguments"
            return Violation(self.code, ROOT, "another answer", "the same answer again", detail)
        detail = f"{described(field)} was given before in this session, for another call"
        return Violation(self.code, place_of(ROOT, field), "a value not given before", clip(now), detail)

    def explain(self, clause: Clause) -> str:
        field = clause.params["field"]
        what = "the answer" if field == WHOLE else described(field)
        return f"within a session, {what} is another one for each call"
