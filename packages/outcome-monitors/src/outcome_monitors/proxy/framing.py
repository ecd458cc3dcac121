"""A stream of bytes in pieces that can be looked at: lines, or the events of an SSE stream.

Put together again the pieces are the stream, byte for byte, and never more of it is held than is worth looking at.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

__all__ = ["EVENT_END", "LINE_END", "Cutter", "Piece"]

LINE_END = re.compile(rb"\n")
EVENT_END = re.compile(rb"(?>\r\n|\n|\r)(?>\r\n|\n|\r)")
_LONGEST_END = 4


class Piece(NamedTuple):
    """A whole line or event, or a part of one that is too long to be held."""

    data: bytes
    whole: bool
    head: bool = True
    """The part that it begins with."""


class Cutter:
    """Cuts a stream behind every end; what is longer than `largest` comes in parts, as they arrive."""

    def __init__(self, largest: int, end: re.Pattern[bytes] = LINE_END) -> None:
        self._largest, self._end = largest, end
        self._held = bytearray()
        self._searched = 0
        self._passing = False

    def feed(self, chunk: bytes) -> Iterable[Piece]:
        """Return what a further chunk completes."""
        if self._end is LINE_END and chunk.endswith(b"\n") and self._fits(chunk):
            if chunk.find(b"\n") == len(chunk) - 1:
                return [Piece(chunk, whole=True)]
            return [Piece(line + b"\n", whole=True) for line in chunk.split(b"\n")[:-1]]
        return self._cut(chunk)

    def end(self) -> Iterator[Piece]:
        """Yield what is left when the stream ends."""
        if self._held:
            yield self._take(len(self._held), ended=True)

    def _fits(self, chunk: bytes) -> bool:
        return not self._held and not self._passing and len(chunk) <= self._largest

    def _cut(self, chunk: bytes) -> Iterator[Piece]:
        self._held += chunk
        while (found := self._end.search(self._held, self._searched)) is not None:
            end = found.end()
            # A match keeps the buffer from being cut.
            del found
            yield self._take(end, ended=True)
        too_long = self._passing or len(self._held) > self._largest
        if too_long and len(self._held) >= _LONGEST_END:
            # An end may be half here: its first bytes wait for the rest.
            yield self._take(len(self._held) - _LONGEST_END + 1, ended=False)
        self._searched = max(0, len(self._held) - _LONGEST_END + 1)

    def _take(self, size: int, *, ended: bool) -> Piece:
        data = bytes(self._held[:size])
        del self._held[:size]
        self._searched = 0
        head, self._passing = not self._passing, not ended
        return Piece(data, whole=head and ended and size <= self._largest, head=head)
