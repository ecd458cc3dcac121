"""The figures of a backtest: counts, shares, how well the odds of a fault hold, canonical JSON, and what to do next."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import NamedTuple

from outcome_monitors.alerting import severity
from outcome_monitors.contracts.registry import Registry
from outcome_monitors.model import Json, Outcome
from outcome_monitors.reports import Share

from .cases import Settings
from .faults import Fault
from .figures import interval_document, rounded, share_document

__all__ = [
    "FAULTS_IN",
    "Backtest",
    "BacktestCounts",
    "FaultFigures",
    "ReliabilityBin",
    "RightFigures",
    "ToolBacktest",
    "backtest_advice",
    "backtest_as_json",
    "backtest_figures",
    "probability",
    "reliability",
]

FAULTS_IN = 0.03
"""The share of the later results that are given a fault."""
BINS = 10
DIGITS = 3


class ReliabilityBin(NamedTuple):
    """Results that were given about the same probability of being wrong."""

    low: float
    high: float
    """The probabilities that are in it, the upper bound in the last one alone."""
    said: float
    """The mean of theirs."""
    wrong: Share


def probability(odds: float) -> float:
    """Return odds as a probability, with so few digits that there are never many."""
    return round(severity.probability(odds), DIGITS)


def reliability(results: Mapping[float, int], wrong: Mapping[float, int]) -> tuple[ReliabilityBin, ...]:
    """Return the curve from the results given each probability, and those of them that were wrong; empty bins are left out."""
    bins: dict[int, list[float]] = {}
    for value in sorted(results):
        bins.setdefault(min(int(value * BINS), BINS - 1), []).append(value)
    return tuple(
        ReliabilityBin(
            place / BINS,
            (place + 1) / BINS,
            sum(value * results[value] for value in values) / sum(map(results.__getitem__, values)),
            Share(sum(wrong.get(value, 0) for value in values), sum(map(results.__getitem__, values))),
        )
        for place, values in bins.items()
    )


@dataclass(slots=True)
class BacktestCounts:
    """Counts of one run, or of several together."""

    right: Counter[str] = field(default_factory=Counter)
    """Right results by tool, as are the four that follow."""
    covered: Counter[str] = field(default_factory=Counter)
    flagged: Counter[str] = field(default_factory=Counter)
    told: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)
    """Checks that went wrong inside, of wrong results too."""
    late: Counter[bool] = field(default_factory=Counter)
    """Right results of the second half, by whether they alert."""
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

    def add(self, other: "BacktestCounts") -> None:
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
            self.weighed[probability(outcome.odds)] += 1
            self.weighed_wrong[probability(outcome.odds)] += wrong
        elif not outcome.broken and outcome.why != "no contract":
            self.unbroken[wrong] += 1


@dataclass(frozen=True, slots=True)
class RightFigures:
    """What became of right results: every alert on them is a false positive."""

    flagged: Share
    told: Share
    late: Share
    """Told, of those in the second half."""
    untold: Mapping[str, int]
    """Those flagged and not told, by why."""


@dataclass(frozen=True, slots=True)
class FaultFigures:
    """What became of wrong results: of one kind, of a suite, or of all."""

    name: str
    suite: str
    flagged: Share
    told: Share


@dataclass(frozen=True, slots=True)
class ToolBacktest:
    """What became of one tool's right results, as they are."""

    results: int
    flagged: int
    told: int
    codes: Mapping[str, int]
    """What is told first."""


@dataclass(frozen=True, slots=True)
class Backtest:
    """All figures of a backtest."""

    clauses: int
    """Learned from the earlier traces."""
    covered: Share
    """Later calls of a tool that has a contract."""
    right: RightFigures
    """Of all later results, as they are."""
    beside: RightFigures
    """Of those that stayed right where faults were put into others, over all draws."""
    draws: int
    wrong: FaultFigures
    """Over all draws, as are the two that follow."""
    suites: tuple[FaultFigures, ...]
    kinds: tuple[FaultFigures, ...]
    reliability: tuple[ReliabilityBin, ...]
    unbroken: Share
    """Wrong ones among the results that break nothing."""
    changes: tuple[str, ...]
    """What has become usual in the later results, and is so at their end."""
    tools: Mapping[str, ToolBacktest]
    failed: int
    """Checks that went wrong inside, and counted as results without an alarm."""


def backtest_figures(
    wanted: Sequence[Fault], registry: Registry, as_they_are: BacktestCounts, draws: Sequence[BacktestCounts]
) -> Backtest:
    """Return the figures from the run without faults and from those with them."""
    drawn = BacktestCounts()
    for tally in draws:
        drawn.add(tally)
    suites = dict.fromkeys(fault.suite for fault in wanted)
    return Backtest(
        clauses=sum(len(contract.clauses) for contract in registry.contracts.values()),
        covered=Share(as_they_are.covered.total(), as_they_are.right.total()),
        right=_right(as_they_are),
        beside=_right(drawn),
        draws=len(draws),
        wrong=_faults("all", "", wanted, drawn),
        suites=tuple(
            _faults(suite, suite, (fault for fault in wanted if fault.suite == suite), drawn)
            for suite in suites
        ),
        kinds=tuple(_faults(fault.name, fault.suite, (fault,), drawn) for fault in wanted),
        reliability=reliability(drawn.weighed, drawn.weighed_wrong),
        unbroken=Share(drawn.unbroken[True], drawn.unbroken.total()),
        changes=tuple(as_they_are.changes),
        tools={tool: _tool(tool, as_they_are) for tool in sorted(as_they_are.right)},
        failed=as_they_are.failed.total() + drawn.failed.total(),
    )


def _right(tally: BacktestCounts) -> RightFigures:
    results = tally.right.total()
    return RightFigures(
        Share(tally.flagged.total(), results),
        Share(tally.told.total(), results),
        Share(tally.late[True], tally.late.total()),
        dict(sorted(tally.untold.items())),
    )


def _faults(name: str, suite: str, faults: Iterable[Fault], tally: BacktestCounts) -> FaultFigures:
    names = [fault.name for fault in faults]

    def total(counts: Counter[str]) -> int:
        return sum(counts[each] for each in names)

    made = total(tally.made)
    return FaultFigures(
        name, suite, Share(total(tally.fault_flagged), made), Share(total(tally.fault_told), made)
    )


def _tool(tool: str, tally: BacktestCounts) -> ToolBacktest:
    codes = {code: number for (name, code), number in sorted(tally.codes.items()) if name == tool}
    return ToolBacktest(tally.right[tool], tally.flagged[tool], tally.told[tool], codes)


BACKTEST_FORMAT = "outcome-monitors/audit-then"
BACKTEST_VERSION = 1


def backtest_as_json(found: Backtest, settings: Settings, traces: Sequence[str], then: Sequence[str]) -> str:
    """Return all figures; `traces` names the files that were learned from, `then` those that were looked at."""
    document = {
        "format": BACKTEST_FORMAT,
        "version": BACKTEST_VERSION,
        "traces": list(traces),
        "then": list(then),
        "settings": {
            "faults": list(settings.suites),
            "faults_in": FAULTS_IN,
            "draws": found.draws,
            "profile": settings.profile,
            "budget": settings.budget,
            "limit": settings.limit,
        },
        "clauses": found.clauses,
        "coverage": share_document(found.covered, "covered", "calls"),
        "right": _right_document(found.right),
        "right_beside_faults": _right_document(found.beside, again=True),
        "wrong": _wrong_document(found.wrong),
        "suites": {suite.name: _wrong_document(suite) for suite in found.suites},
        "faults": [
            {"fault": kind.name, "suite": kind.suite, **_wrong_document(kind)} for kind in found.kinds
        ],
        "reliability": [
            {
                "from": one.low,
                "to": one.high,
                "said": rounded(one.said),
                **share_document(one.wrong, "wrong", "results"),
            }
            for one in found.reliability
        ],
        "unbroken": share_document(found.unbroken, "wrong", "results"),
        "changes": list(found.changes),
        "tools": {name: asdict(tool) for name, tool in found.tools.items()},
        "failed_checks": found.failed,
        "advice": backtest_advice(found, settings.budget),
    }
    return json.dumps(document, indent=2) + "\n"


def _right_document(right: RightFigures, *, again: bool = False) -> Json:
    """Return what became of right results; where each is looked at again and again, there is no interval."""
    shares = {
        "flagged": share_document(right.flagged, "flagged", "results"),
        "told": share_document(right.told, "told", "results"),
        "told_late": share_document(right.late, "told", "results"),
    }
    if again:
        for share in shares.values():
            del share["interval"]
    return {**shares, "untold": dict(right.untold)}


def _wrong_document(wrong: FaultFigures) -> dict[str, Json]:
    return {
        "n": wrong.told.whole,
        "flagged": wrong.flagged.part,
        "flagged_rate": rounded(wrong.flagged.value),
        "told": wrong.told.part,
        "told_rate": rounded(wrong.told.value),
        "interval": interval_document(wrong.told),
    }


def backtest_advice(found: Backtest, budget: float) -> str:
    """Return the sentence: alerts on right results are within the budget, or which tool has most of them."""
    more = "; of what changed, accept what is right" if found.changes else ""
    if (found.right.told.value or 0.0) <= budget:
        return f"Alerts on right results are within the budget{more}."
    # The first by name, where several have as many.
    name, tool = max(found.tools.items(), key=lambda item: item[1].told)
    code = max(tool.codes, key=lambda each: tool.codes[each])
    return (
        f"Alerts on right results are above the budget: {name} has {tool.told:,} of"
        f" {found.right.told.part:,}, most often {code} ({tool.codes[code]:,}); if those results are right, learn from"
        f" traces of more tasks{more}."
    )
