"""The connections to the server behind the proxy: each carries one request at a time, and is kept for the next.

Requests and answers pass as bytes. A client that follows redirects, keeps cookies and unpacks bodies would do more than a
proxy may, and take its time for it.
"""

import asyncio
import base64
import ssl
import time
from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from urllib.parse import SplitResult, unquote, urlsplit

from .http1 import BadAnswerError, Head, Reading

__all__ = ["OF_ONE_CONNECTION", "Answer", "UnreachableError", "Upstream"]

IDLE = 4.0
"""Seconds that a connection is kept without use: less than servers commonly keep one (5), which would else close it just
when a request is on its way."""
MOST_WAITING = 2**18
"""Bytes of an answer that wait for the client before the server has to."""
FIRST_OF_TWO = 0.25
"""Seconds after which a name's second address is tried too."""
OF_ONE_CONNECTION = frozenset(
    """
    connection keep-alive proxy-authenticate proxy-authorization te trailer transfer-encoding upgrade content-length
    """.split()  # noqa: SIM905 - words read better as words
)
"""Headers that concern one connection, not the message."""
# The host is the other one's; what is compressed cannot be looked at; and the body is all there when it is passed on.
_NOT_PASSED_ON = frozenset(
    name.encode() for name in (*OF_ONE_CONNECTION, "host", "accept-encoding", "expect")
)
_WITHOUT_BODY = frozenset({"GET", "HEAD", "OPTIONS", "TRACE", "DELETE"})
_TWICE = frozenset({"GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"})
"""Methods of requests that may be sent again where a connection turns out to be closed (RFC 9110, 9.2.2)."""


class UnreachableError(Exception):
    """The server does not answer."""


class Answer(asyncio.Protocol):
    """A connection, and the answer to the request that was sent on it last."""

    def __init__(self) -> None:
        self.lost = False
        self.since = 0.0
        """When it was last used."""
        self._transport: asyncio.Transport | None = None
        self._reading: Reading | None = None
        self._parts: deque[bytes] = deque()
        self._waiting = 0
        self._paused = False
        self._wrong: BadAnswerError | None = None
        self._waiter: asyncio.Future[None] | None = None

    @property
    def head(self) -> Head:
        """What stands before the body."""
        assert self._reading is not None
        assert self._reading.head is not None
        return self._reading.head

    @property
    def size(self) -> int | None:
        """How long the body is, where the head says so."""
        length = self.head.value("content-length")
        return int(length) if length.isascii() and length.isdigit() else None

    @property
    def reusable(self) -> bool:
        """Whether another request can be sent: all of the answer is there, and was taken."""
        reading = self._reading
        if reading is None or self.lost:
            return False
        return reading.done and reading.reusable and not self._parts

    async def asked(self, method: str, request: bytes) -> None:
        """Send a request, and wait for the head of its answer."""
        assert self._transport is not None
        self._reading = Reading(bodiless=method == "HEAD")
        self._transport.write(request)
        while self._reading.head is None:
            await self._more()

    async def some(self) -> bytes:
        """Return what came of the body; nothing at its end."""
        assert self._reading is not None
        while not self._parts:
            if self._reading.done:
                return b""
            await self._more()
        data = self._parts.popleft() if len(self._parts) == 1 else b"".join(self._parts)
        self._parts.clear()
        self._waiting = 0
        if self._paused and self._transport is not None:
            self._paused = False
            self._transport.resume_reading()
        return data

    def close(self) -> None:
        """Give the connection up."""
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Note where to write."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Read what came."""
        if self._reading is None or (self._reading.done and self._reading.reusable):
            self.close()
            return
        try:
            body = self._reading.feed(data)
        except BadAnswerError as error:
            self._wrong = error
            self.close()
        else:
            if body:
                self._parts.append(body)
                self._waiting += len(body)
                self._hold_up()
        self._wake()

    def connection_lost(self, exc: Exception | None) -> None:
        """Note that nothing more comes."""
        self.lost = True
        if self._reading is not None and self._wrong is None:
            try:
                self._reading.end()
            except BadAnswerError as error:
                self._wrong = BadAnswerError(f"{error} ({exc})") if exc is not None else error
        self._wake()

    async def _more(self) -> None:
        if self._wrong is not None:
            raise self._wrong
        if self.lost:
            raise BadAnswerError("the connection was closed")
        self._waiter = asyncio.get_running_loop().create_future()
        await self._waiter

    def _hold_up(self) -> None:
        if self._waiting > MOST_WAITING and not self._paused and self._transport is not None:
            self._paused = True
            self._transport.pause_reading()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)


class Upstream:
    """The server behind the proxy."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        secure = parts.scheme == "https"
        self.name = parts.netloc.rpartition("@")[2]
        """Its host and port, as in a `Host` header."""
        self._headers = f"Host: {self.name}\r\nAccept-Encoding: identity".encode()
        self._authorisation = _authorisation(parts)
        self._host, self._port = parts.hostname or "", parts.port or (443 if secure else 80)
        self._ssl = ssl.create_default_context() if secure else None
        self._kept: list[Answer] = []

    async def ask(
        self, method: str, path: str, headers: Iterable[tuple[bytes, bytes]], body: bytes
    ) -> Answer:
        """Pass a request on, and return its answer when the head of it is there."""
        request = self._request(method, path, headers, body)
        kept = self._take()
        if kept is not None:
            with suppress(_StaleError):
                return await self._asked(kept, method, request, again=method in _TWICE)
        return await self._asked(await self._connect(), method, request, again=False)

    def back(self, answer: Answer) -> None:
        """Take a connection back, whose answer is at its end, or no longer wanted."""
        if answer.reusable:
            answer.since = time.monotonic()
            self._kept.append(answer)
        else:
            answer.close()

    def close(self) -> None:
        """Close all that is kept."""
        for kept in self._kept:
            kept.close()
        self._kept.clear()

    def _request(self, method: str, path: str, headers: Iterable[tuple[bytes, bytes]], body: bytes) -> bytes:
        lines = [f"{method} {path} HTTP/1.1".encode(errors="surrogateescape"), self._headers]
        own = self._authorisation
        for name, value in headers:
            lower = name.lower()
            if lower not in _NOT_PASSED_ON:
                lines.append(name + b": " + value)
                own = b"" if lower == b"authorization" else own
        if own:
            lines.append(own)
        if body or method not in _WITHOUT_BODY:
            lines.append(b"Content-Length: %d" % len(body))
        return b"\r\n".join([*lines, b"", body])

    def _take(self) -> Answer | None:
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
            _, answer = await asyncio.get_running_loop().create_connection(
                Answer, self._host, self._port, ssl=self._ssl, happy_eyeballs_delay=FIRST_OF_TWO
            )
        except OSError as error:
            raise UnreachableError(f"{self.name}: {error.strerror or error}") from None
        return answer

    async def _asked(self, answer: Answer, method: str, request: bytes, *, again: bool) -> Answer:
        try:
            await answer.asked(method, request)
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


def _authorisation(address: SplitResult) -> bytes:
    """Return the header that a name and a password in an address stand for."""
    if address.username is None:
        return b""
    pair = f"{unquote(address.username)}:{unquote(address.password or '')}"
    return b"Authorization: Basic " + base64.b64encode(pair.encode())
