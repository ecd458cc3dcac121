"""How much a check may take: results that are too large are passed on unread, and one that takes too long is cut short."""

import signal
import threading
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
    """Cuts work short by an alarm, which POSIX systems have, and only in the main thread; elsewhere size alone decides."""

    def __init__(self, seconds: float = SECONDS, largest: int = LARGEST) -> None:
        self.seconds, self.largest = seconds, largest
        self._counts = False
        """Whether the work at hand may be cut short."""
        main = threading.current_thread() is threading.main_thread()
        self._usable = seconds > 0 and main and hasattr(signal, "setitimer")
        if self._usable:
            signal.signal(signal.SIGALRM, self._ring)

    def run(self, work: Callable[..., T], *arguments: Any) -> T:
        """Do the work; raise OverBudget where it takes too long."""
        if not self._usable or threading.current_thread() is not threading.main_thread():
            return work(*arguments)
        try:
            try:
                self.restart()
                return work(*arguments)
            finally:
                self._counts = False
        finally:
            # Apart: the alarm may ring while the look ends.
            signal.setitimer(signal.ITIMER_REAL, 0)

    def restart(self) -> None:
        """Begin anew: what follows has as much time again."""
        if self._usable and threading.current_thread() is threading.main_thread():
            self._counts = True
            # It rings again and again: one ring could fall into a callback that swallows it.
            signal.setitimer(signal.ITIMER_REAL, self.seconds, self.seconds)

    def over(self) -> None:
        """Cut nothing short any more, until the next beginning: what is decided must not be decided twice."""
        self._counts = False

    def _ring(self, _number: int, frame: FrameType | None) -> None:
        while frame is not None:
            if frame.f_code.co_filename == "<frozen importlib._bootstrap>":
                # Cut short, a module would be imported again and again; the alarm rings once more.
                return
            frame = frame.f_back
        if self._counts:
            raise OverBudget
