"""A request as it is passed on: which headers go with it, and how its body is sent, whole or as it comes."""

from collections.abc import AsyncIterator, Iterable
from typing import NamedTuple

__all__ = ["NO_BODY", "Body", "of_the_message"]

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
