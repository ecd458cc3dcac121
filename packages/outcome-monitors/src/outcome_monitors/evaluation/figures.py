"""The figures of an audit, or of a backtest, as one document: what `--json` writes, and what the report and the advice are made of."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any

from outcome_monitors.contracts.registry import Registry
from outcome_monitors.model import Json
from outcome_monitors.reports import Share, percent

from .cases import Settings
from .faults import Fault
from .records import Draw, Fold, Judged

FORMAT, BACKTEST = "outcome-monitors/audit", "outcome-monitors/audit-then"
VERSION = 1
FAULTS_IN = 0.03
"""The share of a backtest's results that are given a fault."""
BINS = 10
DIGITS = 6
LEAST = 3
"""A kind of fault that suits fewer calls is shown, but is not in the mean."""

Figures = dict[str, Any]
"""The document; docs/guides/audit.md says what its keys hold."""


def audit_figures(
    wanted: Sequence[Fault],
    folds: Sequence[Fold],
    settings: Settings,
    traces: Sequence[str] = (),
    failed_openly: int = 0,
) -> Figures:
    """Return the figures of an audit from the results of its folds; `traces` names the files."""
    results = [one for fold in folds for one in fold.results]
    clean, faulted = [one for one in results if not one.fault], [one for one in results if one.fault]
    tasks = {one.task for one in clean}
    by_fault = _grouped(faulted, lambda one: one.fault)
    faults = [_fault(fault, by_fault.get(fault.name, [])) for fault in wanted]
    suites = {suite: [row for row in faults if row["suite"] == suite] for suite in settings.suites}
    tools, faulted_of = _grouped(clean, lambda one: one.tool), _grouped(faulted, lambda one: one.tool)
    built_in = {name: sum(one.built_in for one in ones) for name, ones in by_fault.items()}
    found: Figures = {
        "format": FORMAT,
        "version": VERSION,
        "traces": list(traces),
        "settings": {
            "folds": settings.folds,
            "faults": list(settings.suites),
            "profile": settings.profile,
            "budget": settings.budget,
            "limit": settings.limit,
        },
        "calls": {
            "clean": len(clean),
            "in_session": sum(one.in_session for one in clean),
            "failed_openly": failed_openly,
        },
        "folds": [_fold(fold) for fold in folds],
        "clean": {
            **_share_of("flagged", _flagged(clean), "calls", len(clean)),
            "tasks": _share_of("flagged", len({one.task for one in clean if one.codes}), "tasks", len(tasks)),
        },
        "built_in": {
            "clean": _share_of("flagged", sum(one.built_in for one in clean), "calls", len(clean)),
            "suites": {
                suite: _mean(rows, lambda row: built_in[row["fault"]]) for suite, rows in suites.items()
            },
        },
        "coverage": _share_of("covered", sum(one.covered for one in clean), "calls", len(clean)),
        "suites": {
            suite: {
                "kinds_in_mean": sum(row["in_mean"] for row in rows),
                "recall": _mean(rows, lambda row: row["caught"]),
                "net_recall": _mean(rows, lambda row: row["net_caught"]),
            }
            for suite, rows in suites.items()
        },
        "faults": faults,
        "codes": _alarms([one.codes for one in clean], [one.codes for one in faulted]),
        "kinds": _alarms([one.kinds for one in clean], [one.kinds for one in faulted]),
        "tools": {tool: _tool(tools[tool], faulted_of.get(tool, [])) for tool in sorted(tools)},
        "failed_checks": sum(one.failures for one in results),
    }
    return {**found, "advice": _advice(found)}


def _grouped(results: Iterable[Judged], by: Callable[[Judged], str]) -> dict[str, list[Judged]]:
    groups: dict[str, list[Judged]] = {}
    for one in results:
        groups.setdefault(by(one), []).append(one)
    return groups


def _flagged(results: Iterable[Judged]) -> int:
    return sum(one.flagged for one in results)


def _share_of(part: str, number: int, whole: str, of: int) -> dict[str, Json]:
    """Return a share with its uncertainty; `part` and `whole` name what is counted."""
    share = Share(number, of)
    return {part: number, whole: of, "rate": _rounded(share.value), "interval": _interval_of(share)}


def _interval_of(share: Share) -> list[float] | None:
    """Return the confidence interval of a share; None without data."""
    return [round(end, DIGITS) for end in share.interval] if share.interval else None


def _rounded(value: float | None) -> float | None:
    """Return a value with as many digits as the document has."""
    return None if value is None else round(value, DIGITS)


def _fold(fold: Fold) -> Figures:
    clean = [one for one in fold.results if not one.fault]
    return {"tasks": len({one.task for one in clean}), "calls": len(clean), "clauses": fold.clauses}


def _fault(fault: Fault, results: Sequence[Judged]) -> Figures:
    # The pattern of a variant names the fault that it is a variant of.
    made, variant = len(results), "," in fault.pattern
    caught = Share(_flagged(results), made)
    net = Share(sum(bool(one.codes) and not one.anyway for one in results), made)
    return {
        "fault": fault.name,
        "suite": fault.suite,
        "pattern": fault.pattern,
        "needs": fault.needs,
        "variant": variant,
        "in_mean": made >= LEAST and not variant,
        "n": made,
        "caught": caught.part,
        "recall": _rounded(caught.value),
        "interval": _interval_of(caught),
        "net_caught": net.part,
        "net_recall": _rounded(net.value),
    }


def _mean(faults: Iterable[Figures], caught: Callable[[Figures], int]) -> float | None:
    """Return the mean recall of the kinds of fault that count in it."""
    shares = [caught(row) / row["n"] for row in faults if row["in_mean"]]
    return _rounded(fmean(shares)) if shares else None


def _alarms(clean: Sequence[frozenset[str]], faulted: Sequence[frozenset[str]]) -> Figures:
    """Return, by code or kind, the results that it flags, and those that nothing else flags."""
    return {
        name: {
            "clean": sum(name in names for names in clean),
            "clean_alone": clean.count(frozenset({name})),
            "faulted": sum(name in names for names in faulted),
            "faulted_alone": faulted.count(frozenset({name})),
        }
        for name in sorted(frozenset[str]().union(*clean, *faulted))
    }


def _tool(clean: Sequence[Judged], faulted: Sequence[Judged]) -> Figures:
    return {
        "calls": len(clean),
        "covered": sum(one.covered for one in clean),
        "flagged": _flagged(clean),
        "codes": dict(sorted(Counter(code for one in clean for code in one.codes).items())),
        "faulted": _share_of("caught", _flagged(faulted), "results", len(faulted)),
    }


COVERED_ENOUGH = 0.9
CAUGHT_ENOUGH = 0.9

MORE_TRACES = (
    "add clean traces of more tasks, or what is public about the tools (`mine --schema`, `mine --database`)"
)
NEXT_STEP: Mapping[str, str] = {
    "argument": "check that the traces hold all arguments, then add clean traces of more tasks",
    "cross-call": "where it would hurt, ask twice, or read back what was written",
}
"""What helps against faults that need such a rule; for all others, `MORE_TRACES`."""
NAME_SESSIONS = "give every call its `session`, so that its result is compared with earlier ones"


def _advice(found: Figures) -> str:
    """Return one sentence: on false alarms where they are too many, else on coverage, else on what is missed most."""
    budget, clean, coverage, tools = (
        found["settings"]["budget"],
        found["clean"],
        found["coverage"],
        found["tools"],
    )
    if (clean["rate"] or 0.0) > budget:
        # The first by name, where several have as many.
        tool, worst = max(tools.items(), key=lambda item: item[1]["flagged"])
        code, flagged = max(worst["codes"].items(), key=lambda item: item[1])
        return (
            f"False alarms are above the budget: {tool} raises {worst['flagged']:,} of {clean['flagged']:,}, most often"
            f" {code} ({flagged:,}); if those results are right after all, add clean traces of that tool from more tasks,"
            " or take its clauses of that code out of the contracts."
        )
    high = clean["interval"][1] if clean["interval"] else 1.0
    doubt = f" (so few calls leave room for {percent(high)})" if high > budget else ""
    within = f"False alarms are within the budget{doubt}"
    if (coverage["rate"] or 0.0) < COVERED_ENOUGH:
        tool, worst = max(tools.items(), key=lambda item: item[1]["calls"] - item[1]["covered"])
        return (
            f"{within}, but {coverage['calls'] - coverage['covered']:,} of {coverage['calls']:,} clean calls are of tools"
            f" without a contract, most of them {tool} ({worst['calls'] - worst['covered']:,}): add traces of it from more"
            " tasks, or its schema (`mine --schema`)."
        )
    return f"{within}; {_on_misses(found)}"


def _on_misses(found: Figures) -> str:
    counted = [row for row in found["faults"] if row["in_mean"]]
    if not counted:
        return "no fault suits enough calls to measure recall: add traces."
    worst = min(counted, key=lambda row: row["recall"])
    named = f"{worst['fault']} ({worst['caught']:,} of {worst['n']:,} caught)"
    if worst["recall"] >= CAUGHT_ENOUGH:
        return f"the least caught fault is {named}: mine all traces and use the contracts."
    step = NEXT_STEP.get(worst["needs"], MORE_TRACES)
    if worst["needs"] == "cross-call" and found["calls"]["in_session"] < found["calls"]["clean"]:
        step = NAME_SESSIONS
    return f"missed most is {named}, which takes a rule of kind {worst['needs']}: {step}."


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
    wrong = _grouped([one for one in drawn if one.fault], lambda one: one.fault)
    tools = _grouped(unchanged.results, lambda one: one.tool)
    suite_of = {one.name: one.suite for one in wanted}
    unbroken = [one for one in drawn if one.probability is None and one.covered and not one.flagged]
    found: Figures = {
        "format": BACKTEST,
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
        "coverage": _share_of(
            "covered", sum(one.covered for one in unchanged.results), "calls", len(unchanged.results)
        ),
        "right": _right(unchanged.results),
        "right_beside_faults": _right([one for one in drawn if not one.fault]),
        "wrong": _wrong([one for its in wrong.values() for one in its]),
        "suites": {
            suite: _wrong([one for name, its in wrong.items() if suite_of[name] == suite for one in its])
            for suite in settings.suites
        },
        "faults": [
            {"fault": name, "suite": suite, **_wrong(wrong.get(name, []))} for name, suite in suite_of.items()
        ],
        "reliability": reliability(
            (one.probability, bool(one.fault)) for one in drawn if one.probability is not None
        ),
        "unbroken": _share_of("wrong", sum(bool(one.fault) for one in unbroken), "results", len(unbroken)),
        "changes": list(unchanged.changes),
        "tools": {tool: _alerts_of(tools[tool]) for tool in sorted(tools)},
        "failed_checks": sum(one.failures for one in (*unchanged.results, *drawn)),
    }
    for name in ("flagged", "told", "told_late"):
        # Each result is in every draw: they are not independent.
        del found["right_beside_faults"][name]["interval"]
    return {**found, "advice": _advice_on_alerts(found)}


def reliability(weighed: Iterable[tuple[float, bool]]) -> list[Figures]:
    """Return the calibration curve from the probability that each result was given, and whether it was wrong."""
    bins: dict[int, list[tuple[float, bool]]] = {}
    for value, wrong in weighed:
        bins.setdefault(min(int(value * BINS), BINS - 1), []).append((value, wrong))
    return [
        {
            "from": place / BINS,
            "to": (place + 1) / BINS,
            "said": _rounded(fmean(value for value, _ in found)),
            **_share_of("wrong", sum(wrong for _, wrong in found), "results", len(found)),
        }
        for place, found in sorted(bins.items())
    ]


def _right(results: Sequence[Judged]) -> Figures:
    late = [one.told for one in results if one.late]
    untold = Counter(one.untold for one in results if one.flagged and not one.told)
    return {
        "flagged": _share_of("flagged", sum(one.flagged for one in results), "results", len(results)),
        "told": _share_of("told", sum(one.told for one in results), "results", len(results)),
        "told_late": _share_of("told", sum(late), "results", len(late)),
        "untold": dict(sorted(untold.items())),
    }


def _wrong(results: Sequence[Judged]) -> Figures:
    flagged = Share(sum(one.flagged for one in results), len(results))
    told = Share(sum(one.told for one in results), len(results))
    return {
        "n": len(results),
        "flagged": flagged.part,
        "flagged_rate": _rounded(flagged.value),
        "told": told.part,
        "told_rate": _rounded(told.value),
        "interval": _interval_of(told),
    }


def _alerts_of(results: Sequence[Judged]) -> Figures:
    return {
        "results": len(results),
        "flagged": sum(one.flagged for one in results),
        "told": sum(one.told for one in results),
        "codes": dict(sorted(Counter(one.code for one in results if one.told).items())),
    }


def _advice_on_alerts(found: Figures) -> str:
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
