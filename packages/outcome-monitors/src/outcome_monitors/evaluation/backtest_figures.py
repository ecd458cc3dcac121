"""The figures of a backtest as one document: counts, shares, and whether the odds of a fault are calibrated."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from outcome_monitors.alerting import severity
from outcome_monitors.contracts.registry import Registry
from outcome_monitors.model import Outcome
from outcome_monitors.reports import Share

from .cases import Settings
from .counts import Counts
from .faults import Fault
from .figures import Figures, interval_of, rounded, share_of

__all__ = ["FAULTS_IN", "BacktestCounts", "backtest_figures", "probability", "reliability"]

FAULTS_IN = 0.03
"""The share of the later results that are given a fault."""
BINS = 10
DIGITS = 3
FORMAT = "outcome-monitors/audit-then"
VERSION = 1


@dataclass(slots=True)
class BacktestCounts(Counts):
    """Counts of one run, or of several together."""

    right: Counter[str] = field(default_factory=Counter)
    """Right results by tool, as are the four that follow."""
    covered: Counter[str] = field(default_factory=Counter)
    flagged: Counter[str] = field(default_factory=Counter)
    told: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)
    """Internal errors of checks, of wrong results too."""
    late: Counter[bool] = field(default_factory=Counter)
    """Right results of the second half, by whether they alert."""
    untold: Counter[str] = field(default_factory=Counter)
    """Right results that are flagged without an alert, by why."""
    codes: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Right results that alert, by tool and first code."""
    made: Counter[str] = field(default_factory=Counter)
    """Wrong results by fault, as are the two that follow."""
    fault_flagged: Counter[str] = field(default_factory=Counter)
    fault_told: Counter[str] = field(default_factory=Counter)
    weighed: Counter[float] = field(default_factory=Counter)
    """Results by the probability of a fault that they are given, and below those that are wrong."""
    weighed_wrong: Counter[float] = field(default_factory=Counter)
    unbroken: Counter[bool] = field(default_factory=Counter)
    """Results without violations, by whether they are wrong."""
    changes: Counter[str] = field(default_factory=Counter)
    """The changes that stand at the end, in sentences."""

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


def backtest_figures(
    wanted: Sequence[Fault],
    registry: Registry,
    unchanged: BacktestCounts,
    draws: Sequence[BacktestCounts],
    settings: Settings,
    traces: Sequence[str] = (),
    then: Sequence[str] = (),
) -> Figures:
    """Return the figures from the run without faults and from those with them; `traces` and `then` name the files."""
    drawn = BacktestCounts.sum(draws)
    names = {suite: [one.name for one in wanted if one.suite == suite] for suite in settings.suites}
    found: Figures = {
        "format": FORMAT,
        "version": VERSION,
        "traces": list(traces),
        "then": list(then),
        "settings": {
            "faults": list(settings.suites),
            "faults_in": FAULTS_IN,
            "draws": len(draws),
            "profile": settings.profile,
            "budget": settings.budget,
            "limit": settings.limit,
        },
        "clauses": sum(len(contract.clauses) for contract in registry.contracts.values()),
        "coverage": share_of("covered", unchanged.covered.total(), "calls", unchanged.right.total()),
        "right": _right(unchanged),
        "right_beside_faults": _right(drawn),
        "wrong": _wrong((one.name for one in wanted), drawn),
        "suites": {suite: _wrong(names[suite], drawn) for suite in settings.suites},
        "faults": [{"fault": one.name, "suite": one.suite, **_wrong([one.name], drawn)} for one in wanted],
        "reliability": reliability(drawn.weighed, drawn.weighed_wrong),
        "unbroken": share_of("wrong", drawn.unbroken[True], "results", drawn.unbroken.total()),
        "changes": list(unchanged.changes),
        "tools": {tool: _tool(tool, unchanged) for tool in sorted(unchanged.right)},
        "failed_checks": unchanged.failed.total() + drawn.failed.total(),
    }
    for name in ("flagged", "told", "told_late"):
        # Each result is in every draw: they are not independent.
        del found["right_beside_faults"][name]["interval"]
    return {**found, "advice": _advice(found)}


def probability(odds: float) -> float:
    """Return odds as a probability, with so few digits that there are never many."""
    return round(severity.probability(odds), DIGITS)


def reliability(results: Mapping[float, int], wrong: Mapping[float, int]) -> list[Figures]:
    """Return the calibration curve from the results given each probability, and those of them that were wrong."""
    bins: dict[int, list[float]] = {}
    for value in sorted(results):
        bins.setdefault(min(int(value * BINS), BINS - 1), []).append(value)
    rows = []
    for place, values in bins.items():
        number = sum(results[value] for value in values)
        rows.append(
            {
                "from": place / BINS,
                "to": (place + 1) / BINS,
                "said": rounded(sum(value * results[value] for value in values) / number),
                **share_of("wrong", sum(wrong.get(value, 0) for value in values), "results", number),
            }
        )
    return rows


def _right(counts: BacktestCounts) -> Figures:
    results = counts.right.total()
    return {
        "flagged": share_of("flagged", counts.flagged.total(), "results", results),
        "told": share_of("told", counts.told.total(), "results", results),
        "told_late": share_of("told", counts.late[True], "results", counts.late.total()),
        "untold": dict(sorted(counts.untold.items())),
    }


def _wrong(faults: Iterable[str], counts: BacktestCounts) -> Figures:
    names = [*faults]
    made = sum(counts.made[name] for name in names)
    flagged, told = (
        Share(sum(counter[name] for name in names), made)
        for counter in (counts.fault_flagged, counts.fault_told)
    )
    return {
        "n": made,
        "flagged": flagged.part,
        "flagged_rate": rounded(flagged.value),
        "told": told.part,
        "told_rate": rounded(told.value),
        "interval": interval_of(told),
    }


def _tool(tool: str, counts: BacktestCounts) -> Figures:
    codes = {code: number for (name, code), number in sorted(counts.codes.items()) if name == tool}
    return {
        "results": counts.right[tool],
        "flagged": counts.flagged[tool],
        "told": counts.told[tool],
        "codes": codes,
    }


def _advice(found: Figures) -> str:
    """Return one sentence: alerts on right results are within the budget, or which tool has most of them."""
    more = "; of what changed, accept what is right" if found["changes"] else ""
    told = found["right"]["told"]
    if (told["rate"] or 0.0) <= found["settings"]["budget"]:
        return f"Alerts on right results are within the budget{more}."
    # The first by name, where several have as many.
    name, tool = max(found["tools"].items(), key=lambda item: item[1]["told"])
    code = max(tool["codes"], key=lambda each: tool["codes"][each])
    return (
        f"Alerts on right results are above the budget: {name} has {tool['told']:,} of {told['told']:,}, most often"
        f" {code} ({tool['codes'][code]:,}); if those results are right, learn from traces of more tasks{more}."
    )
