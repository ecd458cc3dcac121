"""`monotonic`: counts and times do not run backwards: the last update of an order, the number of the next message, a clock.

Checked where a session is kept (`Monitor.session`), against the highest that it has heard. A tool that writes changes nothing
about it: it moves a count on.
"""

from collections.abc import Mapping
from dataclasses import replace

from outcome_monitors.features.feature import Sort
from outcome_monitors.features.session.high_water_marks import ONWARD, THE_TOOL
from outcome_monitors.jsonvalue.display import clip
from outcome_monitors.model import Clause, Json, Violation

from .base.record import described, is_feature, is_of, noun, place_of
from .base.session import SessionKind, What
from .base.traits import Cause
from .config import CONFIG

__all__ = ["Monotonic"]


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

    def about(self, what: What) -> Mapping[str, Json] | None:
        _, key, field = what
        return {"key": key.removeprefix(ONWARD), "field": field} if key.startswith(ONWARD) else None

    def least_calls(self, params: Mapping[str, Json]) -> int:
        return CONFIG.monotonic_steps

    def what(self, clause: Clause) -> What:
        return clause.path, ONWARD + clause.params["key"], clause.params["field"]

    def violation(self, clause: Clause, before: Json, now: Json) -> Violation:
        field = clause.params["field"]
        detail = f"{described(field)} is below what this session heard before {_of(clause)}"
        return Violation(
            self.code, place_of(clause.path, field), f"not below {clip(before)}", clip(now), detail
        )

    def explain(self, clause: Clause) -> str:
        return f"within a session, {described(clause.params['field'])} does not run backwards {_of(clause)}"


def _of(clause: Clause) -> str:
    key = clause.params["key"]
    return "from call to call" if key == THE_TOOL else f"for the same {noun(key)}"
