"""Recorded results that were flagged: how they are marked, and which of them contracts are mined from all the same.

A fault is sporadic. What breaks the same clause in the same way in many tasks, of several clients or on several days, is how the
tool answers now, and contracts learn it.
"""

import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from outcome_monitors.alerting.config import CONFIG
from outcome_monitors.contracts.feedback import Feedback, verdict_of
from outcome_monitors.contracts.identity import address
from outcome_monitors.contracts.overrides import Overrides
from outcome_monitors.model import Call, Json, Outcome, Untold
from outcome_monitors.rules import KINDS
from outcome_monitors.traces.reader import FLAGGED

from .rollout import ClientHour, coverage, hour_on_record

NOT_PROVEN: Untold = "not proven"
BREAKS_GIVEN = "sure"
"""Marks a result that breaks what was not learned here (the server's schema, a given contract): it is never evidence."""
LONGEST_NEWS = 80
FAULTS = 0.01
"""The share of results up to which what an unproven clause flags is taken for faults; beyond it, for something it has yet to learn."""
CHANGE_TASKS = 3
"""Distinct tasks that show what the policy calls a change, before it is evidence."""
MANY_TASKS, MANY = 8, 0.015
"""Tasks, and the share of results since the first: so many are no sporadic faults,"""
GRAVE_TASKS, HIGH = 20, 0.03
"""and so many not even where each by itself is likely one."""
HOURS = 3
DAYS = 3
"""Days on which fewer clients than are believed for all must have shown it."""


def marks(outcome: Outcome) -> dict[str, Json]:
    """Return what is recorded with a result that was flagged: what it breaks, in what way, and what came of it."""
    found: dict[str, Json] = {
        FLAGGED: True,
        "untold": outcome.untold,
        "findings": [
            [
                address(outcome.tool, clause),
                KINDS[clause.kind].novel_value(violation)[:LONGEST_NEWS] if clause.kind in KINDS else "",
            ]
            for clause, violation in outcome.broken
        ],
    }
    if outcome.suspended:
        found["suspended"] = list(outcome.suspended)
    if outcome.odds is not None and outcome.odds >= CONFIG.high_severity_odds:
        found["grave"] = True
    return found


@dataclass(slots=True)
class _Finding:
    """One way of breaking a clause, over all that was recorded."""

    before: int
    """Results of the tool before the first."""
    results: int = 0
    grave: int = 0
    change: bool = False
    tasks: set[str] = field(default_factory=set)
    evidence: set[ClientHour] = field(default_factory=set)

    def add(self, call: Call, clause: str) -> None:
        """Count a call that has it."""
        self.results += 1
        self.grave += call.extra.get("grave") is True
        self.change = self.change or clause in (call.extra.get("suspended") or ())
        # A call without a task is one of its own.
        self.tasks.add(call.task if call.task is not None else f"#{self.results}")
        client = str(call.extra.get("client") or call.session or "")
        self.evidence.add(ClientHour(client, hour_on_record(call.extra.get("time"))))


class FlaggedEvidence:
    """All flagged results of recorded traffic, counted; `admits` says which are evidence."""

    def __init__(self, decided: Overrides | None = None) -> None:
        self.refused = 0
        """Calls that are no evidence, since they were flagged, or people say that they are faults."""
        self._decided = Overrides() if decided is None else decided
        self._muted = frozenset(
            entry.address for entry in self._decided.entries.values() if entry.mutes(time.time())
        )
        self._said: dict[tuple[str, str | None], list[Feedback]] = {}
        for one in self._decided.feedback:
            self._said.setdefault((one.tool, one.session), []).append(one)
        self._calls: Counter[str] = Counter()
        self._unproven: dict[tuple[str, str], _Finding] = {}
        """What clauses that are being validated flag, by tool and address, however they are broken."""
        self._found: dict[tuple[str, str, str], _Finding] = {}

    def add(self, call: Call) -> None:
        """Count a recorded call."""
        if call.extra.get(BREAKS_GIVEN) is True:
            return
        self._calls[call.tool] += 1
        if not is_flagged(call):
            return
        before, tool = self._calls[call.tool] - 1, call.tool
        for clause, news in _findings(call):
            self._found.setdefault((tool, clause, news), _Finding(before)).add(call, clause)
            if _is_unproven(call):
                self._unproven.setdefault((tool, clause), _Finding(before)).add(call, clause)

    def admits(self, call: Call) -> bool:
        """Say whether a call is evidence; what people have said of it, or of what it breaks, comes first."""
        said = verdict_of(call, self._said)
        if said:
            return said == "wrong"
        if call.extra.get(BREAKS_GIVEN) is True:
            return False
        if not is_flagged(call):
            return True
        found = [pair for pair in _findings(call) if pair[0] not in self._muted]
        if _is_unproven(call) and all(self._overdone(call.tool, clause) for clause, _ in found):
            return True
        return all(self._persists(call.tool, clause, news) for clause, news in found)

    def evidence(self, calls: Iterable[Call]) -> Iterator[Call]:
        """Yield the calls that contracts are mined from, once all were counted, without their marks."""
        for call in calls:
            if self.admits(call):
                yield unmarked(call)
            else:
                self.refused += 1

    def _persists(self, tool: str, clause: str, news: str) -> bool:
        one = self._found.get((tool, clause, news))
        if one is None:  # it was recorded after all were counted
            return False
        # One client, session or hour cannot make a contract give way, nor can two clients in a day.
        seen = coverage(one.evidence)
        if seen.hours < HOURS or (seen.clients < CONFIG.least_clients and seen.days < DAYS):
            return False
        if one.change and len(one.tasks) >= CHANGE_TASKS:
            return True
        tasks, least = (GRAVE_TASKS, HIGH) if 2 * one.grave > one.results else (MANY_TASKS, MANY)
        return len(one.tasks) >= tasks and self._share(tool, one) >= least

    def _overdone(self, tool: str, clause: str) -> bool:
        """Say whether a clause that is being validated flags more than faults."""
        one = self._unproven.get((tool, clause))
        return one is not None and len(one.tasks) >= CHANGE_TASKS and self._share(tool, one) > FAULTS

    def _share(self, tool: str, one: _Finding) -> float:
        return one.results / (self._calls[tool] - one.before)


def is_flagged(call: Call) -> bool:
    """Say whether a recorded call is marked."""
    return call.extra.get(FLAGGED) is True


def unmarked(call: Call) -> Call:
    """Return a call without the mark that keeps it from being evidence."""
    if not is_flagged(call):
        return call
    return replace(call, extra={key: value for key, value in call.extra.items() if key != FLAGGED})


def _is_unproven(call: Call) -> bool:
    """Say whether nothing but clauses being validated flagged it; lines from before there were marks say no more than that."""
    return bool(call.extra.get("untold", NOT_PROVEN) == NOT_PROVEN)


def _findings(call: Call) -> list[tuple[str, str]]:
    """Return the findings that a line is marked with; of one from before there were marks, that there are some."""
    found = call.extra.get("findings")
    if not isinstance(found, list):
        return [("", "")]
    return [(str(one[0]), str(one[1])) for one in found if isinstance(one, list) and len(one) == 2]
