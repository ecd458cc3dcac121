"""What agents did after an alarm, where the session shows it."""

from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from outcome_monitors.events import CLEAN, FLAGGED

from .observation import Observation

__all__ = ["AGAIN", "DEEDS", "LISTED", "NOTHING", "OTHER", "UNKNOWN", "Followups", "Next"]

T = TypeVar("T")

AGAIN = "again"
LISTED = "listed"
OTHER = "other"
NOTHING = "nothing"
UNKNOWN = "unknown"

DEEDS: Mapping[str, str] = {
    AGAIN: "called the same tool again",
    LISTED: "called another tool that the receipt lists",
    OTHER: "called a tool that the receipt does not list",
    NOTHING: "made no further call in the session",
    UNKNOWN: "not known: the call belongs to no session",
}
"""What can follow an alarm. An alarm is followed by exactly one of them."""

MOST_OPEN = 65_536
"""Sessions whose last result was flagged that are remembered; of one not heard of for longest nothing more is expected."""


@dataclass(slots=True)
class Next:
    """What followed an alarm."""

    deed: str = NOTHING
    tool: str = ""
    outcome: str = ""
    """What became of the next result."""


@dataclass(slots=True)
class Followups:
    """Counts what agents did after alarms: those who were told, those who were not, and those of whom it is not known."""

    counts: dict[bool | None, Counter[str]] = field(default_factory=lambda: _for_each(Counter))
    """By whether the agent was told: how many alarms each deed followed."""
    outcomes: dict[bool | None, Counter[tuple[str, str]]] = field(default_factory=lambda: _for_each(Counter))
    """The same by deed and outcome of the next result."""
    _open: OrderedDict[str, tuple[Observation, Next]] = field(default_factory=OrderedDict)

    def add(self, seen: Observation) -> Next | None:
        """Take the next result; for an alarm return what will be known of what follows it."""
        if seen.session is not None and seen.session in self._open:
            self._follow(*self._open.pop(seen.session), seen)
        if seen.outcome != FLAGGED:
            return None
        coming = Next(UNKNOWN if seen.session is None else NOTHING)
        self.counts[seen.told][coming.deed] += 1
        if seen.session is not None:
            # Without what it returned: that may be large, and is not needed.
            self._open[seen.session] = (seen._replace(payload=None, receipt=None, violations=()), coming)
            if len(self._open) > MOST_OPEN:
                self._open.popitem(last=False)
        return coming

    def clean_after(self, told: bool | None, deed: str) -> tuple[int, int]:
        """Return how many of the next results were clean, and how many were checked."""
        outcomes = self.outcomes[told]
        clean = outcomes[deed, CLEAN]
        return clean, clean + outcomes[deed, FLAGGED]

    def _follow(self, alarm: Observation, coming: Next, seen: Observation) -> None:
        coming.deed, coming.tool, coming.outcome = _deed(alarm, seen.tool), seen.tool, seen.outcome
        self.counts[alarm.told][NOTHING] -= 1
        self.counts[alarm.told][coming.deed] += 1
        self.outcomes[alarm.told][coming.deed, seen.outcome] += 1


def _for_each(make: Callable[[], T]) -> dict[bool | None, T]:
    return {True: make(), False: make(), None: make()}


def _deed(alarm: Observation, tool: str) -> str:
    if tool == alarm.tool:
        return AGAIN
    return LISTED if tool in alarm.listed else OTHER
