"""Trials, in this process or in several; what comes out is the same."""

import multiprocessing
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool

from outcome_monitors.exceptions import OutcomeMonitorsError

from .cases import Case
from .tally import AuditTally
from .trials import AuditTrial, examine

__all__ = ["run_trials"]

_shared: tuple[Sequence[Case], str] = ((), "")
"""In a worker: the cases and the profile, handed over once."""


def run_trials(
    cases: Sequence[Case], profile: str, trials: Sequence[AuditTrial], jobs: int
) -> Iterator[AuditTally]:
    """Yield the tally of each trial, in order."""
    if jobs < 2 or len(trials) < 2:
        for trial in trials:
            yield examine(cases, profile, trial)
        return
    others = set(multiprocessing.active_children())
    try:
        with ProcessPoolExecutor(
            min(jobs, len(trials)), multiprocessing.get_context(_method()), _begin, (cases, profile)
        ) as pool:
            try:
                yield from pool.map(_examine, trials)
            except BaseException:
                # Nobody waits for the trials that are under way.
                for child in set(multiprocessing.active_children()) - others:
                    child.terminate()
                raise
    except BrokenProcessPool as error:
        raise OutcomeMonitorsError(
            "a worker process was ended from outside, perhaps for lack of memory; use fewer jobs or a lower limit"
        ) from error


def _method() -> str:
    """Return how to start workers: a fork shares the cases, but is safe on Linux and without other threads alone."""
    return "fork" if sys.platform == "linux" and threading.active_count() == 1 else "spawn"


def _begin(cases: Sequence[Case], profile: str) -> None:
    global _shared  # noqa: PLW0603 - how a pool hands data to its workers
    _shared = cases, profile
    # An interrupt ends a worker without a word: the parent speaks.
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _examine(trial: AuditTrial) -> AuditTally:
    return examine(*_shared, trial)
