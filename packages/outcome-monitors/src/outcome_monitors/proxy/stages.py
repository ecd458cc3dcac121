"""How far each tool and each of its clauses has come, and what decides that it goes on, or back."""

from collections.abc import Mapping, Sequence
from math import ceil
from typing import TYPE_CHECKING, NamedTuple

from .witnesses import ClientHour, spread

if TYPE_CHECKING:
    # Who asks how far tools have come need not load all kinds of rule.
    from outcome_monitors.rules.base.traits import Traits

__all__ = ["ADVISING", "OBSERVING", "SHADOW", "STAGES", "ClauseTrial", "Needed", "StageTrial", "Thresholds"]

OBSERVING, SHADOW, ADVISING = "observing", "shadow", "advising"
STAGES: Mapping[str, str] = {
    OBSERVING: "its results are recorded; only the server's own schema is held against them",
    SHADOW: "its results are held against what was learned, and nobody is told",
    ADVISING: "the agent is told of what is proven",
}
"""The stages that a tool goes through, in order; from the last it may go back to the one before."""
LEAST_RECENT = 18.0
"""Of fewer recent results, some twenty, no share is taken."""
PATIENCE = 2
"""Times the results needed, after which a trial that flags too much begins anew."""


class Needed(NamedTuple):
    """What it takes before agents are told of a clause."""

    results: int
    days: int


class Thresholds(NamedTuple):
    """When evidence suffices."""

    tasks: int = 20
    """Distinct tasks behind a contract before it is tried."""
    results: int = 100
    """Results that a clause is then tried on before anyone is told."""
    flagged: float = 0.01
    """The share of these that it may flag."""
    calls: int = 20
    """Recorded calls after which contracts are mined, at first; later a fifth more of all."""
    disputed: int = 100
    """Flagged results after which they are mined sooner; later a fiftieth of all calls."""
    early: int = 25
    """Results that suffice for a clause of a kind that is trusted."""
    hours: int = 3
    """Distinct hours in which these results come."""
    days: int = 2
    """Distinct days; for a kind that is trusted one is enough. Of a client that is alone, one more is asked."""
    many_days: int = 3
    """The same for facts, memory and closed lists."""
    witness: float = 0.25
    """The share of the results needed that one client's hour may stand for."""
    told: float = 0.2
    """The share of recent results beyond which the agent is told of too much, and a tool goes back; below half of it, it returns."""

    def needed(self, kind: "Traits") -> Needed:
        """Return what it takes for a clause of a kind."""
        if kind.of_the_day:
            return Needed(self.results, self.many_days)
        return Needed(self.early, 1) if kind.trusted else Needed(self.results, self.days)


class StageTrial(NamedTuple):
    """A tool's stage, and how what it was told of has done."""

    stage: str
    contract: str
    """A hash of the contract that its clauses were last taken from."""
    checked: int = 0
    flagged: int = 0
    recent: float = 0.0
    """Recent results, the older the less they count,"""
    told: float = 0.0
    """and those of them that the agent was told of, or would have been."""

    def moved(self, thresholds: Thresholds, *, proven: bool) -> "StageTrial":
        """Return the trial with the stage that it has now; `proven` says whether one of its clauses is."""
        if self.stage == ADVISING and (not proven or self.too_loud(thresholds)):
            return self._replace(stage=SHADOW)
        quiet = self.recent >= LEAST_RECENT and self.told <= thresholds.told / 2 * self.recent
        if self.stage == SHADOW and proven and quiet:
            return self._replace(stage=ADVISING)
        return self

    def too_loud(self, thresholds: Thresholds) -> bool:
        """Say whether the agent was told of more than the budget allows."""
        return self.told > thresholds.told * max(self.recent, LEAST_RECENT)


class ClauseTrial(NamedTuple):
    """How a clause does that is new, or says something new."""

    kind: str
    begun: int
    """How many results of the tool had been checked when its trial began."""
    flagged: int = 0
    proven: bool = False
    """Some version of it has passed a trial, and is in force."""
    pending: bool = True
    """The version on trial is another than that in force."""
    noise: float = 0.0
    """Recent results of which the agent was told for it, or would have been."""

    def passes(
        self, needed: Needed, seen: Sequence[ClientHour], checked: int, thresholds: Thresholds
    ) -> bool:
        """Say whether its evidence suffices: results since it began, of several clients, hours and days."""
        most = ceil(thresholds.witness * needed.results)
        wide = spread(seen, most).suffices(needed.results, thresholds.hours, needed.days)
        return wide and self.flagged <= thresholds.flagged * (checked - self.begun)

    def fails(self, needed: Needed, checked: int, thresholds: Thresholds) -> bool:
        """Say whether it has flagged too much for so long that it is better begun anew."""
        tried = checked - self.begun
        return self.flagged > thresholds.flagged * tried and tried >= PATIENCE * needed.results
