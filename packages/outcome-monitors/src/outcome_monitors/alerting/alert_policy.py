"""The alert policy: suppress what has become normal, alert on faults.

What has drifted does not count (`changes`); the odds of a fault are computed from what is left (`severity`); and where much of the
traffic is flagged, single violations count for less. The same sequence of results is always decided in the same way.
"""

from collections import OrderedDict
from collections.abc import Iterable, Iterator
from pathlib import Path

from outcome_monitors.contracts.identity import address
from outcome_monitors.jsonvalue.paths import ROOT, parent, select
from outcome_monitors.jsonvalue.text import stable_hash
from outcome_monitors.model import BUDGET
from outcome_monitors.rules import KINDS, own_place
from outcome_monitors.rules.base.severity import Severity
from outcome_monitors.rules.base.traits import Build
from outcome_monitors.storage.tables import Tables

from .change_store import ChangeStore
from .changes import Changes, ObservedDrift, questions
from .config import CONFIG
from .policy import (
    NO_CONTEXT,
    AlertContext,
    AlertDecision,
    BrokenClause,
    Detection,
    Policies,
    alert_always,
    is_declared,
)
from .severity import GradedViolation, least_odds, odds_of_fault, severity_of

_AMBIGUOUS = (Severity.LOW, Severity.MEDIUM)
"""The severities that new results have as often as wrong ones: for them the recent flag rate counts."""


class AlertPolicy:
    """Decides which flagged results are likely wrong, one after the other."""

    def __init__(self, budget: float = BUDGET, state: Path | Tables | None = None) -> None:
        self.changes = Changes()
        self._store = ChangeStore(state, self.changes) if state is not None else None
        self._least = least_odds(budget)
        self.recent_flag_rate: OrderedDict[tuple[str, str], list[float]] = OrderedDict()
        """By client, and by client and witness, the recent share of results whose highest severity is each of the ambiguous ones."""
        self._flagged: OrderedDict[tuple[str, str], None] = OrderedDict()
        """The witnesses that have had a flagged result."""
        self._reminded: OrderedDict[tuple[str, str, str], None] = OrderedDict()
        """The sessions in which a violation that has become normal was alerted of, by kind and path."""
        self._outages: dict[str, tuple[str, int]] = {}
        """Of each tool whose last result was unusable: since when, and how many there were."""

    def observe_pass(self, tool: str, context: AlertContext = NO_CONTEXT) -> None:
        """Observe a result that violates nothing."""
        self.changes.observe_pass(tool, context.client)
        self._observe_severity(context, None)
        self._outages.pop(tool, None)

    def report(self) -> list[str]:
        """Return the changes that people have not been told of, a sentence a tool; from now on they have."""
        return [question.news() for question in questions(self.changes.report())]

    def suppressions(self) -> list[ObservedDrift]:
        """Return the changes that were found since this was last asked: alerts of them end from then on."""
        return self.changes.begun()

    def save(self) -> None:
        """Write what was counted since, where there is a file."""
        if self._store is not None:
            self._store.exchange()

    def __call__(self, detection: Detection, context: AlertContext = NO_CONTEXT) -> AlertDecision:
        """Decide on a result that violates something."""
        if self._store is not None:
            self._store.exchange(now=False)
        if all(
            one.clause.kind in KINDS and KINDS[one.clause.kind].traits.informs for one in detection.broken
        ):
            return AlertDecision(detection.broken)
        tool, client, graded = detection.tool, context.client, list(_graded(detection))
        since = self._outage_since(detection, context, graded)
        faults = context.decision.faults
        standing = [
            one
            for one in graded
            if is_declared(one.clause) or (faults and address(tool, one.clause) in faults)
        ]
        drifted = [one for one in graded if not since and self.changes.is_drift(tool, one, client)]
        due = [one for one in drifted if self._is_due(context, tool, one)]
        left = [one for one in graded if one not in drifted or one in due or one in standing]
        if not context.repeated and not since:
            self.changes.observe_violation(tool, stable_hash(context.witness), context.when, graded, client)
        alerted = {id(one.clause) for one in left}
        suspended = tuple(
            address(tool, one.clause)
            for one in detection.broken
            if id(one.clause) not in alerted and one.clause.kind in KINDS
        )
        if not left:
            self._observe_severity(context, None)
            return AlertDecision((), "a change", suspended, 0.0)
        odds, highest = odds_of_fault(left), max(one.severity for one in left)
        lasting = any(KINDS[one.clause.kind].traits.never_normal for one in left if one.clause.kind in KINDS)
        if highest in _AMBIGUOUS and not lasting:
            recent = max(self._flag_rates(whose)[_AMBIGUOUS.index(highest)] for whose in _rated(context))
            odds *= CONFIG.baseline_flag_rate / max(recent, CONFIG.least_flag_rate)
        if not context.repeated:
            self._observe_severity(context, highest)
        if odds < self._least and not (since or standing or due):
            return AlertDecision((), "slight", suspended, odds, since)
        return AlertDecision(_at_most_severe(detection, left), "", suspended, odds, since)

    def _is_due(self, context: AlertContext, tool: str, graded: GradedViolation) -> bool:
        """Say whether a violation that has become normal is to be alerted of once in this session all the same.

        A scale that jumps, a sentence for a status: it may be a change, and nobody has said that it is one.
        """
        if not self.changes.reminds(tool, graded, context.client):
            return False
        key = (context.task, graded.clause.kind, graded.clause.path)
        due = key not in self._reminded
        if not context.repeated:
            self._reminded[key] = None
            self._reminded.move_to_end(key)
            if len(self._reminded) > CONFIG.max_reminded:
                self._reminded.popitem(last=False)
        return due

    def _flag_rates(self, whose: tuple[str, str]) -> list[float]:
        return self.recent_flag_rate.get(whose) or [CONFIG.baseline_flag_rate for _ in _AMBIGUOUS]

    def _observe_severity(self, context: AlertContext, highest: Severity | None) -> None:
        """Count a result with this highest severity; of one witness, only the first that is flagged is the whole client's."""
        *together, own = _rated(context)
        if highest is None or own not in self._flagged:
            self._count(together, highest)
        if highest is not None and together:
            self._flagged[own] = None
            if len(self._flagged) > CONFIG.max_clients:
                self._flagged.popitem(last=False)
        self._count([own], highest)

    def _count(self, rated: Iterable[tuple[str, str]], highest: Severity | None) -> None:
        for whose in rated:
            self.recent_flag_rate[whose] = [
                rate + ((severity is highest) - rate) / CONFIG.rate_window
                for severity, rate in zip(_AMBIGUOUS, self._flag_rates(whose), strict=True)
            ]
            self.recent_flag_rate.move_to_end(whose)
        while len(self.recent_flag_rate) > CONFIG.max_clients:
            self.recent_flag_rate.popitem(last=False)

    def _outage_since(
        self, detection: Detection, context: AlertContext, graded: list[GradedViolation]
    ) -> str:
        """Return since when a tool gives no answer, where that is so: however long that lasts, it is no drift."""
        tool = detection.tool
        if not (any(one.severity is Severity.CRITICAL for one in graded) or _is_mostly_missing(detection)):
            self._outages.pop(tool, None)
            return ""
        when, results = self._outages.get(tool, (context.when, 0))
        if not context.repeated:
            self._outages[tool] = (when, results + 1)
        return when or f"{results + 1} results ago"


def default_policies(profile: str, *, budget: float = BUDGET, state: Path | Tables | None = None) -> Policies:
    """Return the policies for contracts of a profile: the paper's knows none, and alerts on everything."""
    return alert_always if profile == "paper" else (AlertPolicy(budget, state),)


def alert_policies(policies: Policies) -> list[AlertPolicy]:
    """Return those of several policies that detect change."""
    return [policy for policy in policies if isinstance(policy, AlertPolicy)]


def _graded(detection: Detection) -> Iterator[GradedViolation]:
    """Yield each place at which a clause is violated, once: behind one that is normal by now there may be one that is not."""
    for clause, violation, places in detection.broken:
        seen = set()
        for one in (violation, *places):
            # A clause may be reported of another member than it names by itself.
            place = own_place(clause, one)
            if place not in seen:
                seen.add(place)
                yield GradedViolation(clause, one, severity_of(clause, one, detection.result))


def _rated(context: AlertContext) -> list[tuple[str, str]]:
    """Return of whom flagged results are counted: where clients are told apart, of each, and of each witness of it."""
    return [(context.client, ""), (context.client, context.witness)] if context.client else [("", "")]


def _is_mostly_missing(detection: Detection) -> bool:
    """Say whether more of a result's required members are missing than it has."""
    missing = sum(
        clause.kind in KINDS
        and KINDS[clause.kind].traits.build is Build.PRESENCE
        and parent(clause.path) == ROOT
        for clause, _, _ in detection.broken
    )
    there = next((len(value) for _, value in select(detection.result, ROOT) if isinstance(value, dict)), 0)
    return missing > max(there, 1)


def _at_most_severe(detection: Detection, left: list[GradedViolation]) -> tuple[BrokenClause, ...]:
    """Return the clauses that are left, in order, each at its most severe place."""
    found = []
    for broken in detection.broken:
        graded = [one for one in left if one.clause is broken.clause]
        if graded:
            worst = max(graded, key=lambda one: one.severity).violation
            same = worst.path == broken.violation.path
            found.append(broken if same else broken._replace(violation=worst))
    return tuple(found)
