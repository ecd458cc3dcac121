"""Text that is read as far as it is needed, and a stream that takes back what was read too much."""

import codecs
import io
import json
import re
from typing import IO

from outcome_monitors.model import Json

__all__ = ["LONGEST", "WINDOW", "BrokenError", "Returnable", "Text", "TooLongError", "incomplete"]

WINDOW = 1 << 20
"""Characters read at a time; a line that is longer is walked."""
LONGEST = 1 << 26
"""Characters of the longest record: a decoded record takes several times as much memory."""

_decode = json.JSONDecoder().raw_decode
_SPACE = re.compile(r"[ \t\r\n]*")
_LINE_END = re.compile(r"[ \t\r]*\n")
_DIGITS = re.compile(r"[-+.eE0-9]*")


class BrokenError(Exception):
    """The text at hand is not JSON."""


class TooLongError(Exception):
    """The value at hand is longer than may be held."""


class Returnable:
    """A stream that takes back what was read too much."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._back = io.BytesIO()
        self._error: BaseException | None = None
        self.closed = False
        self.taken = 0
        """Bytes that were read and not given back."""
        self.ran_out = False
        """More was wanted than there was."""

    def give_back(self, data: bytes) -> None:
        """Take back bytes, to be read again."""
        self._back = io.BytesIO(data + self._back.read())
        self.taken -= len(data)

    def close(self) -> None:
        """Read no more."""
        self.closed = True

    def end(self, error: BaseException | None = None) -> None:
        """Read no more of the stream, which may be closed by now, and raise its error again; what is given back is still read."""
        self._stream = io.BytesIO()
        self._error = error

    def read(self, size: int) -> bytes:
        """Read some bytes."""
        if self.closed:
            return b""
        # As much as if nothing had been given back: what fits in a window must not depend on it.
        data = self._back.read(size)
        if len(data) < size:
            data += self._more().read(size - len(data))
            self.ran_out |= len(data) < size
        self.taken += len(data)
        return data

    def readline(self, size: int) -> bytes:
        """Read a line, or as much of it as is allowed."""
        if self.closed:
            return b""
        line = self._back.readline(size)
        if not line.endswith(b"\n") and len(line) < size:
            line += self._more().readline(size - len(line))
            self.ran_out |= not line.endswith(b"\n") and len(line) < size
        self.taken += len(line)
        return line

    def _more(self) -> IO[bytes]:
        if self._error is not None:
            raise self._error
        return self._stream


def incomplete(error: json.JSONDecodeError) -> bool:
    """Say whether the text was JSON up to its end: more of it may mend it."""
    # A literal that is cut is reported at its start; the longest is -Infinity.
    return error.msg.startswith("Unterminated string") or error.pos >= len(error.doc.rstrip()) - 9


class Text:
    """Text that is read as far as it is needed."""

    def __init__(self, stream: Returnable, start: bytes, line: int) -> None:
        # Bytes that are not UTF-8 are carried through as they are.
        self._decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        self._stream = stream
        self._buffer = self._decoder.decode(start)
        self._at = 0
        self.line = line
        self.ended = False
        self.at_line_start = False

    def _fill(self) -> None:
        held = len(self._buffer) - self._at
        # Doubling keeps the work of trying again in proportion.
        chunk = self._stream.read(max(WINDOW, min(held, LONGEST + 1 - held)))
        self.ended = not chunk
        self._buffer = self._buffer[self._at :] + self._decoder.decode(chunk, final=self.ended)
        self._at = 0

    def _move(self, to: int) -> None:
        self.line += self._buffer.count("\n", self._at, to)
        self._at = to

    def peek(self) -> str:
        """Return the next character that is no space; empty at the end."""
        while True:
            line = self.line
            self._move(_SPACE.match(self._buffer, self._at).end())  # type: ignore[union-attr]  # it always matches
            self.at_line_start |= self.line > line
            if self._at < len(self._buffer) or self.ended:
                return self._buffer[self._at : self._at + 1]
            self._fill()

    def ends_line(self) -> bool:
        """Step over the end of a line where nothing but blanks stand before it."""
        found = _LINE_END.match(self._buffer, self._at)
        if found is not None:
            self._move(found.end())
        return found is not None

    def take(self, char: str) -> None:
        """Step over a character that must stand here."""
        if self._buffer[self._at : self._at + 1] != char:
            raise BrokenError
        self._at += 1
        self.at_line_start = False

    def value_at_hand(self) -> tuple[Json, int] | None:
        """Return the next value and its length where it fits in the window, else nothing."""
        if not self.ended and len(self._buffer) - self._at < WINDOW:
            self._fill()
        return self._decode()

    def value(self) -> tuple[Json, int]:
        """Return the next value and its length."""
        self.peek()
        while (found := self._decode()) is None:
            if len(self._buffer) - self._at > LONGEST:
                raise TooLongError
            self._fill()
        return found

    def _decode(self) -> tuple[Json, int] | None:
        try:
            value, end = _decode(self._buffer, self._at)
        except json.JSONDecodeError as error:
            if self.ended or not incomplete(error):
                self.at_line_start = False
                raise BrokenError from error
            return None
        except ValueError as error:
            raise BrokenError from error
        if type(value) in (int, float) and not self.ended and _DIGITS.fullmatch(self._buffer, end):
            return None  # the number may go on
        size = end - self._at
        self._move(end)
        self.at_line_start = False
        return value, size

    def rest(self) -> bytes:
        """Return what was read and not used."""
        unused = self._buffer[self._at :].encode("utf-8", "surrogateescape")
        return unused + self._decoder.getstate()[0]
