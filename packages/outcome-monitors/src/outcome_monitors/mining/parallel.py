"""Work in several processes: calls are observed by the bucket of their session, and clauses are validated part by part.

All that mining remembers of a session depends on the calls of its bucket alone, and observations merge in any order: the contracts
are the same, byte for byte, with any number of processes or machines.
"""

import gc
import multiprocessing
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager
from typing import Any, Protocol, Self, TypeVar

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.features.walk import task_name
from outcome_monitors.jsonvalue.text import stable_hash
from outcome_monitors.model import Call

T = TypeVar("T")

BUCKETS = 128
"""Sessions are dealt into so many, whatever the number of processes."""
BATCH = 100
"""Calls that are sent at once."""
AHEAD = 16
"""Batches that wait for a process while it is busy with another."""


def bucket_of(session: str) -> int:
    """Return the bucket of a session."""
    return stable_hash(f"bucket:{session}") % BUCKETS


def shard_of(call: Call) -> int:
    """Return the bucket of a call: that of its session; a call without one may stand anywhere."""
    return bucket_of(call.session if call.session is not None else task_name(call))


class _Observer(Protocol):
    def empty(self) -> Self: ...
    def add_all(self, calls: Iterable[Call]) -> None: ...
    def merge(self, other: Any) -> None: ...


def show(calls: Iterable[Call], observer: _Observer, workers: int) -> None:
    """Add calls to an observer, here or in several processes."""
    if workers > 1:
        observe_in_processes(calls, observer, workers)
    else:
        observer.add_all(calls)


def observe_in_processes(calls: Iterable[Call], observations: _Observer, workers: int) -> None:
    """Add calls to observations, with so many processes at work beside this one."""
    with _sentence_if_broken(), ExitStack() as stack:
        # Not forked: this process may have threads, whose locks a copy of it would never see released.
        context = multiprocessing.get_context("spawn")
        team = [
            _Worker(
                stack.enter_context(ProcessPoolExecutor(1, context, _observe_with, (observations.empty(),)))
            )
            for _ in range(workers)
        ]
        for call in calls:
            team[shard_of(call) % workers].add(call)
        for result in [worker.finish() for worker in team]:
            observations.merge(result.result())


class _Worker:
    """One process, to which the calls of some buckets are sent in order."""

    def __init__(self, pool: ProcessPoolExecutor) -> None:
        self._pool = pool
        self._batch: list[Call] = []
        self._sent: deque[Future[None]] = deque()

    def add(self, call: Call) -> None:
        self._batch.append(call)
        if len(self._batch) == BATCH:
            self._send()

    def _send(self) -> None:
        self._sent.append(self._pool.submit(_observe, self._batch))
        self._batch = []
        if len(self._sent) > AHEAD:
            self._sent.popleft().result()

    def finish(self) -> "Future[_Observer]":
        self._send()
        return self._pool.submit(_observed)


_observations: Any = None
"""In a process that observes: what it has observed."""


def _observe_with(empty: _Observer) -> None:
    global _observations  # noqa: PLW0603 - how a pool hands its workers what they work on
    _observations = empty
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _observe(calls: list[Call]) -> None:
    _observations.add_all(calls)


def _observed() -> Any:
    return _observations


_job: Callable[[int], Any] = int
"""In a forked process: what it does."""


@contextmanager
def each_part(job: Callable[[int], T], parts: int, workers: int) -> Iterator[Iterator[T]]:
    """Give what a job makes of each part, in order; with several workers they have begun when this returns.

    Workers are forked, and have what this process has without being sent it. That is safe on Linux and without other threads alone;
    elsewhere the work is done here, part by part.
    """
    if min(workers, parts) < 2 or sys.platform != "linux" or threading.active_count() > 1:
        yield map(job, range(parts))
        return
    context = multiprocessing.get_context("fork")
    with (
        _sentence_if_broken(),
        ProcessPoolExecutor(min(workers, parts), context, _work_on, (job,)) as pool,
    ):
        yield pool.map(_run, range(parts))


def _work_on(job: Callable[[int], Any]) -> None:
    global _job  # noqa: PLW0603 - how a pool hands its workers what cannot be sent
    _job = job
    # What was there before is no garbage of this process: to look at it would be to copy it.
    gc.freeze()
    # An interrupt ends a worker without a word: the parent speaks.
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _run(part: int) -> Any:
    return _job(part)


@contextmanager
def _sentence_if_broken() -> Iterator[None]:
    try:
        yield
    except BrokenProcessPool as error:
        raise OutcomeMonitorsError(
            "a process of --workers ended without a word, perhaps for want of memory; try with fewer"
        ) from error
