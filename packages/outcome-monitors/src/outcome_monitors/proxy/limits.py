"""How much a check may take: results that are too large are passed on unread, and one that takes too long is cut short."""

import atexit
import signal
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import Any, TypeVar

__all__ = ["LARGEST", "SECONDS", "OverBudget", "TimeLimit"]

LARGEST = 4 * 2**20
"""Bytes of a message that is still looked at."""
SECONDS = 0.25
"""Seconds that the look at one message may take."""

T = TypeVar("T")


class OverBudget(BaseException):
    """The time is up. Not an error: no `except Exception` on the way may take it for one."""


class TimeLimit:
    """Cuts work short by an alarm, which POSIX systems have, and only in the main thread; elsewhere size alone decides.

    The alarm rings now and then while there is work, and stops when there is none: setting it for each message would take
    longer than many a check does.
    """

    def __init__(self, seconds: float = SECONDS, largest: int = LARGEST) -> None:
        self.seconds, self.largest = seconds, largest
        self._began: float | None = None
        """When the work at hand began."""
        self._set = self._idle = False
        self._thread = threading.main_thread().ident
        self._usable = seconds > 0 and hasattr(signal, "setitimer") and threading.get_ident() == self._thread
        if self._usable:
            signal.signal(signal.SIGALRM, self._ring)
            # When Python ends it lets go of its handlers, and an alarm that nobody handles ends the process with it.
            atexit.register(signal.setitimer, signal.ITIMER_REAL, 0)

    def run(self, work: Callable[..., T], *arguments: Any) -> T:
        """Do the work; raise OverBudget where it takes too long."""
        if not self._usable or threading.get_ident() != self._thread:
            return work(*arguments)
        try:
            self._began, self._idle = time.monotonic(), False
            if not self._set:
                self._alarm(self.seconds)
            return work(*arguments)
        finally:
            self._began = None

    def begin(self) -> None:
        """Begin anew: what follows has as much time again."""
        if self._usable and threading.get_ident() == self._thread:
            self._began = time.monotonic()

    def over(self) -> None:
        """Cut nothing short any more, until the next beginning: what is decided must not be decided twice."""
        self._began = None

    def _alarm(self, seconds: float) -> None:
        # It rings again and again: one ring could fall into a callback that swallows it.
        self._set = seconds > 0
        signal.setitimer(signal.ITIMER_REAL, seconds, self.seconds)

    def _ring(self, _number: int, _frame: FrameType | None) -> None:
        if self._began is not None:
            left = self._began + self.seconds - time.monotonic()
            if left <= 0:
                raise OverBudget
            self._alarm(left)
        elif self._idle:
            self._alarm(0)
        else:
            self._idle = True
