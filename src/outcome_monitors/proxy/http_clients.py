"""The connections of clients over HTTP: how many at a time, and how long each may take to say what it wants."""

import asyncio
import logging
import time
from typing import Any

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

__all__ = ["MOST_CLIENTS", "SLOWEST_HEAD", "Clients"]

MOST_CLIENTS = 2000
"""Connections of clients at a time; a further one is closed at once."""
SLOWEST_HEAD = 20.0
"""Seconds in which the head of a connection's first request is to be there; those of later ones have as long as it may be idle."""
IDLE_CLIENT = 75.0
"""Seconds that a client's connection is kept without use."""

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

    def __init__(self, handler: Any, slowest_head: float = SLOWEST_HEAD) -> None:
        # The bare server: routes, middleware and signals would take longer than passing a call on does.
        super().__init__(handler, request_factory=_request, handler_cancellation=True)
        self._slowest_head = slowest_head

    def __call__(self) -> Any:
        """Return what takes a connection."""
        if len(self.connections) >= MOST_CLIENTS:
            return _Refusal()
        return _Client(self, self._slowest_head)


class _Client(web.RequestHandler):
    """A connection that is given up where no request comes of it in time."""

    __slots__ = ("_seconds", "_waiting")

    def __init__(self, clients: Clients, seconds: float) -> None:
        super().__init__(clients, loop=asyncio.get_running_loop(), **_OPTIONS)
        self._seconds = seconds
        self._waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin to wait."""
        super().connection_made(transport)
        self._waiting = asyncio.get_running_loop().call_later(self._seconds, self._give_up)

    def connection_lost(self, exc: BaseException | None) -> None:
        """Wait no more."""
        self.spoken()
        super().connection_lost(exc)

    def spoken(self) -> None:
        """Note that there is a request."""
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

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
