"""The body of a client's request: whole, or, where it is long, as it comes."""

import asyncio
from collections.abc import AsyncIterator

from aiohttp import StreamReader, web

from .http_message import Body

__all__ = ["SLOWEST_PART", "body_of"]

SLOWEST_PART = 60.0
"""Seconds in which something more of a body is to come."""


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
