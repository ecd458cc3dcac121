"""A request as it is passed on: which headers go with it, and how its body is sent, whole or as it comes."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from typing import NamedTuple

from aiohttp import StreamReader, web

__all__ = ["NO_BODY", "SLOWEST_PART", "Body", "body_of", "of_the_message"]

SLOWEST_PART = 60.0
"""Seconds in which something more of a body is to come."""

_OF_ONE_CONNECTION = frozenset(
    b"""
    connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade
    content-length
    """.split()
)
"""Headers that concern one connection, not the message; those that `Connection` names do too."""


class Body(NamedTuple):
    """The body of a request: what is there of it, and, where it is long, the rest as it comes."""

    first: bytes = b""
    rest: AsyncIterator[bytes] | None = None
    size: int | None = None
    """How long all of it is, where the client has said."""

    @property
    def framing(self) -> bytes:
        """The header that says where it ends."""
        if self.rest is None:
            return b"Content-Length: %d" % len(self.first)
        return b"Transfer-Encoding: chunked" if self.size is None else b"Content-Length: %d" % self.size

    def framed(self, part: bytes) -> bytes:
        """Return a part as it is to be sent."""
        if self.rest is None or self.size is not None:
            return part
        return b"%x\r\n%b\r\n" % (len(part), part) if part else b""

    @property
    def last(self) -> bytes:
        """What says that it is at its end."""
        return b"0\r\n\r\n" if self.rest is not None and self.size is None else b""


def of_the_message(headers: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """Return the headers that are not of one connection alone."""
    pairs = [(name.lower(), name, value) for name, value in headers]
    named = {
        word.strip().lower()
        for lower, _, value in pairs
        if lower == b"connection"
        for word in value.split(b",")
    }
    return [
        (name, value)
        for lower, name, value in pairs
        if lower not in _OF_ONE_CONNECTION and lower not in named
    ]


NO_BODY = Body()


async def body_of(request: web.BaseRequest, largest: int) -> Body:
    """Return the body of a request; what is too large to be looked at as it comes, behind the first part of it."""
    if not request.can_read_body:
        return Body()
    if request.headers.get("Expect", "").lower() == "100-continue":
        await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
    content, first = request.content, bytearray()
    while part := await _part(content):
        first += part
        if len(first) > largest:
            return Body(bytes(first), _parts(content), request.content_length)
    return Body(bytes(first))


async def _parts(content: StreamReader) -> AsyncIterator[bytes]:
    while part := await _part(content):
        yield part


async def _part(content: StreamReader) -> bytes:
    """Return what came of a body; nothing at its end. Raise TimeoutError where nothing comes."""
    if content.is_eof():
        # All of it is here, as of most requests: nobody waits.
        return await content.readany()
    async with asyncio.timeout(SLOWEST_PART):
        return await content.readany()
