"""What is kept of all observations: counts, and an example of each sort of alarm. Bounded, whatever comes."""

from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import datetime

from outcome_monitors.events import CLEAN, FAILED, FLAGGED, NOT_COVERED
from outcome_monitors.model import Violation
from outcome_monitors.values.display import clip

from .followups import Followups, Next
from .observation import Observation
from .timeline import Timeline
from .words import sample

__all__ = ["AlarmSort", "TeamTally"]

MOST_SORTS = 1000
MOST_TOOLS = 10_000
MOST_VIOLATIONS = 4
OTHERS = "(other tools)"
"""Stands for the tools beyond the most that are counted one by one."""

MOST_REASONS = 8
OTHER_REASONS = "other reasons"
_WHY = {NOT_COVERED: "no contract", FAILED: "the check went wrong inside"}

Key = tuple[str, str, str]
"""A sort of alarm: the tool, and the code and the path of its first violation."""


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
    other_alarms: int = 0
    """Those of sorts beyond the most that are kept."""
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
            self._bear({violation.code for violation in seen.violations})
            self._keep(seen, coming)

    def _note(self, tool: str, seen: Observation) -> None:
        reasons = self.reasons.setdefault(tool, Counter())
        why = _WHY.get(seen.outcome) or seen.why or "nobody said why"
        reasons[why if why in reasons or len(reasons) < MOST_REASONS else OTHER_REASONS] += 1

    def _bear(self, codes: set[str]) -> None:
        # The codes of traces are few; events may come from elsewhere, and name any.
        self.codes.update(code for code in codes if code in self.codes or len(self.codes) < MOST_SORTS)

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
        else:
            self.other_alarms += 1


def _bounded(alarm: Observation) -> Observation:
    """Return an alarm as the page shows it: results may be large, and many sorts are kept."""
    return alarm._replace(
        violations=[_short(violation) for violation in alarm.violations[:MOST_VIOLATIONS]],
        clauses=list(alarm.clauses[:MOST_VIOLATIONS]),
        receipt=sample(alarm.receipt),
        payload={side: sample(value) for side, value in (alarm.payload or {}).items()},
    )


def _short(violation: Violation) -> Violation:
    return replace(violation, expected=clip(violation.expected), observed=clip(violation.observed))
