"""How much a broken clause says that the result is wrong, rather than new.

A wrong result mostly has something that never stood there: a sentence in a list of states, a negative price. A right result that
breaks a clause mostly has one more of what there was: a field more, another state, a text a little longer. Each kind tells the
two apart for its own clauses (`Kind.severity`); what follows from it is `alerting.severity`.
"""

from collections.abc import Collection
from enum import IntEnum, auto

from outcome_monitors.jsonvalue.types import finite
from outcome_monitors.rules.config import CONFIG


class Severity(IntEnum):
    """What a broken clause says, the least first."""

    INFO = auto()
    """There is something beside what there was, which is all there: alone, it is for people to know."""
    LOW = auto()
    """There is one more of what there was: where that is common, it is for people to know."""
    MEDIUM = auto()
    """It may be either."""
    HIGH = auto()
    """Nothing of that sort has ever stood there."""
    CRITICAL = auto()
    """There is no answer: an error, a page, what cannot be read. However long that lasts, it is no change to get used to."""


def less_severe(gravity: Severity, tasks: int) -> Severity:
    """Return the same with regard to the tasks behind a clause: of one that few have shown, less is made."""
    return Severity(gravity - 1) if tasks < CONFIG.severity_few_tasks and gravity > Severity.LOW else gravity


def one_more(listed: int, tasks: int) -> Severity:
    """Return what one more says, of something of which so many were seen in so many tasks."""
    return (
        Severity.MEDIUM
        if tasks >= max(CONFIG.severity_many_tasks, CONFIG.severity_tasks_each * listed)
        else Severity.LOW
    )


def looks_like(text: str, others: Collection[str]) -> bool:
    """Say whether a text could be one more of a list: as long as they are, of as many words, and written with such characters."""
    longest = max(map(len, others), default=0)
    words = max((other.count(" ") for other in others), default=0)
    if (
        not text.strip()
        or len(text) > CONFIG.severity_longer * longest + CONFIG.severity_more_letters
        or text.count(" ") > words + 1
    ):
        return False
    # What is cut short is the beginning of one of them.
    if any(other.startswith(text) and other != text for other in others):
        return False
    return _signs(text) <= frozenset().union(*map(_signs, others))


def beyond(value: object, low: float, high: float) -> Severity:
    """Return what a number beyond two bounds says."""
    if not finite(value):
        return Severity.HIGH
    assert isinstance(value, int | float)
    if low >= 0 > value:
        return Severity.HIGH
    spans = max(low - value, value - high) / max(high - low, abs(high), abs(low), 1e-9)
    return (
        Severity.LOW
        if spans <= CONFIG.severity_near
        else Severity.MEDIUM
        if spans <= CONFIG.severity_far
        else Severity.HIGH
    )


def _signs(text: str) -> frozenset[str]:
    """Return the characters of a text that are neither letters nor space, all digits as one; words may be joined as one likes."""
    signs = {"0" if sign.isdigit() else sign for sign in text if not sign.isalpha()}
    return frozenset(signs - {" ", "_", "-"})
