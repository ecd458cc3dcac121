"""What a report says of results, counted: by tool, outcome and time, with an example of each sort of alarm, and what agents did next.

Results come from traces that are checked now, or from events that were recorded (`Observation`). What is kept is bounded, whatever comes.
"""

import json
from collections import Counter, OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from outcome_monitors.events import CLEAN, FAILED, FLAGGED, NOT_COVERED
from outcome_monitors.jsonvalue.display import clip
from outcome_monitors.jsonvalue.types import finite
from outcome_monitors.model import Json, Violation

__all__ = [
    "DEEDS",
    "NOTHING",
    "UNKNOWN",
    "AlarmSort",
    "Followups",
    "Next",
    "Observation",
    "TeamTally",
    "TimeStep",
    "Timeline",
    "Unit",
    "from_event",
    "read_time",
    "sample",
]


class Observation(NamedTuple):
    """One tool result, and what was made of it."""

    tool: str
    outcome: str
    """One of `events.OUTCOMES`."""
    time: datetime | None = None
    """In UTC."""
    session: str | None = None
    violations: Sequence[Violation] = ()
    receipt: Json = None
    """What the agent was told, or would have been."""
    listed: Sequence[str] = ()
    """The tools that the receipt lists."""
    told: bool | None = None
    """Whether the agent saw the receipt; None where that is not known."""
    where: str = ""
    """The file and line."""
    payload: Mapping[str, Json] | None = None
    """What went in and what came out, where that is known."""
    why: str = ""
    """Why it was not checked, where that is known."""
    clauses: Sequence[str] = ()
    """The addresses of the broken clauses, in the order of the violations."""


def from_event(event: Mapping[str, Any]) -> Observation:
    """Return the observation that an event holds (`events.read_events`)."""
    receipt, session, violations = (event.get(key) for key in ("receipt", "session", "violations"))
    return Observation(
        tool=str(event["tool"]),
        outcome=str(event["outcome"]),
        time=read_time(event.get("time")),
        session=session if isinstance(session, str) else None,
        violations=[
            _violation(found)
            for found in (violations if isinstance(violations, list) else ())
            if isinstance(found, dict)
        ],
        receipt=receipt,
        listed=_listed(receipt),
        told=bool(event.get("advised")),
        payload={side: event[side] for side in ("arguments", "result") if side in event} or None,
        why=str(event.get("why") or ""),
        clauses=[str(found) for found in event.get("clauses") or ()],
    )


def read_time(value: Json) -> datetime | None:
    """Read a time as traces have it, ISO 8601 or seconds since 1970, or say that it is none.

    >>> read_time("2026-03-01T10:00:00+02:00"), read_time("soon")
    (datetime.datetime(2026, 3, 1, 8, 0, tzinfo=datetime.timezone.utc), None)
    """
    try:
        if isinstance(value, str):
            found = datetime.fromisoformat(value)
            # A time without an offset is taken for UTC: the page is to be the same wherever it is made.
            return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
        return datetime.fromtimestamp(value, UTC) if finite(value) else None
    except (ValueError, OverflowError, OSError):
        return None


def _violation(found: Mapping[str, Any]) -> Violation:
    code, path, detail = (str(found.get(key) or "") for key in ("code", "path", "detail"))
    return Violation(code, path, found.get("expected"), found.get("observed"), detail)


def _listed(receipt: Json) -> list[str]:
    if not isinstance(receipt, dict):
        return []
    tools = receipt.get("admissible_recovery_tools")
    if isinstance(tools, list):
        return [tool for tool in tools if isinstance(tool, str)]
    actions = receipt.get("admissible_recovery_actions")
    named = (
        action.get("tool")
        for action in (actions if isinstance(actions, list) else ())
        if isinstance(action, dict)
    )
    return [tool for tool in named if isinstance(tool, str)]


MOST_STEPS = 36
MOST_KEPT = 20_000
"""Steps in memory; beyond them a larger unit is taken."""
STRAY = 0.005
"""The share of results at either end that does not decide on the unit: clocks are wrong at times."""
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MONDAY = 4 * 86400
"""The first one since 1970."""


class Unit(NamedTuple):
    """A step of time."""

    name: str
    form: str
    """How a step is written."""
    seconds: int


UNITS = (
    Unit("minute", "%d %b %H:%M", 60),
    Unit("hour", "%d %b %H:%M", 3600),
    Unit("day", "%d %b %Y", 86400),
    Unit("week", "%d %b %Y", 7 * 86400),
    Unit("four weeks", "%d %b %Y", 28 * 86400),
    Unit("52 weeks", "%d %b %Y", 364 * 86400),
)


class TimeStep(NamedTuple):
    """A step of time, what was seen in it, and what of that was flagged."""

    begin: datetime
    seen: int
    flagged: int


class Timeline:
    """Counts results by time."""

    def __init__(self) -> None:
        self.without_time = 0
        self._unit = 0
        self._seen: Counter[int] = Counter()
        """Results by the step that they are in, numbered."""
        self._flagged: Counter[int] = Counter()

    def add(self, time: datetime | None, *, flagged: bool) -> None:
        """Count a result."""
        if time is None:
            self.without_time += 1
            return
        step = int((time.timestamp() - MONDAY) // UNITS[self._unit].seconds)
        self._seen[step] += 1
        self._flagged[step] += flagged
        while len(self._seen) > MOST_KEPT and self._unit < len(UNITS) - 1:
            self._seen, self._flagged = (
                self._coarser(each, self._unit + 1) for each in (self._seen, self._flagged)
            )
            self._unit += 1

    def steps(self) -> tuple[Unit, list[TimeStep], int]:
        """Return the unit that fits, the steps one after the other, empty ones too, and how many results lie outside."""
        if not self._seen:
            return UNITS[0], [], 0
        first, last = self._usual(sorted(self._seen)), self._usual(sorted(self._seen, reverse=True))
        for number in range(self._unit, len(UNITS)):
            seen, flagged = self._coarser(self._seen, number), self._coarser(self._flagged, number)
            ends = [next(iter(self._coarser({end: 1}, number))) for end in (first, last)]
            if ends[1] - ends[0] < MOST_STEPS:
                break
        unit = UNITS[number]
        begins = range(max(ends[0], ends[1] - MOST_STEPS + 1), ends[1] + 1)
        steps = [
            TimeStep(EPOCH + timedelta(seconds=MONDAY + step * unit.seconds), seen[step], flagged[step])
            for step in begins
        ]
        return unit, steps, self._seen.total() - sum(step.seen for step in steps)

    def _coarser(self, counts: Mapping[int, int], unit: int) -> Counter[int]:
        found: Counter[int] = Counter()
        for step, number in counts.items():
            found[step * UNITS[self._unit].seconds // UNITS[unit].seconds] += number
        return found

    def _usual(self, steps: Iterable[int]) -> int:
        """Return the first of these that does not only have the few results whose clock may be wrong before it."""
        stray, passed = int(self._seen.total() * STRAY), 0
        for step in steps:
            passed += self._seen[step]
            if passed > stray:
                return step
        raise AssertionError("more results than there are")


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
