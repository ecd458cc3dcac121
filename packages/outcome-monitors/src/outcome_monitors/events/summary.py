"""The events of a store counted: by tool, outcome, and why. These are the figures that every page and command gives.

A store counts them itself, so that two million take no longer than a look.
"""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from outcome_monitors.model import Json

from .event import CLEAN, FAILED, FLAGGED, NOT_CHECKED, NOT_COVERED, OUTCOMES, SUPPRESSED
from .reader import LONG, Where, events_at, events_in, newest

UNSAID = "no reason given"
_WHY = {NOT_COVERED: "no contract", FAILED: "internal error in the check"}


@dataclass(slots=True)
class EventCounts:
    """How many results there were of each outcome, of how many the agent was told, and why results were not checked."""

    outcomes: Counter[str] = field(default_factory=Counter)
    told: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    """Of those that could not be checked."""
    suppressed: int = 0
    """How often alerts were ended, since what they were of had become normal."""

    @property
    def results(self) -> int:
        """All of them."""
        return self.outcomes.total()

    @property
    def checked(self) -> int:
        """Those that were held against a contract to the end."""
        return self.outcomes[CLEAN] + self.outcomes[FLAGGED]

    def add(self, outcome: str, told: bool, why: str, number: int = 1) -> None:
        """Count results."""
        if outcome == SUPPRESSED:
            self.suppressed += number
            return
        self.outcomes[outcome] += number
        self.told += number * told
        if outcome == NOT_CHECKED:
            self.reasons[why or UNSAID] += number

    def why_not(self) -> dict[str, int]:
        """Return why results were not checked, with how many, the most first; that there is no contract is a reason too."""
        others = Counter(
            {why: self.outcomes[outcome] for outcome, why in _WHY.items() if self.outcomes[outcome]}
        )
        return dict((self.reasons + others).most_common())

    def to_json(self) -> dict[str, Json]:
        """Return them as an object."""
        return {
            "events": self.results,
            **{outcome: self.outcomes[outcome] for outcome in OUTCOMES},
            "told": self.told,
            "suppressed": self.suppressed,
            "why_not": self.why_not(),
        }


@dataclass(slots=True)
class EventSummary:
    """The counts of each tool, and of all."""

    tools: dict[str, EventCounts] = field(default_factory=dict)
    total: EventCounts = field(default_factory=EventCounts)

    def add(self, tool: str, outcome: str, told: bool, why: str, number: int = 1) -> None:
        """Count results."""
        self.tools.setdefault(tool, EventCounts()).add(outcome, told, why, number)
        self.total.add(outcome, told, why, number)

    def only(self, tools: Collection[str]) -> "EventSummary":
        """Return the counts of some tools alone."""
        found = EventSummary()
        for tool, counts in self.tools.items():
            if tool in tools:
                found.tools[tool] = counts
                found.total.outcomes += counts.outcomes
                found.total.told += counts.told
        return found

    def to_json(self) -> dict[str, Json]:
        """Return them as an object."""
        tools = {tool: counts.to_json() for tool, counts in sorted(self.tools.items())}
        return {**self.total.to_json(), "tools": tools}


def summarise(where: Where, **which: Any) -> EventSummary:
    """Count events of a store, of a file of JSON lines, or of the folder that they lie in; which, is said as for `read_events`."""
    summary, by = EventSummary(), ("tool", "outcome", "advised", "why")
    with events_in(where).reading(LONG) as rows:
        for tool, outcome, told, why, number in rows.count("events", *by, **which):
            summary.add(tool, outcome, bool(told), why, number)
    return summary


def last_results(where: Where, most: int) -> EventSummary:
    """Count the events that were written last; of a large store the others are not looked at."""
    table = events_at(where)
    return summarise(table, after=max(0, newest(table) - most))


def alerts_between(where: Where, since: float, until: float) -> Counter[str]:
    """Return of how many results of each tool agents were alerted in a stretch of time, in seconds since 1970.

    What another machine's clock has put into the days to come is not in it.
    """
    with events_at(where).reading() as rows:
        return Counter(dict(rows.count("events", "tool", since=since, until=until, advised=1)))
