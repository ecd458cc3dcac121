"""The short way of a request whose head has come before, byte for byte but for the length of its body.

Such a head was taken apart once, and passed on: what the doors say to it, whose conversation it is and what the server is told
is known. The next one needs no task, no parser and no request of its own. What is not plain goes the long way from the start: a
head that is new, a server that there is no connection to. An answer that is long, or is no JSON, goes over to it.
"""

import re
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

__all__ = ["LONGEST_HEAD", "MOST_GATHERED", "KnownHead", "Parted", "Shortcuts", "WaitingClient", "parted"]

LONGEST_HEAD = 8190
"""Bytes of a head that is remembered."""
MOST_HEADS = 1024
"""Heads that are remembered; those not heard of for longest are forgotten first."""
MOST_GATHERED = 64 * 1024
"""Bytes of a body, of a request or an answer, that may come in parts and still goes the short way."""

_LENGTH = re.compile(rb"\r\ncontent-length: *([0-9]{1,9}) *\r\n", re.IGNORECASE)


class Parted(NamedTuple):
    """The beginning of a request, parted."""

    pattern: bytes
    """Its head, without the length of the body."""
    body: int
    """Where the body begins."""
    size: int
    """How long that is to be."""


class KnownHead(NamedTuple):
    """What is known of requests with one head."""

    request: bytes
    """What the server is told, up to the length of the body."""
    session: str | None


class WaitingClient(Protocol):
    """A client's connection that waits for an answer."""

    transport: Any

    @property
    def remote(self) -> str:
        """Where the client is."""

    def write(self, data: bytes) -> None:
        """Send an answer."""

    def done(self) -> None:
        """Take note that the answer is at its end, or broke off."""


Begin = Callable[[WaitingClient, KnownHead, bytes], Callable[[], None] | None]
"""Passes a request on, and returns what gives it up; nothing where it has to go the long way."""


def parted(data: bytes) -> Parted | None:
    """Return the parts of what may be a plain POST with a body of a known length; whether it is one, this does not say."""
    end = data.find(b"\r\n\r\n", 0, LONGEST_HEAD)
    if end < 0 or not data.startswith(b"POST "):
        return None
    found = _LENGTH.search(data, 0, end + 2)
    if found is None:
        return None
    return Parted(data[: found.start(1)] + data[found.end(1) : end], end + 4, int(found[1]))


class Shortcuts:
    """The heads that are known, and the way that requests with one of them go."""

    def __init__(self, begin: Begin) -> None:
        self.begin = begin
        self._known: OrderedDict[bytes, KnownHead] = OrderedDict()

    def find(self, pattern: bytes) -> KnownHead | None:
        """Return what is known of a head."""
        known = self._known.get(pattern)
        if known is not None:
            self._known.move_to_end(pattern)
        return known

    def learn(self, pattern: bytes, known: KnownHead) -> None:
        """Remember a head that was passed on; one whose lines end in more than one way is read in more than one way."""
        if pattern.count(b"\n") != pattern.count(b"\r\n"):
            return
        self._known[pattern] = known
        if len(self._known) > MOST_HEADS:
            self._known.popitem(last=False)
