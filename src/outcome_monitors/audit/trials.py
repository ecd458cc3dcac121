"""One trial: contracts from all folds but one, tried on that one."""

from collections.abc import Sequence
from typing import NamedTuple

from outcome_monitors.checking.failures import quiet
from outcome_monitors.checking.monitor import Monitor
from outcome_monitors.checking.policy import nothing
from outcome_monitors.checking.replay import Replay
from outcome_monitors.checking.session import Session
from outcome_monitors.mining.observations import Observations
from outcome_monitors.model import Json, Outcome

from .cases import Case
from .dirt import with_dirt
from .tally import FIRST, AuditTally

__all__ = ["AuditTrial", "examine"]


class AuditTrial(NamedTuple):
    """Which fold is left out of mining, and what budget mining is given."""

    fold: int
    budget: float
    every: bool
    """Try every corrupted result, or the first ones of each fault alone."""
    dirt: float = 0.0
    """The share of the calls learned from that are given a fault."""


def examine(cases: Sequence[Case], profile: str, trial: AuditTrial) -> AuditTally:
    """Learn from the cases of other folds, and count what happens to those of this one."""
    observations = Observations(profile, trial.budget)
    for call in with_dirt([case for case in cases if case.fold != trial.fold], trial.dirt):
        observations.add(call)
    left_out = [case for case in cases if case.fold == trial.fold]
    return _check(left_out, observations, trial) if left_out else AuditTally()


def _check(cases: Sequence[Case], observations: Observations, trial: AuditTrial) -> AuditTally:
    registry = observations.contracts().registry
    replay = Replay(Monitor(registry))
    tally = AuditTally()
    tally.clauses.update({tool: len(contract.clauses) for tool, contract in registry.contracts.items()})
    with quiet():
        for case in cases:
            _check_case(case, replay.session(case.call), tally, trial)
    return tally


def _check_case(case: Case, session: Session, tally: AuditTally, trial: AuditTrial) -> None:
    tool, arguments = case.call.tool, case.call.arguments

    def judge(result: Json, *, remember: bool) -> Outcome:
        outcome = session.judge(tool, arguments, result, remember=remember, policy=nothing)
        tally.failed[tool] += len(outcome.failures)
        return outcome

    # The corrupted results come first, and leave no trace: the session goes on from the clean one.
    seen = [
        (corrupted, _codes(judge(corrupted.result, remember=False)))
        for corrupted in case.corrupted
        if trial.every or corrupted.rank < FIRST
    ]
    outcome = judge(case.call.result, remember=True)
    clean = _codes(outcome)
    tally.count_clean(case, clean, covered=outcome.why != "no contract")
    for corrupted, found in seen:
        tally.count_corrupted(case, corrupted, found, flagged_anyway=bool(clean))


def _codes(outcome: Outcome) -> set[str]:
    return {violation.code for violation in outcome.violations}
