"""The kinds of what a session proves; `history` looks for it, and these say what it means."""

from collections.abc import Iterator, Mapping

from outcome_monitors.model import Json
from outcome_monitors.rules.base.severity import Severity
from outcome_monitors.rules.base.traits import Cause, Traits

from .base import BuiltIn, Finding

_PROVEN = Traits(about="session", never_normal=True, severity=Severity.HIGH, own_words=True)
_MAY_BE_A_RELEASE = Traits(about="session", severity=Severity.HIGH, own_words=True)


class Proof(BuiltIn):
    """A kind that says nothing of a result by itself."""

    def __init__(self, name: str, code: str, cause: Cause, sentence: str, traits: Traits = _PROVEN) -> None:
        self.name, self.code, self.cause, self.sentence, self.traits = name, code, cause, sentence, traits  # type: ignore[misc]
        self.__doc__ = f"{sentence[0].upper()}{sentence[1:]}."

    def find(self, arguments: Mapping[str, Json], result: Json) -> Iterator[Finding]:
        """Find nothing in a result alone."""
        return iter(())


SAME_FORM = Proof(
    "same_form",
    "form_changed",
    Cause.LOOKS,
    "a result is like the tool's first results in the session",
    _MAY_BE_A_RELEASE,
)
PROOFS = (
    Proof("lost_write", "write_lost", Cause.FAILURE, "what a call reported as done, later calls know of"),
    Proof("false_empty", "empty_contradicted", Cause.FAILURE, "what a search did not find does not exist"),
    Proof(
        "unknown_id", "id_unknown", Cause.FAILURE, "what a list names, the tool that gets one of them knows"
    ),
    Proof(
        "other_count", "count_contradicted", Cause.NUMBERS_DISAGREE, "a count is the number of what is listed"
    ),
    Proof("other_id", "id_contradicted", Cause.ANOTHER_QUESTION, "one thing has one id"),
    Proof("repeated_answer", "same_answer", Cause.REPEATED, "another question has another answer"),
    Proof("deleted_shown", "deletion_contradicted", Cause.FAILURE, "what was deleted is gone"),
    Proof(
        "stale_version",
        "older_version",
        Cause.OLDER,
        "no result is older than what the session has had of the same thing",
    ),
    SAME_FORM,
)
