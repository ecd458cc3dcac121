"""Graceful shutdown: calls under way are brought to their end, for so long and no longer; told again, the process ends at once."""

import asyncio
import logging
import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from types import FrameType

log = logging.getLogger("outcome_monitors.mcp")

DRAIN = 25.0
"""Seconds that calls under way are given; Kubernetes kills what has not ended after 30."""
BETWEEN_LOOKS = 0.02
"""Seconds."""


class Shutdown:
    """What a signal does to a proxy on standard input and output: first it waits for calls, and then it ends the server."""

    def __init__(
        self, begin: Callable[[], Callable[[], int]], end: Callable[[], object], seconds: float
    ) -> None:
        """`begin` returns what counts the calls under way."""
        self._begin, self._end, self._seconds = begin, end, seconds
        # A plain number: a handler that a second signal interrupts must not wait for itself.
        self._times = 0
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), self._ordered)

    @property
    def ordered(self) -> bool:
        """Whether the process was told to stop."""
        return self._times > 0

    def _ordered(self, _number: int, _frame: FrameType | None) -> None:
        self._times += 1
        if self._times == 1:
            # Not here: what the server still says while it ends is to be passed on.
            threading.Thread(target=self._obey, daemon=True).start()

    def _obey(self) -> None:
        under_way, until = self._begin(), time.monotonic() + self._seconds
        _log_waiting(under_way(), self._seconds)
        while under_way() and time.monotonic() < until and self._times == 1:
            time.sleep(BETWEEN_LOOKS)
        _log_broken_off(under_way())
        self._end()


class LoopShutdown:
    """What signals tell a process that runs a loop: to stop, and, told again, to stop at once."""

    def __init__(self) -> None:
        self._ordered, self._again = asyncio.Event(), asyncio.Event()
        for name in ("SIGINT", "SIGTERM"):
            # Windows has no handlers in loops; there Ctrl-C ends the program as it always does.
            with suppress(NotImplementedError):
                asyncio.get_running_loop().add_signal_handler(getattr(signal, name), self._order)

    async def ordered(self) -> None:
        """Wait until it is told to stop."""
        await self._ordered.wait()

    async def until(self, done: Callable[[], bool], seconds: float) -> None:
        """Wait for something; no longer than so many seconds, nor when told again."""
        until = time.monotonic() + seconds
        while not (done() or self._again.is_set() or time.monotonic() >= until):  # noqa: ASYNC110 - three things end it
            await asyncio.sleep(BETWEEN_LOOKS)

    async def until_quiet(self, under_way: Callable[[], int], seconds: float) -> None:
        """Wait until no call is under way, in the same way."""
        _log_waiting(under_way(), seconds)
        await self.until(lambda: not under_way(), seconds)
        _log_broken_off(under_way())

    def _order(self) -> None:
        (self._again if self._ordered.is_set() else self._ordered).set()


def _log_waiting(calls: int, seconds: float) -> None:
    if calls and seconds > 0:
        log.warning(
            "told to stop: %d under way, which may take %.3g s; told again, it ends at once", calls, seconds
        )


def _log_broken_off(calls: int) -> None:
    if calls:
        log.warning("%d under way broken off", calls)
