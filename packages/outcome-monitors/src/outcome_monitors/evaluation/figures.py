"""The figures of an audit as one document: what `--json` writes, and what the report and the advice are made of."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any

from outcome_monitors.model import Json
from outcome_monitors.reports import Share, percent

from .cases import Settings
from .counts import AuditCounts
from .faults import Fault

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
    folds: Sequence[AuditCounts],
    settings: Settings,
    traces: Sequence[str] = (),
    failed_openly: int = 0,
) -> Figures:
    """Return the figures of an audit from the counts of its folds; `traces` names the files."""
    whole = AuditCounts.sum(folds)
    calls = whole.calls.total()
    faults = [_fault(fault, whole) for fault in wanted]
    suites = {suite: [row for row in faults if row["suite"] == suite] for suite in settings.suites}
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
        "calls": {"clean": calls, "in_session": whole.in_session.total(), "failed_openly": failed_openly},
        "folds": [
            {"tasks": len(fold.tasks), "calls": fold.calls.total(), "clauses": fold.clauses.total()}
            for fold in folds
        ],
        "clean": {
            **share_of("flagged", whole.flagged.total(), "calls", calls),
            "tasks": share_of("flagged", len(+whole.tasks_flagged), "tasks", len(whole.tasks)),
        },
        "built_in": {
            "clean": share_of("flagged", whole.built_in_flagged.total(), "calls", calls),
            "suites": {suite: _mean(rows, whole.built_in_caught) for suite, rows in suites.items()},
        },
        "coverage": share_of("covered", whole.covered.total(), "calls", calls),
        "suites": {
            suite: {
                "kinds_in_mean": sum(row["in_mean"] for row in rows),
                "recall": _mean(rows, whole.caught),
                "net_recall": _mean(rows, whole.net),
            }
            for suite, rows in suites.items()
        },
        "faults": faults,
        "codes": _alarms(whole.clean_codes, whole.faulted_codes),
        "kinds": _alarms(whole.clean_kinds, whole.faulted_kinds),
        "tools": {tool: _tool(tool, whole) for tool in sorted(whole.calls)},
        "failed_checks": whole.failed.total(),
    }
    return {**found, "advice": _advice(found)}


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


def _fault(fault: Fault, whole: AuditCounts) -> Figures:
    # The pattern of a variant names the fault that it is a variant of.
    made, variant = whole.made[fault.name], "," in fault.pattern
    caught, net = Share(whole.caught[fault.name], made), Share(whole.net[fault.name], made)
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


def _mean(faults: Iterable[Figures], caught: Counter[str]) -> float | None:
    """Return the mean recall of the kinds of fault that count in it."""
    shares = [caught[row["fault"]] / row["n"] for row in faults if row["in_mean"]]
    return rounded(fmean(shares)) if shares else None


def _alarms(clean: Counter[frozenset[str]], faulted: Counter[frozenset[str]]) -> Figures:
    """Return, by code or kind, the results that it flags, and those that nothing else flags."""

    def flagged(results: Counter[frozenset[str]], name: str) -> int:
        return sum(number for names, number in results.items() if name in names)

    return {
        name: {
            "clean": flagged(clean, name),
            "clean_alone": clean[frozenset({name})],
            "faulted": flagged(faulted, name),
            "faulted_alone": faulted[frozenset({name})],
        }
        for name in sorted(frozenset[str]().union(*clean, *faulted))
    }


def _tool(tool: str, whole: AuditCounts) -> Figures:
    return {
        "calls": whole.calls[tool],
        "covered": whole.covered[tool],
        "flagged": whole.flagged[tool],
        "codes": {code: number for (name, code), number in sorted(whole.alarms.items()) if name == tool},
        "faulted": share_of("caught", whole.tool_caught[tool], "results", whole.tool_made[tool]),
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
