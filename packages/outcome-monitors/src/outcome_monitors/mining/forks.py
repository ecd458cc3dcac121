"""The parts of a job in forked processes, which have what this one has without being sent it.

A fork is safe on Linux and without other threads alone; elsewhere the work is done here, part by part.
"""

import gc
import multiprocessing
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any, TypeVar

from outcome_monitors.exceptions import OutcomeMonitorsError

__all__ = ["each_part"]

T = TypeVar("T")

_job: Callable[[int], Any] = int
"""In a forked process: what it does."""


@contextmanager
def each_part(job: Callable[[int], T], parts: int, workers: int) -> Iterator[Iterator[T]]:
    """Give what a job makes of each part, in order; with several workers they have begun when this returns."""
    if min(workers, parts) < 2 or sys.platform != "linux" or threading.active_count() > 1:
        yield map(job, range(parts))
        return
    try:
        with ProcessPoolExecutor(
            min(workers, parts), multiprocessing.get_context("fork"), _begin, (job,)
        ) as pool:
            yield pool.map(_run, range(parts))
    except BrokenProcessPool as error:
        raise OutcomeMonitorsError(
            "a worker process ended without a word, perhaps for want of memory; try with fewer"
        ) from error


def _begin(job: Callable[[int], Any]) -> None:
    global _job  # noqa: PLW0603 - how a pool hands its workers what cannot be sent
    _job = job
    # What was there before is no garbage of this process: to look at it would be to copy it.
    gc.freeze()
    # An interrupt ends a worker without a word: the parent speaks.
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _run(part: int) -> Any:
    return _job(part)
