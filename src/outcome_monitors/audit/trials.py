"""One trial: contracts from all folds but one, tried on that one."""

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from outcome_monitors.checking.monitor import Monitor
from outcome_monitors.checking.session import Session
from outcome_monitors.mining.observations import Observations
from outcome_monitors.model import Json

from .cases import Case
from .dirt import with_dirt
from .tally import FIRST, Tally

__all__ = ["Trial", "examine"]


class Trial(NamedTuple):
    """Which fold is left out of mining, and what budget mining is given."""

    fold: int
    budget: float
    every: bool
    """Try every corrupted result, or the first ones of each fault alone."""
    dirt: float = 0.0
    """The share of the calls learned from that are given a fault."""


def examine(cases: Sequence[Case], profile: str, trial: Trial) -> Tally:
    """Learn from the cases of other folds, and count what happens to those of this one."""
    observations = Observations(profile, trial.budget)
    for call in with_dirt([case for case in cases if case.fold != trial.fold], trial.dirt):
        observations.add(call)
    left_out = [case for case in cases if case.fold == trial.fold]
    return _check(left_out, observations, trial) if left_out else Tally()


def _check(cases: Sequence[Case], observations: Observations, trial: Trial) -> Tally:
    registry = observations.contracts().registry
    monitor = Monitor(registry)
    tally = Tally()
    tally.clauses.update({tool: len(contract.clauses) for tool, contract in registry.contracts.items()})
    sessions: dict[str, Session] = {}
    with _quiet():
        for case in cases:
            failed = monitor.counts.failed
            _check_case(case, monitor, _session(case, monitor, sessions), tally, trial)
            tally.failed[case.call.tool] += monitor.counts.failed - failed
    return tally


def _session(case: Case, monitor: Monitor, sessions: dict[str, Session]) -> Session:
    name = case.call.session
    # A call that names no session is one by itself.
    return monitor.session() if name is None else sessions.setdefault(name, monitor.session())


def _check_case(case: Case, monitor: Monitor, session: Session, tally: Tally, trial: Trial) -> None:
    def codes(result: Json, *, remember: bool) -> set[str]:
        found = session.check(case.call.tool, case.call.arguments, result, remember=remember)
        return {violation.code for violation in found}

    # The corrupted results come first, and leave no trace: the session goes on from the clean one.
    seen = [
        (corrupted, codes(corrupted.result, remember=False))
        for corrupted in case.corrupted
        if trial.every or corrupted.rank < FIRST
    ]
    clean = codes(case.call.result, remember=True)
    tally.count_clean(case, clean, covered=monitor.covers(case.call.tool, case.call.result))
    for corrupted, found in seen:
        tally.count_corrupted(case, corrupted, found, flagged_anyway=bool(clean))


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep checks that fail inside from being printed one by one: they are counted."""
    log, nowhere = logging.getLogger("outcome_monitors"), logging.NullHandler()
    log.addHandler(nowhere)
    try:
        yield
    finally:
        log.removeHandler(nowhere)
