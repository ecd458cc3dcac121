"""What a fault is: a named, total function from what is known of a clean call to the corrupted result."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, final

from outcome_monitors.model import Call, Json

from .corpus import Corpus

__all__ = ["NOT_APPLICABLE", "Fault", "NotApplicable", "Subject"]


@final
class NotApplicable:
    """The answer of a fault that has no place in this result."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "NOT_APPLICABLE"


NOT_APPLICABLE: Final = NotApplicable()
"""The only one of its kind: compare with `is`."""


@dataclass(frozen=True, slots=True)
class Subject:
    """All that a fault may look at."""

    call: Call
    """The clean call whose result is to be corrupted."""
    history: Sequence[Call]
    """Earlier calls of the same session, oldest first, clean."""
    corpus: Corpus
    """Clean knowledge of the traces that the faults are drawn from."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One way in which a result goes wrong and still looks right."""

    name: str
    suite: str
    pattern: str
    """The number it has where it is described: `W23`, `incident 7`."""
    summary: str
    """One sentence for people."""
    needs: str
    """The rule that sees it: field, cross-field, rows, argument, cross-call, string, temporal, volume."""
    twin: str
    """What looks the same and is right: where an alarm would be false."""
    apply: Callable[[Subject], Json]
    """The corrupted result, or `NOT_APPLICABLE`; it never raises and never changes what it is given."""
