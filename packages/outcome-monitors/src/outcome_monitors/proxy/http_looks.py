"""How an answer is looked at that comes in parts: each event of an SSE stream, or the head of what is too large.

An event of an SSE stream is taken apart, and put together again with other data.
"""

import re
from collections.abc import Callable

from .desk import Desk
from .dialogue import Dialogue
from .framing import EVENT_END, Cutter, Piece
from .look import PieceLook

__all__ = ["EventLook", "HeadLook", "with_data"]


class EventLook:
    """The events of an SSE stream, each looked at."""

    def __init__(self, desk: Desk, dialogue: Dialogue) -> None:
        self._look = PieceLook(desk, lambda event: with_data(event, dialogue.answered), dialogue.passed)
        self._cutter = Cutter(desk.budget.largest, EVENT_END)

    def feed(self, chunk: bytes) -> bytes:
        """Return what is to be passed on of a chunk."""
        return b"".join([self._look(piece) for piece in self._cutter.feed(chunk)])

    def end(self) -> bytes:
        """Return what is left at the end."""
        return b"".join([self._look(piece) for piece in self._cutter.end()])


class HeadLook:
    """An answer that is too large to be looked at, or is not JSON: its head alone is."""

    def __init__(self, look: PieceLook) -> None:
        self._look = look
        self._begun = False

    def feed(self, chunk: bytes) -> bytes:
        """Return a chunk, as it came."""
        first, self._begun = not self._begun, True
        return self._look(Piece(chunk, whole=False, head=first))

    def end(self) -> bytes:
        """Return nothing: all has passed."""
        return b""


_LINE = re.compile(rb"([^\r\n]*)(\r\n|\n|\r|\Z)")


def with_data(event: bytes, change: Callable[[bytes], bytes]) -> bytes:
    """Return an event with its data changed; where that stays the same, the very bytes that came."""
    lines = [(found[1], found[2]) for found in _LINE.finditer(event) if found[0]]
    data = [_value(line) for line, _ in lines if _is_data(line)]
    if not data:
        return event
    before = b"\n".join(data)
    after = change(before)
    if after == before:
        return event
    parts: list[bytes] = []
    for line, end in lines:
        if not _is_data(line):
            parts += [line, end]
        elif after:
            parts += [b"data: " + part + end for part in after.split(b"\n")]
            after = b""
    return b"".join(parts)


def _is_data(line: bytes) -> bool:
    return line == b"data" or line.startswith(b"data:")


def _value(line: bytes) -> bytes:
    return line[5:].removeprefix(b" ")
