"""The figures of an audit as one document: what `--json` writes, and what the report and the advice are made of."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any

from outcome_monitors.model import Json
from outcome_monitors.reports import Share, percent

from .cases import Settings
from .faults import Fault
from .records import Fold, Judged

__all__ = [
    "FORMAT",
    "LEAST",
    "VERSION",
    "Figures",
    "audit_figures",
    "interval_of",
    "rounded",
    "share_of",
]

FORMAT = "outcome-monitors/audit"
VERSION = 1
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
            **share_of("flagged", _flagged(clean), "calls", len(clean)),
            "tasks": share_of("flagged", len({one.task for one in clean if one.codes}), "tasks", len(tasks)),
        },
        "built_in": {
            "clean": share_of("flagged", sum(one.built_in for one in clean), "calls", len(clean)),
            "suites": {
                suite: _mean(rows, lambda row: built_in[row["fault"]]) for suite, rows in suites.items()
            },
        },
        "coverage": share_of("covered", sum(one.covered for one in clean), "calls", len(clean)),
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
    return sum(bool(one.codes) for one in results)


def share_of(part: str, number: int, whole: str, of: int) -> dict[str, Json]:
    """Return a share with its uncertainty; `part` and `whole` name what is counted."""
    share = Share(number, of)
    return {part: number, whole: of, "rate": rounded(share.value), "interval": interval_of(share)}


def interval_of(share: Share) -> list[float] | None:
    """Return the confidence interval of a share; None without data."""
    return [round(end, DIGITS) for end in share.interval] if share.interval else None


def rounded(value: float | None) -> float | None:
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
        "recall": rounded(caught.value),
        "interval": interval_of(caught),
        "net_caught": net.part,
        "net_recall": rounded(net.value),
    }


def _mean(faults: Iterable[Figures], caught: Callable[[Figures], int]) -> float | None:
    """Return the mean recall of the kinds of fault that count in it."""
    shares = [caught(row) / row["n"] for row in faults if row["in_mean"]]
    return rounded(fmean(shares)) if shares else None


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
        "faulted": share_of("caught", _flagged(faulted), "results", len(faulted)),
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
