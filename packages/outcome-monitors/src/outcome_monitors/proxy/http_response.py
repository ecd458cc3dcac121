"""An answer as the server gave it: its head byte for byte, less what is of one connection, and its body as it comes."""

from typing import Any

from aiohttp import HttpVersion11, web
from aiohttp.abc import AbstractStreamWriter

from .http_heads import Head
from .http_message import of_the_message

__all__ = ["RelayedResponse", "relayed_head"]

_NO_BODY = frozenset({204, 304})


def relayed_head(
    head: Head, size: int | None, *, newer: bool = True, chunks: bool = False, stays: bool = True
) -> bytes:
    """Return the head of an answer, byte for byte as the server gave it, but for what is of one connection."""
    before = head.lore.relayed
    if before is None:
        said = [name + b": " + value for name, value in of_the_message(head.headers)]
        before = head.lore.relayed = b"\r\n".join([b" %d %b" % (head.status, head.reason), *said, b""])
    lines = [b"HTTP/1.1" if newer else b"HTTP/1.0", before]
    if size is not None and head.status != 204:
        lines.append(b"Content-Length: %d\r\n" % size)
    elif chunks:
        lines.append(b"Transfer-Encoding: chunked\r\n")
    if not stays:
        lines.append(b"Connection: close\r\n")
    elif not newer:
        lines.append(b"Connection: keep-alive\r\n")
    return b"".join([*lines, b"\r\n"])


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

    async def prepare(self, request: Any) -> AbstractStreamWriter:
        """Make the head."""
        if self._writer is None:
            self._writer = request.writer
            self._bodiless = request.method == "HEAD" or self._head.status in _NO_BODY
            newer = request.version >= HttpVersion11
            self._chunks = newer and self._size is None and not self._bodiless
            ends = self._size is not None or self._chunks or self._bodiless
            self._stays = self._stays and bool(request.keep_alive) and ends
            self._held = relayed_head(
                self._head, self._size, newer=newer, chunks=self._chunks, stays=self._stays
            )
        return self._writer

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
