"""The figures of a backtest as one document: counts, shares, and whether the odds of a fault are calibrated."""

from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import fmean

from outcome_monitors.contracts.registry import Registry
from outcome_monitors.reports import Share

from .cases import Settings
from .faults import Fault
from .figures import Figures, interval_of, rounded, share_of
from .records import Draw, Replayed

__all__ = ["FAULTS_IN", "backtest_figures", "reliability"]

FAULTS_IN = 0.03
"""The share of the later results that are given a fault."""
BINS = 10
FORMAT = "outcome-monitors/audit-then"
VERSION = 1


def backtest_figures(
    wanted: Sequence[Fault],
    registry: Registry,
    unchanged: Draw,
    draws: Sequence[Draw],
    settings: Settings,
    traces: Sequence[str] = (),
    then: Sequence[str] = (),
) -> Figures:
    """Return the figures from the run without faults and from those with them; `traces` and `then` name the files."""
    drawn = [one for draw in draws for one in draw.results]
    wrong = [one for one in drawn if one.fault]
    suite_of = {one.name: one.suite for one in wanted}
    unbroken = [one for one in drawn if one.probability is None and one.covered and not one.flagged]
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
        "coverage": share_of(
            "covered", sum(one.covered for one in unchanged.results), "calls", len(unchanged.results)
        ),
        "right": _right(unchanged.results),
        "right_beside_faults": _right([one for one in drawn if not one.fault]),
        "wrong": _wrong(wrong),
        "suites": {
            suite: _wrong([one for one in wrong if suite_of[one.fault] == suite]) for suite in settings.suites
        },
        "faults": [
            {"fault": name, "suite": suite, **_wrong([one for one in wrong if one.fault == name])}
            for name, suite in suite_of.items()
        ],
        "reliability": reliability(
            (one.probability, bool(one.fault)) for one in drawn if one.probability is not None
        ),
        "unbroken": share_of("wrong", sum(bool(one.fault) for one in unbroken), "results", len(unbroken)),
        "changes": list(unchanged.changes),
        "tools": {
            tool: _tool([one for one in unchanged.results if one.tool == tool])
            for tool in sorted({one.tool for one in unchanged.results})
        },
        "failed_checks": sum(one.failures for one in (*unchanged.results, *drawn)),
    }
    for name in ("flagged", "told", "told_late"):
        # Each result is in every draw: they are not independent.
        del found["right_beside_faults"][name]["interval"]
    return {**found, "advice": _advice(found)}


def reliability(weighed: Iterable[tuple[float, bool]]) -> list[Figures]:
    """Return the calibration curve from the probability that each result was given, and whether it was wrong."""
    bins: dict[int, list[tuple[float, bool]]] = {}
    for value, wrong in weighed:
        bins.setdefault(min(int(value * BINS), BINS - 1), []).append((value, wrong))
    return [
        {
            "from": place / BINS,
            "to": (place + 1) / BINS,
            "said": rounded(fmean(value for value, _ in found)),
            **share_of("wrong", sum(wrong for _, wrong in found), "results", len(found)),
        }
        for place, found in sorted(bins.items())
    ]


def _right(results: Sequence[Replayed]) -> Figures:
    late = [one.told for one in results if one.late]
    untold = Counter(one.untold for one in results if one.flagged and not one.told)
    return {
        "flagged": share_of("flagged", sum(one.flagged for one in results), "results", len(results)),
        "told": share_of("told", sum(one.told for one in results), "results", len(results)),
        "told_late": share_of("told", sum(late), "results", len(late)),
        "untold": dict(sorted(untold.items())),
    }


def _wrong(results: Sequence[Replayed]) -> Figures:
    flagged = Share(sum(one.flagged for one in results), len(results))
    told = Share(sum(one.told for one in results), len(results))
    return {
        "n": len(results),
        "flagged": flagged.part,
        "flagged_rate": rounded(flagged.value),
        "told": told.part,
        "told_rate": rounded(told.value),
        "interval": interval_of(told),
    }


def _tool(results: Sequence[Replayed]) -> Figures:
    return {
        "results": len(results),
        "flagged": sum(one.flagged for one in results),
        "told": sum(one.told for one in results),
        "codes": dict(sorted(Counter(one.code for one in results if one.told).items())),
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
