"""`memory`: what was said earlier in the session of an order, a user, the same question, is said again.

A clause names what identifies the record and a field that, in clean sessions, stayed as it was until a tool that writes was called. It is checked where a session is kept (`Monitor.session`); a single result is not held against it.
"""

from collections.abc import Iterator, Mapping

from .._evidence import NO_TASK, Evidence
from .._model import Clause, Json, Violation
from ._kind import Beside, Bind, Candidate, Fast, Kind
from ._record import is_feature, said

__all__ = ["Memory"]

LEAST_TASKS = 2
LEAST_CALLS = 3


class Memory(Kind):
    """The fields of a record are as they were when the session last heard of it."""

    name = "memory"
    code = "remembered_fact_contradicted"
    profiles = frozenset({"full"})
    about = "session"
    params = {"key": is_feature, "field": is_feature}

    def suggest(self, evidence: Evidence) -> Iterator[Candidate]:
        """Suggest, for each key, the fields that were said again in the sessions of enough tasks."""
        for (path, key, field), sample in sorted(evidence.recalled.items()):
            found = dict(sample.items())
            agreed, changed = found.get(True), found.get(False)
            if agreed is None or agreed.calls < LEAST_CALLS or agreed.second == NO_TASK:
                continue
            if changed is not None and changed.calls > 0.01 * agreed.calls:
                continue
            clause = Clause(
                self.name, path, {"key": key, "field": field}, agreed.calls, evidence.tasks(path), "traces"
            )
            yield Candidate(clause, "", {changed.first: changed.calls} if changed else {})

    def fires(self, clause: Clause, evidence: Evidence) -> Mapping[int, int]:
        """Look for fields that changed in other sessions."""
        sample = evidence.recalled.get((clause.path, clause.params["key"], clause.params["field"]))
        changed = dict(sample.items()).get(False) if sample else None
        return {changed.first: changed.calls} if changed else {}

    def check(self, clause: Clause, arguments: Mapping[str, Json], result: Json) -> Iterator[Violation]:
        """Say nothing of a result by itself."""
        return iter(())

    def explain(self, clause: Clause) -> str:
        """Say it in words."""
        return f"within a session, the same {said(clause.params['key'])} comes with the same {said(clause.params['field'])}"

    def fast(self, clause: Clause, bind: Bind, beside: Beside) -> Fast | None:
        """Nothing to test."""
        return Fast("True", "True")
