"""`memory`: what was said earlier in the session of an order, a user, the same question, is said again.

A clause names what identifies the record and a field that, in clean sessions, stayed as it was until a tool that writes was
called. It is checked where a session is kept (`Monitor.session`); a single result is not held against it.
"""

from collections.abc import Iterator, Mapping

from .._evidence import Evidence, Witness
from .._model import Clause, Json, Violation
from ._kind import Beside, Bind, Candidate, Fast, Kind
from ._record import is_feature, noun, said

__all__ = ["Memory"]

LEAST_CALLS = 3
MOST_BROKEN = 0.01
"""Of the calls that say it again, the share that may say something else: traces have dirt in them."""


class Memory(Kind):
    """The fields of a record are as they were when the session last heard of it."""

    name = "memory"
    code = "remembered_fact_contradicted"
    profiles = frozenset({"full"})
    worth = 3.0
    about = "session"
    params = {"key": is_feature, "field": is_feature}

    def suggest(self, evidence: Evidence) -> Iterator[Candidate]:
        """Suggest, for each key, the fields that were said again in the sessions of more than one task."""
        for what in sorted(evidence.recalled):
            path, key, field = what
            agreed, changed = _said_again(evidence, what)
            if agreed is None or agreed.alone or agreed.calls < LEAST_CALLS:
                continue
            if changed is None or changed.calls <= MOST_BROKEN * agreed.calls:
                params = {"key": key, "field": field}
                clause = Clause(self.name, path, params, agreed.calls, evidence.tasks(path), "traces")
                yield Candidate(clause, "", {changed.first: changed.calls} if changed else {})

    def fires(self, clause: Clause, evidence: Evidence) -> Mapping[int, int]:
        """Look for fields that changed in other sessions."""
        _, changed = _said_again(evidence, (clause.path, clause.params["key"], clause.params["field"]))
        return {changed.first: changed.calls} if changed else {}

    def check(self, clause: Clause, arguments: Mapping[str, Json], result: Json) -> Iterator[Violation]:
        """Say nothing of a result by itself."""
        return iter(())

    def explain(self, clause: Clause) -> str:
        """Say it in words."""
        key, field = noun(clause.params["key"]), said(clause.params["field"])
        return f"within a session, {field} stays as it was for the same {key}"

    def fast(self, clause: Clause, bind: Bind, beside: Beside) -> Fast | None:
        """Nothing to test."""
        return Fast("True", "True")


def _said_again(evidence: Evidence, what: tuple[str, str, str]) -> tuple[Witness | None, Witness | None]:
    """Return in which tasks a field was said again as it was before, and in which it had changed."""
    sample = evidence.recalled.get(what)
    found = dict(sample.items()) if sample else {}
    return found.get(True), found.get(False)
