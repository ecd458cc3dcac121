"""What is noted of each result that is judged; the figures of audits and backtests are sums over these records."""

from typing import NamedTuple

from outcome_monitors.alerting.severity import probability
from outcome_monitors.model import Outcome

from .cases import Case

__all__ = ["DIGITS", "Draw", "Fold", "Judged", "Replayed"]

DIGITS = 3
"""Of the probability of a fault."""


class Judged(NamedTuple):
    """A result in an audit, judged by contracts that were learned without its task."""

    tool: str
    task: str
    fault: str = ""
    """Empty for a clean result."""
    in_session: bool = True
    covered: bool = True
    codes: frozenset[str] = frozenset()
    """The violation codes; none where nothing flags it."""
    kinds: frozenset[str] = frozenset()
    """The kinds of the violated clauses."""
    anyway: bool = False
    """The clean result was flagged as well."""
    built_in: bool = False
    """Built-in rules alone flag it."""
    failures: int = 0
    """Internal errors of the check."""

    @classmethod
    def of(cls, case: Case, fault: str, outcome: Outcome, *, anyway: bool, built_in: bool) -> "Judged":
        """Note an outcome."""
        return cls(
            case.call.tool,
            case.task,
            fault,
            case.call.session is not None,
            outcome.why != "no contract",
            frozenset(violation.code for _, violation in outcome.broken),
            frozenset(clause.kind for clause, _ in outcome.broken),
            anyway,
            built_in,
            len(outcome.failures),
        )


class Fold(NamedTuple):
    """The results of one fold, and how many clauses were learned from the others."""

    clauses: int
    results: tuple[Judged, ...]


class Replayed(NamedTuple):
    """A result in a backtest, replayed in order."""

    tool: str
    fault: str
    """Empty for a right result."""
    late: bool
    """It is of the second half."""
    covered: bool
    flagged: bool
    told: bool
    untold: str
    """Why a flagged result does not alert."""
    code: str
    """The first violation of an alert."""
    probability: float | None
    """That of a fault, where it was weighed; with so few digits that there are never many."""
    failures: int

    @classmethod
    def of(cls, outcome: Outcome, fault: str, *, late: bool) -> "Replayed":
        """Note an outcome."""
        return cls(
            outcome.tool,
            fault,
            late,
            outcome.why != "no contract",
            bool(outcome.broken),
            outcome.told,
            outcome.untold,
            outcome.proven[0][1].code if outcome.told else "",
            None if outcome.odds is None else round(probability(outcome.odds), DIGITS),
            len(outcome.failures),
        )


class Draw(NamedTuple):
    """The results of one run, and the changes that stand at its end, in sentences."""

    results: tuple[Replayed, ...]
    changes: tuple[str, ...]
