"""What is kept of all observations: counts, an example of each sort of alarm, and what agents did next. Bounded, whatever comes."""

import json
from collections import Counter, OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from outcome_monitors.events import CLEAN, FAILED, FLAGGED, NOT_COVERED
from outcome_monitors.jsonvalue.display import clip
from outcome_monitors.model import Json

from .observation import Observation
from .timeline import Timeline

__all__ = ["DEEDS", "NOTHING", "UNKNOWN", "AlarmSort", "Followups", "Next", "TeamTally", "sample"]

AGAIN, LISTED, OTHER, NOTHING, UNKNOWN = "again", "listed", "other", "nothing", "unknown"
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
MOST_SORTS = 1000
MOST_TOOLS = 10_000
MOST_VIOLATIONS = 4
MOST_REASONS = 8
LONGEST_SAMPLE = 1200
OTHERS, OTHER_REASONS = "(other tools)", "other reasons"
_WHY = {NOT_COVERED: "no contract", FAILED: "the check went wrong inside"}

Key = tuple[str, str, str]
"""A sort of alarm: the tool, and the code and the path of its first violation."""


@dataclass(slots=True)
class Next:
    """What followed an alarm: what the agent did, with which tool, and what became of that result."""

    deed: str = NOTHING
    tool: str = ""
    outcome: str = ""


@dataclass(slots=True)
class Followups:
    """Counts what agents did after alarms: those who were told, those who were not, and those of whom it is not known."""

    counts: dict[bool | None, Counter[str]] = field(
        default_factory=lambda: {told: Counter() for told in (True, False, None)}
    )
    """By whether the agent was told: how many alarms each deed followed."""
    outcomes: Counter[tuple[bool | None, str, str]] = field(default_factory=Counter)
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

    def _follow(self, alarm: Observation, coming: Next, seen: Observation) -> None:
        deed = AGAIN if seen.tool == alarm.tool else LISTED if seen.tool in alarm.listed else OTHER
        coming.deed, coming.tool, coming.outcome = deed, seen.tool, seen.outcome
        self.counts[alarm.told][NOTHING] -= 1
        self.counts[alarm.told][deed] += 1
        self.outcomes[alarm.told, deed, seen.outcome] += 1


@dataclass(slots=True)
class AlarmSort:
    """Alarms of one sort: how many, and the first of them."""

    example: Observation
    next: Next
    count: int = 1
    more: int = 0
    """Violations of the first that are not kept."""
    last: datetime | None = None
    """When the last of them was, where that is known."""


@dataclass(slots=True)
class TeamTally:
    """Everything that the page says of a stream of observations."""

    seen: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    tools: dict[str, Counter[str]] = field(default_factory=dict)
    """The outcomes of each tool."""
    reasons: dict[str, Counter[str]] = field(default_factory=dict)
    """Why results of each tool were not checked."""
    codes: Counter[str] = field(default_factory=Counter)
    """Flagged results that bear each violation code."""
    sorts: dict[Key, AlarmSort] = field(default_factory=dict)
    timeline: Timeline = field(default_factory=Timeline)
    followups: Followups = field(default_factory=Followups)

    @property
    def flagged(self) -> int:
        """How many results broke their contract."""
        return self.outcomes[FLAGGED]

    @property
    def checked(self) -> int:
        """How many results were held against a contract to the end."""
        return self.outcomes[CLEAN] + self.outcomes[FLAGGED]

    @property
    def covered(self) -> int:
        """How many results there was a contract for, and something to check."""
        return self.checked + self.outcomes[FAILED]

    def add(self, seen: Observation) -> None:
        """Count an observation."""
        self.seen += 1
        self.outcomes[seen.outcome] += 1
        name = seen.tool if seen.tool in self.tools or len(self.tools) < MOST_TOOLS else OTHERS
        self.tools.setdefault(name, Counter())[seen.outcome] += 1
        if seen.outcome not in (CLEAN, FLAGGED):
            self._note(name, seen)
        self.timeline.add(seen.time, flagged=seen.outcome == FLAGGED)
        coming = self.followups.add(seen)
        if coming is not None:
            # The codes of traces are few; events may come from elsewhere, and name any.
            codes = {violation.code for violation in seen.violations}
            self.codes.update(code for code in codes if code in self.codes or len(self.codes) < MOST_SORTS)
            self._keep(seen, coming)

    def _note(self, tool: str, seen: Observation) -> None:
        reasons = self.reasons.setdefault(tool, Counter())
        why = _WHY.get(seen.outcome) or seen.why or "nobody said why"
        reasons[why if why in reasons or len(reasons) < MOST_REASONS else OTHER_REASONS] += 1

    def _keep(self, alarm: Observation, coming: Next) -> None:
        first = alarm.violations[0] if alarm.violations else None
        key = (alarm.tool, first.code if first else "", first.path if first else "")
        sort = self.sorts.get(key)
        if sort is not None:
            sort.count += 1
            sort.last = alarm.time or sort.last
        elif len(self.sorts) < MOST_SORTS:
            more = max(0, len(alarm.violations) - MOST_VIOLATIONS)
            self.sorts[key] = AlarmSort(_bounded(alarm), coming, more=more)


def _bounded(alarm: Observation) -> Observation:
    """Return an alarm as the page shows it: results may be large, and many sorts are kept."""
    return alarm._replace(
        violations=[
            replace(one, expected=clip(one.expected), observed=clip(one.observed))
            for one in alarm.violations[:MOST_VIOLATIONS]
        ],
        clauses=list(alarm.clauses[:MOST_VIOLATIONS]),
        receipt=sample(alarm.receipt),
        payload={side: sample(value) for side, value in (alarm.payload or {}).items()},
    )


def sample(value: Json) -> str:
    """Write the beginning of a JSON value; one too deep to be written is named by its size."""
    text = ""
    try:
        # The encoder gives piece by piece, so that of a huge value only the beginning is written.
        for piece in json.JSONEncoder(indent=2, ensure_ascii=False, default=str).iterencode(value):
            text += piece[:LONGEST_SAMPLE]
            if len(text) > LONGEST_SAMPLE:
                return f"{text[:LONGEST_SAMPLE]}…"
    except (RecursionError, ValueError):
        return str(clip(value))
    return text
