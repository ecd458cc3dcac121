"""How much a check may take: large results are checked on a thread of their own, so that no event loop stands still for them.

What counts is the processor time of that thread, so that a busy machine loses no check. A check that takes too long is left to end by
itself, and nobody waits for it.
"""

import asyncio
import contextvars
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, wait
from typing import Any, Generic, TypeVar

__all__ = ["HEAVY", "LARGEST", "Limited", "OverBudgetError", "weight"]

T = TypeVar("T")

HEAVY = 200_000
"""Characters from which on a result is checked on a thread of its own."""
LARGEST = 4 * 2**20
"""Characters of a result that is still checked."""
SECONDS = 1.0
"""Seconds of processor time that a check may take there."""
STEP = 0.05
"""Seconds between two looks at that time."""
SCALAR = 8
"""Characters that a value other than a text takes."""


class OverBudgetError(Exception):
    """Nobody waits for the check any more."""


class Limited(Generic[T]):
    """Work that is done at once, or, where it is heavy, on a thread of its own; `otherwise` is what there is without it."""

    def __init__(self, otherwise: T, work: Callable[[Callable[[], None]], T], *, heavy: bool) -> None:
        self._otherwise, self._work, self._heavy = otherwise, work, heavy
        self._future: Future[T] = Future()
        self._lock = threading.Lock()
        self._ended = False
        """Whether it is decided, or given up: whichever comes first holds."""

    def now(self) -> T:
        """Wait for the work."""
        if not self._heavy:
            return self._work(self._decide)
        spent = self._start()
        while not wait([self._future], STEP).done:
            if spent() > SECONDS and self._end():
                return self._otherwise
        return self._future.result()

    async def later(self) -> T:
        """Await the work."""
        if not self._heavy:
            return self._work(self._decide)
        spent, awaited = self._start(), asyncio.wrap_future(self._future)
        while not (await asyncio.wait([awaited], timeout=STEP))[0]:
            if spent() > SECONDS and self._end():
                return self._otherwise
        return await awaited

    def _start(self) -> Callable[[], float]:
        """Begin on a thread; return what measures its time."""
        context, clock = contextvars.copy_context(), Future[int]()

        def run() -> None:
            try:
                if hasattr(time, "pthread_getcpuclockid"):
                    clock.set_result(time.pthread_getcpuclockid(threading.get_ident()))
                self._future.set_result(context.run(self._work, self._decide))
            except BaseException as error:  # noqa: BLE001 - whoever waits gets it
                self._future.set_exception(error)

        def spent() -> float:
            try:
                return time.clock_gettime(clock.result(0)) if clock.done() else time.monotonic() - began
            except OSError:  # the thread has just ended
                return 0.0

        began = time.monotonic()
        threading.Thread(target=run, name="outcome-monitors check", daemon=True).start()
        return spent

    def _end(self) -> bool:
        with self._lock:
            before, self._ended = self._ended, True
        return not before

    def _decide(self) -> None:
        if not self._end():
            raise OverBudgetError


def weight(value: Any, most: int) -> int:
    """Return how many characters a value has, roughly, counted up to `most`."""
    found, left, known = 0, [value], set[int]()
    while left and found < most:
        one = left.pop()
        if isinstance(one, str | bytes | bytearray):
            found += len(one)
            continue
        # A list may hold itself.
        found += SCALAR
        if isinstance(one, Mapping):
            left += one.keys()
            left += one.values()
        elif isinstance(one, list | tuple | set | frozenset):
            left += one
        elif not isinstance(one, type) and id(one) not in known:
            # A member of an enumeration knows its class, which knows its members.
            known.add(id(one))
            left += getattr(one, "__dict__", {}).values()
    return found
