"""Work on many items, in this process or in several; what comes out is the same."""

import multiprocessing
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, Protocol, TypeVar

from outcome_monitors.exceptions import OutcomeMonitorsError

__all__ = ["Ticker", "run_each", "unwatched"]

Item = TypeVar("Item")
Done = TypeVar("Done")

_work: Callable[[Any], Any] = repr
"""In a worker: what is done with each item, handed over once with all that it needs."""


def run_each(work: Callable[[Item], Done], items: Sequence[Item], jobs: int) -> Iterator[Done]:
    """Yield what comes of each item, in order."""
    if jobs < 2 or len(items) < 2:
        yield from map(work, items)
        return
    # A fork shares what the workers need, but is safe on Linux and without other threads alone.
    forks = sys.platform == "linux" and threading.active_count() == 1
    context = multiprocessing.get_context("fork" if forks else "spawn")
    try:
        with ProcessPoolExecutor(min(jobs, len(items)), context, _begin, (work,)) as pool:
            yield from pool.map(_do, items)
    except BrokenProcessPool as error:
        raise OutcomeMonitorsError(
            "a worker process was ended from outside, perhaps for lack of memory; use fewer jobs or a lower limit"
        ) from error


def _begin(work: Callable[[Any], Any]) -> None:
    global _work  # noqa: PLW0603 - how a pool hands data to its workers
    _work = work
    # An interrupt ends a worker without a word: the parent speaks.
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _do(item: Any) -> Any:
    return _work(item)


T = TypeVar("T")


class Ticker(Protocol):
    """Yields the items as they come; `noun` says what they are, `then` what work follows the last."""

    def __call__(self, items: Iterable[T], noun: str, then: str = "") -> Iterable[T]:
        """Watch the items go by."""


def unwatched(items: Iterable[T], noun: str, then: str = "") -> Iterable[T]:  # noqa: ARG001 - as `Watch` has it
    """Watch nothing."""
    return items
