"""What to do next, in one sentence."""

from collections.abc import Mapping

from outcome_monitors.reports import percent

from .audit import Settings
from .figures import Audit

__all__ = ["advice"]

COVERED_ENOUGH = 0.9
CAUGHT_ENOUGH = 0.9

MORE_TRACES = (
    "add clean traces of more tasks, or what is public about the tools (`mine --schema`, `mine --database`)"
)
NEXT_STEP: Mapping[str, str] = {
    "argument": "see that the traces hold all arguments, then add clean traces of more tasks",
    "cross-call": "where it would hurt, ask twice, or read back what was written",
}
"""What helps against faults that need such a rule; for all others, `MORE_TRACES`."""
NAME_SESSIONS = "give every call its `session`, so that its result is held against earlier ones"


def advice(audit: Audit, settings: Settings) -> str:
    """Return the sentence: on false alarms where they are too many, else on coverage, else on what is missed most."""
    if (audit.clean.value or 0.0) > settings.budget:
        return _on_alarms(audit)
    within = _within(audit, settings)
    if (audit.covered.value or 0.0) < COVERED_ENOUGH:
        return f"{within}, but {_on_coverage(audit)}"
    return f"{within}; {_on_misses(audit)}"


def _within(audit: Audit, settings: Settings) -> str:
    high = audit.clean.interval[1] if audit.clean.interval else 1.0
    doubt = f" (so few calls leave room for {percent(high)})" if high > settings.budget else ""
    return f"False alarms are within the budget{doubt}"


def _on_alarms(audit: Audit) -> str:
    # The first by name, where several have as many.
    tool, worst = max(audit.tools.items(), key=lambda item: item[1].flagged)
    code, bearing = max(worst.codes.items(), key=lambda item: item[1])
    return (
        f"False alarms are above the budget: {tool} raises {worst.flagged:,} of {audit.clean.part:,}, most often"
        f" {code} ({bearing:,}); if those results are right after all, add clean traces of that tool from more tasks, or"
        " take its clauses of that code out of the contracts."
    )


def _on_coverage(audit: Audit) -> str:
    tool, worst = max(audit.tools.items(), key=lambda item: item[1].calls - item[1].covered)
    return (
        f"{audit.covered.whole - audit.covered.part:,} of"
        f" {audit.covered.whole:,} clean calls are of tools without a contract, most of them {tool}"
        f" ({worst.calls - worst.covered:,}): add traces of it from more tasks, or its schema (`mine --schema`)."
    )


def _on_misses(audit: Audit) -> str:
    kinds = [kind for kind in audit.kinds if kind.in_mean]
    if not kinds:
        return "no fault suits enough calls to say what is caught: add traces."
    worst = min(kinds, key=lambda kind: kind.caught.value or 0.0)
    found = f"{worst.fault.name} ({worst.caught} caught)"
    if (worst.caught.value or 0.0) >= CAUGHT_ENOUGH:
        return f"the least caught fault is {found}: mine all traces and use the contracts."
    step = NEXT_STEP.get(worst.fault.needs, MORE_TRACES)
    if worst.fault.needs == "cross-call" and audit.in_session.part < audit.in_session.whole:
        step = NAME_SESSIONS
    return f"missed most is {found}, which takes a rule of kind {worst.fault.needs}: {step}."
