"""The HTTP clients that a proxy could pass requests on by, each in as few lines as it takes, with one method: `ask`."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, NamedTuple, Protocol
from urllib.parse import urlsplit

__all__ = ["CLIENTS", "Asking", "Heard"]

Pairs = list[tuple[bytes, bytes]]


class Heard(NamedTuple):
    """An answer: what stands before its body, and the parts of that as they come."""

    status: int
    headers: Pairs
    parts: AsyncIterator[bytes]


class Asking(Protocol):
    """A client that keeps its connections."""

    def ask(self, url: str, headers: Pairs, body: bytes) -> Any:
        """Post a body; give an answer, as an asynchronous context."""

    async def close(self) -> None:
        """Close the connections."""


class Aiohttp:
    """aiohttp's client, with all switched off that a proxy must not do."""

    def __init__(self) -> None:
        import aiohttp  # noqa: PLC0415 - an extra

        self._client = aiohttp.ClientSession(
            auto_decompress=False,
            cookie_jar=aiohttp.DummyCookieJar(),
            trust_env=True,
            skip_auto_headers=("User-Agent", "Accept", "Accept-Encoding", "Content-Type"),
        )

    @asynccontextmanager
    async def ask(self, url: str, headers: Pairs, body: bytes) -> AsyncIterator[Heard]:
        """Post a body."""
        named = [(name.decode(), value.decode(errors="surrogateescape")) for name, value in headers]
        async with self._client.post(url, headers=named, data=body, allow_redirects=False) as answer:
            yield Heard(answer.status, list(answer.raw_headers), answer.content.iter_any())

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()


class Httpcore:
    """httpcore, which is httpx without its conveniences; it reads by h11."""

    def __init__(self) -> None:
        import httpcore  # noqa: PLC0415 - measured alone

        self._pool = httpcore.AsyncConnectionPool()

    @asynccontextmanager
    async def ask(self, url: str, headers: Pairs, body: bytes) -> AsyncIterator[Heard]:
        """Post a body."""
        host = (b"Host", urlsplit(url).netloc.encode())
        size = (b"Content-Length", b"%d" % len(body))
        async with self._pool.stream("POST", url, headers=[host, *headers, size], content=body) as answer:
            yield Heard(answer.status, answer.headers, answer.aiter_stream())

    async def close(self) -> None:
        """Close the connections."""
        await self._pool.aclose()


class _Parsed:
    """One connection, and what a reader makes of what comes on it."""

    def __init__(self, reading: Callable[[], Any]) -> None:
        self._reading = reading
        self._ends: dict[str, tuple[asyncio.StreamReader, asyncio.StreamWriter]] = {}

    @asynccontextmanager
    async def ask(self, url: str, headers: Pairs, body: bytes) -> AsyncIterator[Heard]:
        """Post a body."""
        parts = urlsplit(url)
        if parts.netloc not in self._ends:
            self._ends[parts.netloc] = await asyncio.open_connection(parts.hostname, parts.port)
        reader, writer = self._ends[parts.netloc]
        lines = [b"POST %b HTTP/1.1" % parts.path.encode(), b"Host: " + parts.netloc.encode()]
        lines += [name + b": " + value for name, value in headers]
        writer.write(b"\r\n".join([*lines, b"Content-Length: %d" % len(body), b"", body]))
        reading = self._reading()
        try:
            while reading.status is None:
                reading.feed(await reader.read(2**16))
            yield Heard(reading.status, reading.headers, self._rest(reading, reader))
        finally:
            if not reading.done:
                writer.close()
                del self._ends[parts.netloc]

    async def _rest(self, reading: Any, reader: asyncio.StreamReader) -> AsyncIterator[bytes]:
        for part in reading.taken():
            yield part
        while not reading.done:
            reading.feed(await reader.read(2**16))
            for part in reading.taken():
                yield part

    async def close(self) -> None:
        """Close the connections."""
        for _, writer in self._ends.values():
            writer.close()


class ByH11:
    """A reader by h11: Python throughout, and strict."""

    def __init__(self) -> None:
        import h11  # noqa: PLC0415 - measured alone

        self._h11 = h11
        self._connection = h11.Connection(h11.CLIENT)
        self._connection.send(h11.Request(method="POST", target="/", headers=[("Host", "x")]))
        self._connection.send(h11.EndOfMessage())
        self.status: int | None = None
        self.headers: Pairs = []
        self.done = False
        self._parts: list[bytes] = []

    def feed(self, data: bytes) -> None:
        """Take what came."""
        self._connection.receive_data(data)
        while not self.done:
            event = self._connection.next_event()
            if event is self._h11.NEED_DATA or isinstance(event, self._h11.ConnectionClosed):
                return
            if isinstance(event, self._h11.Response):
                self.status, self.headers = event.status_code, event.headers.raw_items()
            elif isinstance(event, self._h11.Data):
                self._parts.append(bytes(event.data))
            self.done = isinstance(event, self._h11.EndOfMessage)

    def taken(self) -> Iterator[bytes]:
        """Give what is there of the body."""
        while self._parts:
            yield self._parts.pop(0)


class ByHttptools:
    """A reader by httptools: llhttp, which Node.js reads HTTP by."""

    def __init__(self) -> None:
        import httptools  # noqa: PLC0415 - measured alone

        self._parser = httptools.HttpResponseParser(self)
        self.status: int | None = None
        self.headers: Pairs = []
        self.done = False
        self._parts: list[bytes] = []

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header."""
        self.headers.append((name, value))

    def on_headers_complete(self) -> None:
        """Note the status of what is no hint."""
        if (status := self._parser.get_status_code()) >= 200:
            self.status = status
        else:
            self.headers = []

    def on_body(self, data: bytes) -> None:
        """Take a part of the body."""
        self._parts.append(data)

    def on_message_complete(self) -> None:
        """Note the end."""
        self.done = self.status is not None

    def feed(self, data: bytes) -> None:
        """Take what came."""
        if not data:
            raise ConnectionError
        self._parser.feed_data(data)

    def taken(self) -> Iterator[bytes]:
        """Give what is there of the body."""
        while self._parts:
            yield self._parts.pop(0)


CLIENTS: Mapping[str, tuple[str, Callable[[], Asking]]] = {
    "aiohttp": ("yes", Aiohttp),
    "httpcore": ("yes", Httpcore),
    "h11": ("no", lambda: _Parsed(ByH11)),
    "httptools": ("no", lambda: _Parsed(ByHttptools)),
}
"""Each, with whether it goes through `HTTP_PROXY` by itself or can be told to."""
