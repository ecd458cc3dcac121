"""The kinds of what a session proves; `history` looks for it, and these say what it means."""

from collections.abc import Iterator, Mapping

from outcome_monitors.model import Json
from outcome_monitors.rules.base.severity import Severity
from outcome_monitors.rules.base.traits import Cause, Mining, Traits

from .base import BuiltIn, Finding

__all__ = [
    "DeletedShown",
    "FalseEmpty",
    "LostWrite",
    "OtherCount",
    "Proof",
    "RepeatedAnswer",
    "SameForm",
    "StaleVersion",
    "UnknownId",
]


class Proof(BuiltIn):
    """A kind that says nothing of a result by itself."""

    traits = Traits(about="session", never_normal=True, severity=Severity.HIGH, own_words=True)
    mining = Mining(profiles=frozenset())
    cause = Cause.FAILURE

    def find(self, arguments: Mapping[str, Json], result: Json) -> Iterator[Finding]:
        """Find nothing in a result alone."""
        return iter(())


class LostWrite(Proof):
    """What a call reported as done, later calls know of."""

    name = "lost_write"
    code = "write_lost"
    sentence = "what a call reported as done, later calls know of"


class FalseEmpty(Proof):
    """What a search did not find does not exist."""

    name = "false_empty"
    code = "empty_contradicted"
    sentence = "what a search did not find does not exist"


class UnknownId(Proof):
    """What a list names, the tool that gets one of them knows."""

    name = "unknown_id"
    code = "id_unknown"
    sentence = "what a list names, the tool that gets one of them knows"


class OtherCount(Proof):
    """A count is the number of what is listed."""

    name = "other_count"
    code = "count_contradicted"
    cause = Cause.NUMBERS_DISAGREE
    sentence = "a count is the number of what is listed"


class RepeatedAnswer(Proof):
    """Another question has another answer."""

    name = "repeated_answer"
    code = "same_answer"
    cause = Cause.REPEATED
    sentence = "another question has another answer"


class DeletedShown(Proof):
    """What was deleted is gone."""

    name = "deleted_shown"
    code = "deletion_contradicted"
    sentence = "what was deleted is gone"


class StaleVersion(Proof):
    """No result is older than what the session has had of the same thing."""

    name = "stale_version"
    code = "older_version"
    cause = Cause.OLDER
    sentence = "no result is older than what the session has had of the same thing"


class SameForm(Proof):
    """A result is like the tool's first results in the session."""

    name = "same_form"
    code = "form_changed"
    cause = Cause.LOOKS
    # A new release may bring it.
    traits = Traits(about="session", severity=Severity.HIGH, own_words=True)
    sentence = "a result is like the tool's first results in the session"
