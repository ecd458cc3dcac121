"""One run over the later results, in order, as if live: as they are, or with faults drawn into some of them.

Which results are wrong in a draw, and in what way, is settled by a stable hash: a kind of fault first, each as likely as any
other, then one of the results that it suits. A result has one fault at most.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from math import ceil
from typing import NamedTuple

from outcome_monitors.alerting.alert_policy import alert_policies, usual_policy
from outcome_monitors.audit.cases import TRIES, Case, Corrupted
from outcome_monitors.audit.figures import LEAST
from outcome_monitors.audit.reliability import said
from outcome_monitors.checking.failures import quiet
from outcome_monitors.checking.monitor import Monitor
from outcome_monitors.checking.replay import Replay
from outcome_monitors.contracts.registry import Registry
from outcome_monitors.model import Outcome
from outcome_monitors.values.hashing import stable_hash

__all__ = ["AS_THEY_ARE", "FAULTS_IN", "SequelTally", "Traffic", "draw_faults", "examine_draw"]

FAULTS_IN = 0.03
"""The share of the later results that are given a fault."""
AS_THEY_ARE = 0
"""The draw without faults."""


class Traffic(NamedTuple):
    """What is looked at, and by what."""

    cases: Sequence[Case]
    """The later calls, in order; those that failed openly have no faults."""
    registry: Registry
    budget: float


@dataclass(slots=True)
class SequelTally:
    """Counts of one run, or of several together."""

    right: Counter[str] = field(default_factory=Counter)
    """Right results by tool, as are the four that follow."""
    covered: Counter[str] = field(default_factory=Counter)
    flagged: Counter[str] = field(default_factory=Counter)
    told: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)
    """Checks that went wrong inside, of wrong results too."""
    late: Counter[bool] = field(default_factory=Counter)
    """Right results of the second half, by whether they are told."""
    untold: Counter[str] = field(default_factory=Counter)
    """Right results that are flagged and not told, by why."""
    codes: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Right results that are told, by tool and by what is told first."""
    made: Counter[str] = field(default_factory=Counter)
    """Wrong results by fault, as are the two that follow."""
    fault_flagged: Counter[str] = field(default_factory=Counter)
    fault_told: Counter[str] = field(default_factory=Counter)
    weighed: Counter[float] = field(default_factory=Counter)
    """Results by how probable it is said to be that they are wrong, and below those that are."""
    weighed_wrong: Counter[float] = field(default_factory=Counter)
    unbroken: Counter[bool] = field(default_factory=Counter)
    """Results that break nothing, by whether they are wrong."""
    changes: Counter[str] = field(default_factory=Counter)
    """What is a change at the end, in sentences."""

    def add(self, other: "SequelTally") -> None:
        """Add the counts of another run."""
        for each in fields(self):
            getattr(self, each.name).update(getattr(other, each.name))

    def count_right(self, outcome: Outcome, *, late: bool) -> None:
        """Count a right result."""
        tool = outcome.tool
        self.right[tool] += 1
        self.covered[tool] += outcome.why != "no contract"
        self.flagged[tool] += bool(outcome.broken)
        self.told[tool] += outcome.told
        if late:
            self.late[outcome.told] += 1
        if outcome.told:
            self.codes[tool, outcome.proven[0][1].code] += 1
        elif outcome.broken:
            self.untold[outcome.untold] += 1

    def count_wrong(self, outcome: Outcome, fault: str) -> None:
        """Count a wrong result."""
        self.made[fault] += 1
        self.fault_flagged[fault] += bool(outcome.broken)
        self.fault_told[fault] += outcome.told

    def count_odds(self, outcome: Outcome, *, wrong: bool) -> None:
        """Count a result by the odds that it was given."""
        if outcome.odds is not None:
            self.weighed[said(outcome.odds)] += 1
            self.weighed_wrong[said(outcome.odds)] += wrong
        elif not outcome.broken and outcome.why != "no contract":
            self.unbroken[wrong] += 1


def examine_draw(traffic: Traffic, draw: int) -> SequelTally:
    """Look at all results of a draw, in order, and count what happens."""
    wrong = {} if draw == AS_THEY_ARE else draw_faults(traffic.cases, draw)
    policy = usual_policy(traffic.registry.profile, budget=traffic.budget)
    replay, tally = Replay(Monitor(traffic.registry)), SequelTally()
    with quiet():
        for place, case in enumerate(traffic.cases):
            fault = wrong.get(place)
            call = case.call if fault is None else replace(case.call, result=fault.result)
            outcome = replay.judge(call, policy)
            if not call.error:
                _count(tally, outcome, fault, late=2 * place >= len(traffic.cases))
    for one in alert_policies(policy):
        tally.changes.update(dict.fromkeys((change.sentence() for change in one.changes.changes()), 1))
    return tally


def _count(tally: SequelTally, outcome: Outcome, fault: Corrupted | None, *, late: bool) -> None:
    tally.failed[outcome.tool] += len(outcome.failures)
    tally.count_odds(outcome, wrong=fault is not None)
    if fault is None:
        tally.count_right(outcome, late=late)
    else:
        tally.count_wrong(outcome, fault.fault)


def draw_faults(cases: Sequence[Case], draw: int, share: float = FAULTS_IN) -> dict[int, Corrupted]:
    """Return which results a draw makes wrong, and how; fewer where faults suit few."""
    kinds: dict[str, list[tuple[int, Corrupted]]] = {}
    for place, case in enumerate(cases):
        for corrupted in case.corrupted:
            kinds.setdefault(corrupted.fault, []).append((place, corrupted))
    suiting = [kinds[name] for name in sorted(kinds) if len(kinds[name]) >= LEAST]
    wanted = ceil(share * sum(not case.call.error for case in cases))
    wrong: dict[int, Corrupted] = {}
    for attempt in range(TRIES * wanted if suiting else 0):
        if len(wrong) == wanted:
            break
        kind = suiting[stable_hash(f"kind\0{draw}\0{attempt}") % len(suiting)]
        place, corrupted = kind[stable_hash(f"place\0{draw}\0{attempt}") % len(kind)]
        wrong.setdefault(place, corrupted)
    return wrong
