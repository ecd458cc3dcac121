"""What is noted of each result that is judged; the figures of audits and backtests are sums over these records."""

from typing import Any, NamedTuple

from outcome_monitors.alerting.severity import probability
from outcome_monitors.features.walk import task_name
from outcome_monitors.model import Call, Outcome

DIGITS = 3
"""Of the probability of a fault: so few that there are never many."""


class Judged(NamedTuple):
    """A result, judged by contracts that were learned without its task: by itself in an audit, in order in a backtest."""

    tool: str
    task: str
    fault: str = ""
    """Empty for a right result."""
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
    late: bool = False
    """It is of the second half."""
    failures: int = 0
    """Internal errors of the check."""
    told: bool = False
    untold: str = ""
    """Why a flagged result does not alert."""
    code: str = ""
    """The first violation of an alert."""
    probability: float | None = None
    """That of a fault, where it was weighed."""

    @property
    def flagged(self) -> bool:
        """Whether it violates something."""
        return bool(self.codes)

    @classmethod
    def of(cls, call: Call, outcome: Outcome, fault: str = "", **more: Any) -> "Judged":
        """Note an outcome."""
        return cls(
            call.tool,
            task_name(call),
            fault,
            call.session is not None,
            outcome.why != "no contract",
            frozenset(violation.code for _, violation in outcome.broken),
            frozenset(clause.kind for clause, _ in outcome.broken),
            failures=len(outcome.failures),
            told=outcome.told,
            untold=outcome.untold,
            code=outcome.proven[0][1].code if outcome.told else "",
            probability=None if outcome.odds is None else round(probability(outcome.odds), DIGITS),
            **more,
        )


class Fold(NamedTuple):
    """The results of one fold, and how many clauses were learned from the others."""

    clauses: int
    results: tuple[Judged, ...]


class Draw(NamedTuple):
    """The results of one run, and the changes that stand at its end, in sentences."""

    results: tuple[Judged, ...]
    changes: tuple[str, ...]
