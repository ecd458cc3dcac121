"""The connections of clients over HTTP: how many at a time, and how long each may take to say what it wants."""

import asyncio
import logging
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

from .http_shortcut import MOST_GATHERED, KnownHead, Shortcuts, parted

__all__ = ["MOST_CLIENTS", "SLOWEST_HEAD", "Clients"]

MOST_CLIENTS = 2000
"""Connections of clients at a time; a further one is closed at once."""
SLOWEST_HEAD = 20.0
"""Seconds in which the head of a connection's first request is to be there; those of later ones have as long as it may be idle."""
IDLE_CLIENT = 75.0
"""Seconds that a client's connection is kept without use."""

IN_PARTS = 0.05
"""Seconds in which the parts of a request that could go the short way are to be there; longer, it goes the long one."""

BETWEEN_COMPLAINTS = 60.0
"""Seconds between two lines of the log on requests that cannot be read: whoever sends them can send many."""


class _Seldom(logging.Filter):
    """Lets a line pass now and then, without what came and where it was found out."""

    last = -BETWEEN_COMPLAINTS

    def filter(self, record: logging.LogRecord) -> bool:
        """Say whether a line is logged."""
        if record.exc_info is not None and isinstance(record.exc_info[1], HttpProcessingError):
            record.msg, record.args = "a request could not be read: %s", (type(record.exc_info[1]).__name__,)
            record.exc_info = None
        now = time.monotonic()
        due = now - self.last >= BETWEEN_COMPLAINTS
        self.last = now if due else self.last
        return due


_log = logging.getLogger("outcome_monitors.proxy.clients")
complaints = _Seldom()
_log.addFilter(complaints)
_OPTIONS: dict[str, Any] = {
    "logger": _log,
    "access_log": None,
    "auto_decompress": False,
    "keepalive_timeout": IDLE_CLIENT,
}


class Clients(web.Server):
    """A server that takes so many clients, and no more, and waits for their first words so long, and no longer."""

    def __init__(
        self, handler: Any, slowest_head: float = SLOWEST_HEAD, shortcuts: Shortcuts | None = None
    ) -> None:
        # The bare server: routes, middleware and signals would take longer than passing a call on does.
        super().__init__(handler, request_factory=_request, handler_cancellation=True)
        self._slowest_head, self._shortcuts = slowest_head, shortcuts

    def __call__(self) -> Any:
        """Return what takes a connection."""
        if len(self.connections) >= MOST_CLIENTS:
            return _Refusal()
        return _Client(self, self._slowest_head, self._shortcuts)


class _Client(web.RequestHandler):
    """A connection that is given up where no request comes of it in time, and whose plain requests go the short way.

    For that it has to know where each request ends: as long as all that came was one plain request after another, it does.
    """

    __slots__ = (
        "_ended",
        "_gathered",
        "_give_up_call",
        "_held",
        "_missing",
        "_patience",
        "_plain",
        "_seconds",
        "_shortcuts",
        "_used",
        "_waiting",
        "pattern",
        "remote",
    )

    def __init__(self, clients: Clients, seconds: float, shortcuts: Shortcuts | None) -> None:
        super().__init__(clients, loop=asyncio.get_running_loop(), **_OPTIONS)
        self._seconds = seconds
        self._waiting: asyncio.TimerHandle | None = None
        self._shortcuts = shortcuts
        self._plain = shortcuts is not None
        """Whether all that came so far was plain."""
        self._missing = 0
        """Bytes of a body that goes the long way, and are still to come."""
        self._gathered = b""
        """What came of a request that may go the short way, when all of it is there."""
        self._patience: asyncio.TimerHandle | None = None
        self._give_up_call: Callable[[], None] | None = None
        """Gives up the call that is on the short way."""
        self._ended: asyncio.Future[None] | None = None
        """Waited for by whoever waits for its end."""
        self._held = b""
        """What came meanwhile."""
        self._used = 0.0
        """When the short way was last used."""
        self.pattern: bytes | None = None
        """The head of the one request that is on the long way, without the length of its body."""
        self.remote = ""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin to wait."""
        super().connection_made(transport)
        self.remote = str((transport.get_extra_info("peername") or ("",))[0])
        self._waiting = self._loop.call_later(self._seconds, self._give_up)

    def connection_lost(self, exc: BaseException | None) -> None:
        """Wait no more."""
        self.spoken()
        self._wait_no_more()
        give_up, self._give_up_call = self._give_up_call, None
        if give_up is not None:
            give_up()
        super().connection_lost(exc)

    def spoken(self) -> None:
        """Note that there is a request."""
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def data_received(self, data: bytes) -> None:
        """Take the short way, or the long one."""
        if not data:
            # aiohttp asks itself whether there is more to read of what it has.
            super().data_received(data)
        elif self._give_up_call is not None:
            self._hold(data)
        elif self._missing:
            self._go_long(data, self._missing - len(data))
        elif self._plain:
            self._choose(self._gathered + data)
        else:
            super().data_received(data)

    def write(self, data: bytes) -> None:
        """Send an answer to a call on the short way."""
        if self.transport is not None:
            self.transport.write(data)

    def done(self) -> None:
        """Take note that it is at its end, and of what came meanwhile."""
        self._give_up_call, self._used = None, self._loop.time()
        if self._ended is not None and not self._ended.done():
            self._ended.set_result(None)
        data, self._held = self._held, b""
        if data and self.transport is not None:
            self.transport.resume_reading()
            self.data_received(data)

    async def shutdown(self, timeout: float | None = 15.0) -> None:  # noqa: ASYNC109 - aiohttp's own
        """Let a call on the short way come to its end, as others do."""
        if self._give_up_call is not None:
            self._ended = self._loop.create_future()
            with suppress(TimeoutError):
                async with asyncio.timeout(timeout):
                    await self._ended
        await super().shutdown(timeout)

    def _choose(self, data: bytes) -> None:
        """Pass a request on by the short way, where its head is known and nothing else is under way."""
        self._wait_no_more()
        self._gathered = b""
        found = parted(data)
        idle = self._waiter is not None and not self._waiter.done()
        if found is None or not idle:
            self._go_long(data, -1)
            return
        self.pattern, missing = found.pattern, found.body + found.size - len(data)
        assert self._shortcuts is not None
        known = self._shortcuts.find(found.pattern)
        if known is not None and missing == 0 and self._go_short(known, data[found.body :]):
            return
        if known is not None and missing > 0 and found.size <= MOST_GATHERED:
            self._gathered = data
            self._patience = self._loop.call_later(IN_PARTS, self._go_long, data, missing)
            return
        self._go_long(data, missing)

    def _go_short(self, known: KnownHead, body: bytes) -> bool:
        assert self._shortcuts is not None
        self._give_up_call = self._shortcuts.begin(self, known, body)
        if self._give_up_call is None:
            return False
        self.spoken()
        return True

    def _go_long(self, data: bytes, missing: int) -> None:
        """Hand on what came; where more of it came than belongs to one request, nobody knows any more where one ends."""
        self._gathered, self._missing = b"", max(0, missing)
        if missing < 0:
            self._plain, self.pattern = False, None
        super().data_received(data)

    def _hold(self, data: bytes) -> None:
        if not self._held and self.transport is not None:
            self.transport.pause_reading()
        self._held += data

    def _wait_no_more(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None

    def _process_keepalive(self) -> None:
        """Close a connection that nobody uses; aiohttp does not know of the short way."""
        left = self._used + IDLE_CLIENT - self._loop.time()
        if self._give_up_call is not None or left > 0:
            self._keepalive_handle = self._loop.call_later(max(left, 1.0), self._process_keepalive)
        else:
            super()._process_keepalive()

    def _give_up(self) -> None:
        if self.transport is not None:
            self.transport.abort()


class _Refusal(asyncio.Protocol):
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        transport.abort()


def _request(message: Any, payload: Any, protocol: Any, writer: Any, task: Any) -> web.BaseRequest:
    protocol.spoken()
    return web.BaseRequest(message, payload, protocol, writer, task, asyncio.get_running_loop())
