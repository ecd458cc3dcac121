"""How severe a violation is, and the odds of a fault given all violations of a result.

What tells wrong results from new ones is the highest severity, and how many kinds of clause are violated beside it: one more field is
one kind, an error page violates five.
"""

from collections.abc import Collection
from math import inf
from typing import NamedTuple

from outcome_monitors.model import BUDGET, Clause, Json, Violation
from outcome_monitors.rules import KINDS
from outcome_monitors.rules.base.severity import Severity, less_severe

from .config import CONFIG


class GradedViolation(NamedTuple):
    """A violated clause, the violation at one place, and its severity."""

    clause: Clause
    violation: Violation
    severity: Severity


def severity_of(clause: Clause, violation: Violation, result: Json) -> Severity:
    """Return the severity of a violation, lower where few tasks support the clause."""
    kind = KINDS.get(clause.kind)
    # A misrouted response is of no kind.
    severity = Severity.HIGH if kind is None else kind.severity(clause, violation, result)
    return less_severe(severity, clause.tasks) if clause.source == "traces" else severity


def odds_of_fault(violations: Collection[GradedViolation]) -> float:
    """Return the odds that a result with these violations, at least one, is wrong."""
    kinds = {one.clause.kind for one in violations}
    row = CONFIG.odds[max(one.severity for one in violations)]
    return row[min(len(kinds), len(row)) - 1]


def least_odds(budget: float) -> float:
    """Return the odds to alert from, for a budget of false positives."""
    return CONFIG.least_odds * BUDGET / budget if budget else inf


def probability(odds: float) -> float:
    """Return odds as a probability."""
    return odds / (1 + odds)
