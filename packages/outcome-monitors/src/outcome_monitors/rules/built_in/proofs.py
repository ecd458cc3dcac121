"""The kinds of what a session proves; `history` looks for it, and these say what it means."""

from collections.abc import Iterator, Mapping

from outcome_monitors.model import Json
from outcome_monitors.rules.base.severity import Severity
from outcome_monitors.rules.base.traits import Cause, Traits

from .base import BuiltIn, Finding


class Proof(BuiltIn):
    """A kind that says nothing of a result by itself."""

    traits = Traits(about="session", never_normal=True, severity=Severity.HIGH, own_words=True)
    cause = Cause.FAILURE

    def find(self, arguments: Mapping[str, Json], result: Json) -> Iterator[Finding]:
        """Find nothing in a result alone."""
        return iter(())


class SameForm(Proof):
    """A result is like the tool's first results in the session."""

    name = "same_form"
    code = "form_changed"
    cause = Cause.LOOKS
    # A new release may bring it.
    traits = Traits(about="session", severity=Severity.HIGH, own_words=True)
    sentence = "a result is like the tool's first results in the session"


def _proof(name: str, code: str, cause: Cause, sentence: str) -> Proof:
    about = {"__doc__": f"{sentence[0].upper()}{sentence[1:]}.", "__module__": __name__}
    own = {"name": name, "code": code, "cause": cause, "sentence": sentence}
    kind: type[Proof] = type(name.title().replace("_", ""), (Proof,), about | own)
    return kind()


PROOFS = (
    _proof("lost_write", "write_lost", Cause.FAILURE, "what a call reported as done, later calls know of"),
    _proof("false_empty", "empty_contradicted", Cause.FAILURE, "what a search did not find does not exist"),
    _proof(
        "unknown_id", "id_unknown", Cause.FAILURE, "what a list names, the tool that gets one of them knows"
    ),
    _proof(
        "other_count", "count_contradicted", Cause.NUMBERS_DISAGREE, "a count is the number of what is listed"
    ),
    _proof("other_id", "id_contradicted", Cause.ANOTHER_QUESTION, "one thing has one id"),
    _proof("repeated_answer", "same_answer", Cause.REPEATED, "another question has another answer"),
    _proof("deleted_shown", "deletion_contradicted", Cause.FAILURE, "what was deleted is gone"),
    _proof(
        "stale_version",
        "older_version",
        Cause.OLDER,
        "no result is older than what the session has had of the same thing",
    ),
    SameForm(),
)
