"""One trial: contracts from all folds but one, tried on that one.

Dirt is a share of the calls to learn from whose results are silently wrong, as in traces that were taken to be clean. Which calls, and which of their faults, is settled by a stable hash, so that the same traces always get the same dirt.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from outcome_monitors.alerting.policy import alert_never
from outcome_monitors.checking.failures import quiet
from outcome_monitors.checking.monitor import Monitor
from outcome_monitors.checking.replay import Replay
from outcome_monitors.checking.session import Session
from outcome_monitors.mining.observations import Observations
from outcome_monitors.model import Call, Json, Outcome
from outcome_monitors.values.hashing import stable_hash

from .cases import Case
from .tally import FIRST, AuditTally, Flags

__all__ = ["AuditTrial", "examine", "with_dirt"]


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
        outcome = session.judge(tool, arguments, result, remember=remember, policy=alert_never)
        tally.failed[tool] += len(outcome.failures)
        return outcome

    # The corrupted results come first, and leave no trace: the session goes on from the clean one.
    seen = [
        (corrupted, Flags.of(judge(corrupted.result, remember=False)))
        for corrupted in case.corrupted
        if trial.every or corrupted.rank < FIRST
    ]
    outcome = judge(case.call.result, remember=True)
    clean = Flags.of(outcome)
    tally.count_clean(case, clean, covered=outcome.why != "no contract")
    for corrupted, found in seen:
        tally.count_corrupted(case, corrupted, found, flagged_anyway=bool(clean.codes))


def with_dirt(cases: Sequence[Case], share: float) -> list[Call]:
    """Return the calls of cases, in order, a share of them with one of their faults; fewer where no fault suits so many."""
    calls = [case.call for case in cases]
    faulted = [index for index, case in enumerate(cases) if case.corrupted]
    faulted.sort(key=lambda index: stable_hash(f"{cases[index].task}\0{index}"))
    for index in faulted[: round(share * len(cases))]:
        found = cases[index].corrupted
        calls[index] = replace(calls[index], result=found[stable_hash(str(index)) % len(found)].result)
    return calls
