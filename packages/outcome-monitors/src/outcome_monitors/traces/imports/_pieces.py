"""A file of lines, cut into pieces that other processes read, and what they make of a piece."""

from collections.abc import Iterator
from io import BytesIO
from typing import IO, NamedTuple

from . import _text
from ._entries import PACKED, READING_ERRORS, Entry, seen
from ._json import RecordReader
from ._payload import READY
from ._sources import AUTO, Item, in_order, recognised
from ._tally import Notes, PendingCount
from ._text import Returnable

__all__ = ["LinesFile", "LinesPiece", "PieceSeen", "look_at", "source_of"]

SIZE = 1 << 19
"""Bytes of a piece, at least, where the file has as many."""
LONGEST = 1 << 23
"""Bytes of a line that is sent; what is longer is read where it is found."""


class LinesPiece(NamedTuple):
    """Whole lines of a file."""

    file: str
    lines: int
    """How many lines go before."""
    data: bytes
    last: bool
    """The file ends with it."""
    source: str
    """What the file is; where that is to be found out, the piece is the whole of it."""


class PieceSeen(NamedTuple):
    """What a piece says."""

    entries: list[Entry]
    left: int = 0
    """Bytes at its end that cannot be told without what follows,"""
    lines: int = 0
    """and how many lines go before those."""
    closed: bool = False
    """The rest of the file is not to be read."""


def look_at(piece: LinesPiece) -> PieceSeen:
    """Read a piece as far as it can be read by itself."""
    notes = Notes()
    stream = Returnable(BytesIO(piece.data))
    reader = RecordReader(stream, piece.file, notes, piece.lines)
    if piece.source == AUTO:
        source, items, _ = recognised(in_order(reader.read(), notes), piece.file)
        return PieceSeen(list(seen(items, piece.file, source, READY)))
    found: list[Entry] = []
    while True:
        taken, lines = stream.taken, reader.line
        step = reader.step()
        if step is None:
            return PieceSeen(found, closed=stream.closed)
        made = list(seen(in_order(step, notes), piece.file, piece.source, READY))
        if stream.ran_out and not piece.last:
            return PieceSeen(found, len(piece.data) - taken, lines)
        found += made


class LinesFile:
    """A file of lines that is being cut. What was cut can be given back, to be read here."""

    def __init__(self, stream: IO[bytes], name: str) -> None:
        self._stream = Returnable(stream)
        self._lines = 0
        """How many lines were cut off, or read here."""
        self.name = name
        self.source = AUTO
        self.has_ended = False
        self._error: BaseException | None = None
        self._has_told = False

    @property
    def is_done(self) -> bool:
        """Say whether nothing more is to be cut."""
        return self.has_ended or self._stream.closed

    def cut(self) -> LinesPiece | None:
        """Return the next whole lines; nothing where there are none, or where a line is too long to be sent."""
        data, before = bytearray(), self._lines
        try:
            while len(data) < SIZE and (line := self._line()):
                data += line
        except READING_ERRORS as error:
            self._error = error
            self._end()
        if not data:
            return None
        self._lines += data.count(b"\n")
        return LinesPiece(self.name, before, bytes(data), self.has_ended and self._error is None, self.source)

    def _line(self) -> bytes:
        """Return the next line; nothing at the end, and where it is too long."""
        parts = [self._stream.readline(_text.WINDOW)]
        while len(parts[-1]) == _text.WINDOW and not parts[-1].endswith(b"\n"):
            if len(parts) * _text.WINDOW >= LONGEST:
                self._stream.give_back(b"".join(parts))
                return b""
            parts.append(self._stream.readline(_text.WINDOW))
        line = b"".join(parts)
        if not line:
            self._end()
        return line

    def _end(self) -> None:
        self.has_ended = True
        self._stream.end(self._error)

    def close(self) -> None:
        """Read no more of it."""
        self._stream.close()

    def give_back(self, data: bytes, lines: int) -> None:
        """Take back what was cut, with so many lines before it."""
        self._stream.give_back(data)
        self._lines = lines
        self.has_ended = False

    def items(self, least: int | None = None) -> Iterator[Item]:
        """Read so many bytes here, and what must be read with them; all that is left unless told."""
        notes = Notes()
        reader = RecordReader(self._stream, self.name, notes, self._lines)
        to = None if least is None else self._stream.taken + least
        try:
            while (to is None or self._stream.taken < to) and (step := reader.step()) is not None:
                yield from in_order(step, notes)
        except READING_ERRORS as error:
            self._error = error
            self._end()
            yield from notes.take()
            yield from self.trouble()
        self._lines = reader.line

    def trouble(self) -> Iterator[PendingCount]:
        """Yield, once, that it cannot be read to its end, where it cannot and was to be."""
        if self._error is not None and not self._has_told and not self._stream.closed:
            self._has_told = True
            yield PendingCount(PACKED, self.name)


def source_of(pieces: list[LinesPiece]) -> str | None:
    """Return what a file is that begins with these pieces; nothing where they are too little to say so, or it is none."""
    notes = Notes()
    stream = Returnable(BytesIO(b"".join(piece.data for piece in pieces)))
    reader = RecordReader(stream, pieces[0].file, notes)
    source, _, enough = recognised(in_order(reader.read(), notes), pieces[0].file)
    return source if enough and not stream.ran_out else None
