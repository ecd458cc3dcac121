"""An answer as the server gave it: its head byte for byte, less what is of one connection, and its body as it comes."""

from aiohttp import HttpVersion11, web
from aiohttp.abc import AbstractStreamWriter

from .http1 import Head
from .http_message import of_the_message

__all__ = ["RelayedResponse"]

_NO_BODY = frozenset({204, 304})


class RelayedResponse(web.StreamResponse):
    """Writes bytes alone: aiohttp's own response loses bytes of headers that are no UTF-8, and adds headers of its own."""

    def __init__(self, head: Head, size: int | None, *, stays: bool = True) -> None:
        super().__init__(status=head.status)
        self._head, self._size = head, size
        self._writer: AbstractStreamWriter | None = None
        self._held = b""
        """The head, until there is something to send with it."""
        self._chunks = self._bodiless = self._ended = False
        self._stays = stays

    @property
    def prepared(self) -> bool:
        """Whether the head was written, or is about to be."""
        return self._writer is not None

    @property
    def keep_alive(self) -> bool:
        """Whether the client's connection can be used again."""
        return self._stays

    async def prepare(self, request: web.BaseRequest) -> AbstractStreamWriter:
        """Make the head."""
        if self._writer is None:
            self._writer = request.writer
            self._bodiless = request.method == "HEAD" or self._head.status in _NO_BODY
            newer = request.version >= HttpVersion11
            self._chunks = newer and self._size is None and not self._bodiless
            ends = self._size is not None or self._chunks or self._bodiless
            self._stays = self._stays and bool(request.keep_alive) and ends
            self._held = self._made(newer)
        return self._writer

    def _made(self, newer: bool) -> bytes:
        version = b"1.1" if newer else b"1.0"
        lines = [b"HTTP/%b %d %b" % (version, self._head.status, self._head.reason)]
        lines += [name + b": " + value for name, value in of_the_message(self._head.headers)]
        if self._size is not None and self._head.status != 204:
            lines.append(b"Content-Length: %d" % self._size)
        elif self._chunks:
            lines.append(b"Transfer-Encoding: chunked")
        if not self._stays:
            lines.append(b"Connection: close")
        elif not newer:
            lines.append(b"Connection: keep-alive")
        return b"\r\n".join([*lines, b"", b""])

    async def begin(self) -> None:
        """Send the head, if there is nothing yet to send with it."""
        await self._send(b"")

    async def write(self, data: bytes | bytearray | memoryview) -> None:
        """Write a part of the body."""
        part = bytes(data)
        if part and not self._bodiless:
            await self._send(b"%x\r\n%b\r\n" % (len(part), part) if self._chunks else part)

    async def write_eof(self, data: bytes = b"") -> None:
        """Write the last part of the body."""
        if self._ended:
            return
        self._ended = True
        await self.write(data)
        await self._send(b"0\r\n\r\n" if self._chunks else b"")

    async def _send(self, data: bytes) -> None:
        assert self._writer is not None
        data, self._held = self._held + data, b""
        if data:
            await self._writer.write(data)
