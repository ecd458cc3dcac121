"""A stream of bytes in pieces that can be looked at: lines, or the events of an SSE stream.

Put together again the pieces are the stream, byte for byte, and never more of it is held than is worth looking at.
"""

import json
import re
import zlib
from collections.abc import Callable, Iterator
from typing import NamedTuple

LINE_END = re.compile(rb"\n")
EVENT_END = re.compile(rb"(?>\r\n|\n|\r)(?>\r\n|\n|\r)")
_LONGEST_END = 4
_ANY_WINDOW = 47
"""Has zlib tell gzip and deflate apart."""
_LINE = re.compile(rb"([^\r\n]*)(\r\n|\n|\r|\Z)")


Unpack = Callable[[bytes, int], bytes]
"""Unpacks a further part of a body, to at most so many bytes."""


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

    def feed(self, chunk: bytes) -> Iterator[Piece]:
        """Yield what a further chunk completes."""
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

    def end(self) -> Iterator[Piece]:
        """Yield what is left when the stream ends."""
        if self._held:
            yield self._take(len(self._held), ended=True)

    def _take(self, size: int, *, ended: bool) -> Piece:
        data = bytes(self._held[:size])
        del self._held[:size]
        self._searched = 0
        head, self._passing = not self._passing, not ended
        return Piece(data, whole=head and ended and size <= self._largest, head=head)


def with_data(event: bytes, change: Callable[[bytes], bytes]) -> bytes:
    """Return an SSE event with its data changed; where that stays the same, the very bytes that came."""
    lines = [(found[1], found[2]) for found in _LINE.finditer(event) if found[0]]
    data = [line[5:].removeprefix(b" ") for line, _ in lines if _is_data(line)]
    if not data:
        return event
    before = b"\n".join(data)
    after = change(before)
    if after == before:
        return event
    parts: list[bytes] = []
    left, count = after.split(b"\n"), len(data)
    for line, end in lines:
        if not _is_data(line):
            parts += [line, end]
            continue
        # Each stays where it was, and the last has what is left.
        count -= 1
        here, left = (left[:1], left[1:]) if count else (left, [])
        parts += [b"data: " + part + end for part in here]
    return b"".join(parts)


def unpacker(encoding: str) -> Unpack | None:
    """Return what unpacks a body part by part, each to at most so many bytes; None where nobody here can."""
    if encoding in ("", "identity"):
        return lambda data, _most: data
    if encoding not in ("gzip", "x-gzip", "deflate"):
        return None
    packed = zlib.decompressobj(_ANY_WINDOW)

    def unpack(data: bytes, most: int) -> bytes:
        """Unpack; raise zlib.error where that is nothing packed, or unpacks to more."""
        found = packed.decompress(data, most)
        if packed.unconsumed_tail:
            raise zlib.error(f"it unpacks to more than {most} bytes")
        return found

    return unpack


def as_utf8(body: bytes, charset: str) -> bytes:
    """Return JSON in UTF-8, read as clients read it: by its first bytes, or else by what is said of it."""
    for name in (json.detect_encoding(body), charset):
        try:
            text = body.decode("utf-8-sig" if name in ("", "utf-8") else name)
        except (LookupError, ValueError):
            continue
        return text.encode(errors="surrogatepass")
    return body


def _is_data(line: bytes) -> bool:
    return line == b"data" or line.startswith(b"data:")
