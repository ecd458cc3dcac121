"""The connections to the server behind the proxy: each carries one request at a time, and is kept for the next.

Requests and answers pass as bytes. A client that follows redirects, keeps cookies and unpacks bodies would do more than a
proxy may, and take its time for it.
"""

import asyncio
import time
from collections.abc import Iterable
from contextlib import suppress
from urllib.parse import urlsplit

from .http1 import BadAnswerError
from .http_connection import Answer
from .http_heads import AnswerHeads
from .http_message import NO_BODY, Body, of_the_message
from .routes import basic, route_to

__all__ = ["UnreachableError", "Upstream"]

IDLE = 4.0
"""Seconds that a connection is kept without use: less than servers commonly keep one (5), which would else close it just
when a request is on its way."""
CONNECTING = 10.0
"""Seconds in which a connection comes about, or does not."""
MOST_KEPT = 256
"""Connections that are kept without use."""
FIRST_OF_TWO = 0.25
"""Seconds after which a name's second address is tried too."""
# The host is the other one's; what is compressed cannot be looked at; and whoever waits to be told to go on was told.
_NOT_PASSED_ON = frozenset({b"host", b"accept-encoding", b"expect"})
_WITHOUT_BODY = frozenset({"GET", "HEAD", "OPTIONS", "TRACE", "DELETE"})
_TWICE = frozenset({"GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"})
"""Methods of requests that may be sent again where a connection turns out to be closed (RFC 9110, 9.2.2)."""


class UnreachableError(Exception):
    """The server does not answer."""


class Upstream:
    """The server behind the proxy."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        self.name = parts.netloc.rpartition("@")[2]
        """Its host and port, as in a `Host` header."""
        self._route = route_to(parts)
        own = [f"Host: {self.name}".encode(), b"Accept-Encoding: identity", self._route.headers]
        self._headers = b"\r\n".join(filter(None, own))
        self._authorisation = basic(b"Authorization", parts)
        self._kept: list[Answer] = []
        self._heads = AnswerHeads()

    @property
    def place(self) -> tuple[str, int]:
        """Where connections go: to the server, or to the proxy on the way there."""
        return self._route.host, self._route.port

    async def ask(
        self, method: str, path: str, headers: Iterable[tuple[bytes, bytes]], body: Body = NO_BODY
    ) -> Answer:
        """Pass a request on, and return its answer when the head of it is there."""
        said = body.first or body.rest is not None or method not in _WITHOUT_BODY
        framing = body.framing + b"\r\n\r\n" if said else b"\r\n"
        request = self.head_of(method, path, headers, framing)
        # What can be read but once cannot be sent again: a connection that was kept may turn out to be closed.
        kept = self.take() if body.rest is None else None
        if kept is not None:
            with suppress(_StaleError):
                return await self._asked(kept, method, request, body, again=method in _TWICE)
        return await self._asked(await self._connect(), method, request, body, again=False)

    def back(self, answer: Answer) -> None:
        """Take a connection back, whose answer is at its end, or no longer wanted."""
        if answer.reusable and len(self._kept) < MOST_KEPT:
            answer.since = time.monotonic()
            self._kept.append(answer)
        else:
            answer.close()

    def close(self) -> None:
        """Close all that is kept."""
        for kept in self._kept:
            kept.close()
        self._kept.clear()

    def head_of(
        self, method: str, path: str, headers: Iterable[tuple[bytes, bytes]], framing: bytes
    ) -> bytes:
        """Return the head of a request; it ends with how its body is framed."""
        target = self._route.before_path + path.encode(errors="surrogateescape")
        lines = [b"%b %b HTTP/1.1" % (method.encode(), target), self._headers]
        own = self._authorisation
        for name, value in of_the_message(headers):
            lower = name.lower()
            if lower not in _NOT_PASSED_ON:
                lines.append(name + b": " + value)
                own = b"" if lower == b"authorization" else own
        if own:
            lines.append(own)
        return b"\r\n".join([*lines, framing])

    def take(self) -> Answer | None:
        """Return the connection that was used last; those that were not for long are closed."""
        latest = time.monotonic() - IDLE
        while self._kept and (self._kept[0].lost or self._kept[0].since < latest):
            self._kept.pop(0).close()
        while self._kept:
            kept = self._kept.pop()
            if not kept.lost:
                return kept
        return None

    async def _connect(self) -> Answer:
        try:
            return await asyncio.wait_for(self._connected(), CONNECTING)
        except TimeoutError:
            raise UnreachableError(f"{self.name}: no connection in {CONNECTING:.0f} s") from None
        except OSError as error:
            raise UnreachableError(f"{self.name}: {error.strerror or error}") from None
        except BadAnswerError as error:
            raise UnreachableError(f"{self.name}: {error}") from None

    async def _connected(self) -> Answer:
        route = self._route
        _, answer = await asyncio.get_running_loop().create_connection(
            lambda: Answer(self._heads),
            route.host,
            route.port,
            ssl=None if route.connect else route.tls,
            happy_eyeballs_delay=FIRST_OF_TWO,
        )
        if route.connect:
            try:
                await answer.secured(route)
            except BaseException:
                answer.close()
                raise
        return answer

    async def _asked(self, answer: Answer, method: str, request: bytes, body: Body, *, again: bool) -> Answer:
        try:
            await answer.asked(method, request, body)
        except BadAnswerError as error:
            answer.close()
            if again:
                raise _StaleError from None
            raise UnreachableError(f"{self.name}: {error}") from None
        except BaseException:
            # The client has left: the server is to learn of it.
            answer.close()
            raise
        return answer


class _StaleError(Exception):
    """A connection that was kept is closed at the other end."""
