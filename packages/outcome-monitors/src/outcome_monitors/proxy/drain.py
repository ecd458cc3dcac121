"""The end of a proxy that is told to stop: calls under way are brought to their end, for so long and no longer.

Told again, it ends at once. What was seen is written in either case.
"""

import logging
import signal
import threading
import time
from collections.abc import Callable
from types import FrameType

__all__ = ["BETWEEN_LOOKS", "DRAIN", "Count", "StopOrder", "say_begun", "say_ended"]

log = logging.getLogger("outcome_monitors.proxy")

DRAIN = 25.0
"""Seconds that calls under way are given; Kubernetes kills what has not ended after 30."""
BETWEEN_LOOKS = 0.02
"""Seconds."""
_ORDERS = ("SIGINT", "SIGTERM", "SIGHUP")

Count = Callable[[], int]
"""Says how many calls are under way."""


class StopOrder:
    """What a signal does to a proxy on standard input and output: first it waits for calls, and then it ends the server."""

    def __init__(self, begin: Callable[[], Count], end: Callable[[], object], seconds: float) -> None:
        self._begin, self._end, self._seconds = begin, end, seconds
        # A plain number: a handler that a second signal interrupts must not wait for itself.
        self._times = 0

    @property
    def given(self) -> bool:
        """Whether the process was told to stop."""
        return self._times > 0

    def listen(self) -> None:
        """Take signals from now on."""
        for name in _ORDERS:
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), self._told)

    def _told(self, _number: int, _frame: FrameType | None) -> None:
        self._times += 1
        if self._times == 1:
            # Not here: what the server still says while it ends is to be passed on.
            threading.Thread(target=self._obey, daemon=True).start()

    def _obey(self) -> None:
        under_way, until = self._begin(), time.monotonic() + self._seconds
        say_begun(under_way(), self._seconds)
        while under_way() and time.monotonic() < until and self._times == 1:
            time.sleep(BETWEEN_LOOKS)
        say_ended(under_way())
        self._end()


def say_begun(calls: int, seconds: float) -> None:
    """Say that calls are waited for."""
    if calls and seconds > 0:
        log.warning(
            "told to stop: %d under way, which may take %.3g s; told again, it ends at once", calls, seconds
        )


def say_ended(calls: int) -> None:
    """Say how many were not waited for."""
    if calls:
        log.warning("%d under way broken off", calls)
