"""How likely a fault is, given all that a result breaks.

What tells right results that are new from wrong ones is how grave the gravest violation is, and how many kinds of clause are broken
beside it: a field more is one kind, an error page breaks five. The table has the odds of a fault for each, measured on traffic
that had changed, with faults in 3 of 100 results (`audit --then` measures them again, and shows how well they hold).
"""

from collections.abc import Collection, Mapping, Sequence
from math import inf
from typing import NamedTuple

from outcome_monitors.model import BUDGET, Clause, Violation
from outcome_monitors.rules.base.gravity import Gravity

__all__ = ["LEAST_ODDS", "TABLE", "Graded", "least_odds", "odds_of_fault", "share"]

TABLE: Mapping[Gravity, Sequence[float]] = {
    Gravity.TRIFLE: (0.06, 0.06, 0.06, 0.06),
    Gravity.SLIGHT: (0.12, 0.12, 0.2, 0.5),
    Gravity.FAIR: (0.4, 1.6, 2.3, 10.0),
    Gravity.GRAVE: (3.5, 9.0, 20.0, 20.0),
    Gravity.USELESS: (10.0, 20.0, 20.0, 20.0),
}
"""The odds of a fault by the gravest violation, with 1, 2, 3, and more kinds of clause broken."""
LEAST_ODDS = 0.25
"""Under the usual budget: below these odds a result is not told."""


class Graded(NamedTuple):
    """A broken clause, and how much that says."""

    clause: Clause
    violation: Violation
    gravity: Gravity


def odds_of_fault(found: Collection[Graded]) -> float:
    """Return the odds that a result which breaks these, at least one, is wrong."""
    kinds = {graded.clause.kind for graded in found}
    row = TABLE[max(graded.gravity for graded in found)]
    return row[min(len(kinds), len(row)) - 1]


def least_odds(budget: float) -> float:
    """Return the odds from which on a result is told, so that a budget is kept: half the budget asks for twice the odds."""
    return LEAST_ODDS * BUDGET / budget if budget else inf


def share(odds: float) -> float:
    """Return odds as a probability."""
    return odds / (1 + odds)
