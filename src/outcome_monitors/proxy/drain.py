"""The end of a proxy that is told to stop: calls under way are brought to their end, for so long and no longer.

Told again, it ends at once. What was seen is written in either case.
"""

import asyncio
import logging
import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from types import FrameType

__all__ = ["DRAIN", "LoopOrder", "StopOrder"]

log = logging.getLogger("outcome_monitors.proxy")

DRAIN = 25.0
"""Seconds that calls under way are given; Kubernetes kills what has not ended after 30."""
_BETWEEN_LOOKS = 0.02
_ORDERS = ("SIGINT", "SIGTERM", "SIGHUP")

Count = Callable[[], int]
"""Says how many calls are under way."""


class LoopOrder:
    """What signals tell a process that runs a loop: to stop, and, told again, to stop at once."""

    def __init__(self) -> None:
        self._told, self._again = asyncio.Event(), asyncio.Event()
        for name in ("SIGINT", "SIGTERM"):
            # Windows has no handlers in loops; there Ctrl-C ends the program as it always does.
            with suppress(NotImplementedError):
                asyncio.get_running_loop().add_signal_handler(getattr(signal, name), self._tell)

    async def told(self) -> None:
        """Wait until it is told to stop."""
        await self._told.wait()

    async def until(self, done: Callable[[], bool], seconds: float) -> None:
        """Wait for something; no longer than so many seconds, nor when told again."""
        until = time.monotonic() + seconds
        while not (done() or self._again.is_set() or time.monotonic() >= until):  # noqa: ASYNC110 - three things end it
            await asyncio.sleep(_BETWEEN_LOOKS)

    async def until_quiet(self, under_way: Count, seconds: float) -> None:
        """Wait until no call is under way, in the same way."""
        _say_begun(under_way(), seconds)
        await self.until(lambda: not under_way(), seconds)
        _say_ended(under_way())

    def _tell(self) -> None:
        (self._again if self._told.is_set() else self._told).set()


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
        _say_begun(under_way(), self._seconds)
        while under_way() and time.monotonic() < until and self._times == 1:
            time.sleep(_BETWEEN_LOOKS)
        _say_ended(under_way())
        self._end()


def _say_begun(calls: int, seconds: float) -> None:
    if calls and seconds > 0:
        log.warning(
            "told to stop: %d under way, which may take %.3g s; told again, it ends at once", calls, seconds
        )


def _say_ended(calls: int) -> None:
    if calls:
        log.warning("%d under way broken off", calls)
