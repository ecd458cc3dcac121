"""`changes_after_write`: after a write, the answer to the same question is another one: no read that comes from before.

Checked where a session is kept (`Monitor.session`), for a tool that was asked the same before one write and after it.
"""

from collections.abc import Mapping

from outcome_monitors.features.session import What
from outcome_monitors.features.session.answers import AFTER, WHOLE
from outcome_monitors.jsonvalue.paths import ROOT
from outcome_monitors.model import Clause, Json, Violation

from .base.session import SessionKind
from .base.traits import Cause


class ChangesAfterWrite(SessionKind):
    """The answer has changed since a tool wrote."""

    name = "changes_after_write"
    code = "stale_after_write"
    cause = Cause.STALE
    identity = ("after",)
    params = {"after": lambda v: isinstance(v, str) and v != ""}

    def about(self, what: What) -> Mapping[str, Json] | None:
        _, key, _ = what
        return {"after": key.removeprefix(AFTER)} if key.startswith(AFTER) else None

    def what(self, clause: Clause) -> What:
        return ROOT, AFTER + clause.params["after"], WHOLE

    def violation(self, clause: Clause, before: Json, now: Json) -> Violation:
        writer = clause.params["after"]
        detail = f"the answer is the same as before {writer} was called"
        return Violation(self.code, ROOT, f"a change after {writer}", "the same answer as before", detail)

    def explain(self, clause: Clause) -> str:
        return f"within a session, the answer changes after {clause.params['after']}"
