"""One connection to the server behind the proxy: a request at a time, and its answer as it comes."""

import asyncio
from collections import deque
from collections.abc import Callable

from .http1 import BadAnswerError, Reading
from .http_heads import AnswerHeads, Head
from .http_message import NO_BODY, Body
from .routes import Route

__all__ = ["Answer"]

MOST_WAITING = 2**18
"""Bytes of an answer that wait for the client before the server has to."""


class Answer(asyncio.Protocol):
    """A connection, and the answer to the request that was sent on it last."""

    def __init__(self, heads: AnswerHeads | None = None) -> None:
        self._heads = heads
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
        self._room = asyncio.Event()
        """Set while the server takes what is written."""
        self._room.set()
        self.news: Callable[[], None] | None = None
        """Called when something has come, or nothing more will: whoever sets it does not wait for it."""
        self._cut = False
        """Whether the server has answered before it had all of the request."""

    @property
    def head(self) -> Head:
        """What stands before the body."""
        assert self._reading is not None
        assert self._reading.head is not None
        return self._reading.head

    @property
    def has_head(self) -> bool:
        """Whether the head is there."""
        return self._reading is not None and self._reading.head is not None

    @property
    def whole(self) -> bool:
        """Whether all of it is there."""
        return self._reading is not None and self._reading.done

    @property
    def trouble(self) -> BadAnswerError | None:
        """What is wrong with it, where something is."""
        if self._wrong is None and self.lost:
            return BadAnswerError("the connection was closed")
        return self._wrong

    @property
    def held(self) -> int:
        """How many bytes of the body wait to be taken."""
        return self._waiting

    @property
    def reusable(self) -> bool:
        """Whether another request can be sent: all of the answer is there, and was taken."""
        reading = self._reading
        if reading is None or self.lost or self._cut:
            return False
        return reading.done and reading.reusable and not self._parts

    def begin(self, request: bytes, news: Callable[[], None]) -> None:
        """Send a request that has a body and is all there; `news` is called for what comes of it."""
        assert self._transport is not None
        self._reading, self.news = Reading(known=self._heads), news
        self._transport.write(request)

    async def asked(self, method: str, request: bytes, body: Body = NO_BODY) -> None:
        """Send a request, and wait for the head of its answer."""
        assert self._transport is not None
        self._reading = Reading(bodiless=method in ("HEAD", "CONNECT"), known=self._heads)
        self._transport.write(request + body.framed(body.first))
        if body.rest is not None:
            await self._send(body)
        while self._reading.head is None:
            await self._more()

    async def _send(self, body: Body) -> None:
        """Send the rest of a long request, as fast as the server takes it and until it has answered."""
        assert self._transport is not None
        assert self._reading is not None
        assert body.rest is not None
        async for part in body.rest:
            await self._room.wait()
            if self.lost or self._reading.head is not None:
                self._cut = True
                return
            self._transport.write(body.framed(part))
        self._transport.write(body.last)

    async def secured(self, route: Route) -> None:
        """Have the proxy between hand bytes on, and speak with the server itself, in private."""
        loop = asyncio.get_running_loop()
        await self.asked("CONNECT", route.connect)
        if self.head.status // 100 != 2:
            raise BadAnswerError(f"the proxy on the way answers {self.head.status}")
        assert self._transport is not None
        assert route.tls is not None
        self._transport = await loop.start_tls(self._transport, self, route.tls, server_hostname=route.name)
        self._reading = None

    async def some(self) -> bytes:
        """Return what came of the body; nothing at its end."""
        assert self._reading is not None
        while not self._parts:
            if self._reading.done:
                return b""
            await self._more()
        return self.taken()

    def taken(self) -> bytes:
        """Return what has come of the body and was not taken yet."""
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

    def pause_writing(self) -> None:
        """Note that the server takes no more for now."""
        self._room.clear()

    def resume_writing(self) -> None:
        """Note that it does."""
        self._room.set()

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
        self._room.set()
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
        if self.news is not None:
            self.news()
        elif self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)
