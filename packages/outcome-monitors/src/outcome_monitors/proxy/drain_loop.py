"""The same for a process that runs a loop; apart from the rest, since a proxy on standard input and output has none to load."""

import asyncio
import signal
import time
from collections.abc import Callable
from contextlib import suppress

from .drain import BETWEEN_LOOKS, Count, say_begun, say_ended

__all__ = ["LoopOrder"]


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
            await asyncio.sleep(BETWEEN_LOOKS)

    async def until_quiet(self, under_way: Count, seconds: float) -> None:
        """Wait until no call is under way, in the same way."""
        say_begun(under_way(), seconds)
        await self.until(lambda: not under_way(), seconds)
        say_ended(under_way())

    def _tell(self) -> None:
        (self._again if self._told.is_set() else self._told).set()
