"""JSON of any size, record by record: lines, one document, or documents one after another.

A line is decoded as a line. What goes over several lines, or is longer than a window, is decoded value by value: only the
record at hand is in memory, however large the list that holds it.
"""

import codecs
import json
import re
from collections.abc import Callable, Generator, Iterator, Mapping
from typing import IO, NamedTuple

from outcome_monitors.model import Json

from ._losses import ImportTally, Reason

__all__ = ["BROKEN", "CUT", "LONGEST", "TOO_LONG", "WINDOW", "Record", "records"]

WINDOW = 1 << 20
"""Characters that are read at a time."""
LONGEST = 1 << 26
"""Characters of the longest record: a decoded one takes several times as much memory."""

CONTAINERS = frozenset(
    {"resourceSpans", "scopeSpans", "instrumentationLibrarySpans", "spans", "batches"}  # OTLP
    | {"resourceLogs", "scopeLogs", "logRecords"}
    | {"data", "runs", "observations", "rows", "traces", "items", "samples"}  # web APIs and exports
)
"""The keys whose lists hold records, or further such lists."""

BROKEN = Reason(
    "piece is not JSON",
    "pieces are not JSON",
    "it was skipped; a run or an export that was killed leaves such",
)
CUT = Reason(
    "document is cut short or broken",
    "documents are cut short or broken",
    "what came before was read and the rest of the file was not; export again",
)
TOO_LONG = Reason(
    f"record is longer than {LONGEST >> 20} MB",
    f"records are longer than {LONGEST >> 20} MB",
    "it was skipped; split the file, or cut the payload when recording",
)
NO_OBJECT = Reason(
    "value is no object", "values are no objects", "it was skipped; no format has such records"
)


class Record(NamedTuple):
    """A JSON object that may hold a call, and where it was found."""

    file: str
    line: int
    size: int
    """About how many characters it takes."""
    value: Json
    context: Mapping[str, Json]
    """The other fields of the object whose list holds it."""

    @property
    def place(self) -> str:
        """File and line."""
        return f"{self.file}:{self.line}"


def records(stream: IO[bytes], file: str, tally: ImportTally) -> Iterator[Record]:
    """Yield the records of a stream; what is none is counted."""
    return _Reader(stream, file, tally).read()


class _BrokenError(Exception):
    """The text at hand is not JSON."""


class _TooLongError(Exception):
    """The value at hand is longer than may be held."""


_decode = json.JSONDecoder().raw_decode
_SPACE = re.compile(r"[ \t\r\n]*")
_NUMBER_GOES_ON = re.compile(r"[-+.eE0-9]*")


def _incomplete(error: ValueError | RecursionError) -> bool:
    """Say whether the text was JSON up to its end, so that more of it may complete it."""
    # A literal that is cut is reported at its start; the longest is -Infinity.
    return isinstance(error, json.JSONDecodeError) and (
        error.msg.startswith("Unterminated string") or error.pos >= len(error.doc.rstrip()) - 9
    )


class _Text:
    """A stream of text, decoded as far as it is needed."""

    def __init__(self, stream: IO[bytes]) -> None:
        # Bytes that are not UTF-8 are carried through as they are.
        self._decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        self._read_some: Callable[[int], bytes] = getattr(stream, "read1", stream.read)
        self._error: Exception | None = None
        self._buffer = ""
        self._at = 0
        self._ended = False
        self.line = 1
        self.starts_line = True
        """Nothing but blanks stands before what comes next in its line."""

    def _fill(self) -> None:
        held = len(self._buffer) - self._at
        # Doubling keeps the work of decoding again in proportion.
        chunk = self._read(max(WINDOW, min(held, LONGEST + 1 - held)))
        self._ended = not chunk
        self._buffer = self._buffer[self._at :] + self._decoder.decode(chunk, final=self._ended)
        self._at = 0

    def _read(self, size: int) -> bytes:
        """Read so many bytes; packed data that is cut short gives what it holds first, then its error."""
        if self._error is not None:
            raise self._error
        chunks, held = list[bytes](), 0
        try:
            while held < size and (chunk := self._read_some(size - held)):
                chunks.append(chunk)
                held += len(chunk)
        except Exception as error:
            if not chunks:
                raise
            self._error = error
        return b"".join(chunks)

    def _move(self, to: int) -> None:
        self.line += self._buffer.count("\n", self._at, to)
        self._at = to

    def peek(self) -> str:
        """Return the next character that is no space; empty at the end."""
        while True:
            line = self.line
            self._move(_SPACE.match(self._buffer, self._at).end())  # type: ignore[union-attr]  # it always matches
            self.starts_line |= self.line > line
            if self._at < len(self._buffer) or self._ended:
                return self._buffer[self._at : self._at + 1]
            self._fill()

    def take(self, char: str) -> None:
        """Step over a character that must come next."""
        if self.peek() != char:
            raise _BrokenError
        self._at += 1
        self.starts_line = False

    def line_ahead(self, most: int, skip: int = 0) -> str | None:
        """Return a line without stepping over it; nothing where it is longer than so many characters.

        It begins here, or so many characters further on.
        """
        while (end := self._buffer.find("\n", self._at + skip)) < 0 and not self._ended:
            if len(self._buffer) - self._at - skip > most:
                return None
            self._fill()
        line = self._buffer[self._at + skip : end if end >= 0 else len(self._buffer)]
        return line if len(line) <= most else None

    def skip_line(self) -> None:
        """Step over the rest of the line."""
        while (end := self._buffer.find("\n", self._at)) < 0 and not self._ended:
            self._at = len(self._buffer)
            self._fill()
        self._move(len(self._buffer) if end < 0 else end + 1)
        self.starts_line = True

    def value_at_hand(self) -> tuple[Json, int] | None:
        """Return the next value and its length where it fits in the window, else nothing."""
        if not self._ended and len(self._buffer) - self._at < WINDOW:
            self._fill()
        return self._value()

    def value(self) -> tuple[Json, int]:
        """Return the next value and its length."""
        self.peek()
        while (found := self._value()) is None:
            if len(self._buffer) - self._at > LONGEST:
                raise _TooLongError
            if self._ended:
                raise _BrokenError
            self._fill()
        return found

    def _value(self) -> tuple[Json, int] | None:
        try:
            value, end = _decode(self._buffer, self._at)
        except (ValueError, RecursionError) as error:
            if _incomplete(error):
                return None
            self.starts_line = False
            raise _BrokenError from error
        if type(value) in (int, float) and not self._ended and _NUMBER_GOES_ON.fullmatch(self._buffer, end):
            return None
        size = end - self._at
        self._move(end)
        self.starts_line = False
        return value, size


class _Reader:
    def __init__(self, stream: IO[bytes], file: str, tally: ImportTally) -> None:
        self._text = _Text(stream)
        self._file = file
        self._tally = tally

    def read(self) -> Iterator[Record]:
        text = self._text
        if text.peek() == "\ufeff":
            text.take("\ufeff")
        reads_on = True
        while reads_on and (char := text.peek()):
            line = text.line_ahead(WINDOW)
            if line is None and char in "{[":
                reads_on = yield from self._document()
                continue
            try:
                value = json.loads(line or "")
            except (ValueError, RecursionError) as error:
                if line and char in "{[" and _incomplete(error) and not self._record_follows(line):
                    reads_on = yield from self._document()
                    continue
                value = _after_prefix(line or "")
                if value is None:
                    self._count(BROKEN, text.line)
                    text.skip_line()
                    continue
            yield from self._inside(value, text.line, len(line or ""), {})
            text.skip_line()

    def _record_follows(self, line: str) -> bool:
        """Say whether the next line is a record by itself, so that this one is broken, and not the first of a document."""
        return len(line.strip()) > 1 and _is_record(self._text.line_ahead(LONGEST, len(line) + 1))

    def _count(self, reason: Reason, line: int) -> None:
        self._tally.count(reason, f"{self._file}:{line}")

    def _document(self) -> Generator[Record, None, bool]:
        """Yield the records of a value that is no line; return whether to read on after it."""
        text, first, found = self._text, self._text.line, 0
        try:
            for record in self._value({}):
                found += 1
                yield record
        except _TooLongError:
            self._count(TOO_LONG, text.line)
            text.skip_line()
        except (_BrokenError, RecursionError):
            place = text.line if found else first
            if not text.starts_line:
                text.skip_line()
            text.peek()
            # Where the next line is a record by itself, lines go on; else it is part of what is broken.
            follows = _is_record(text.line_ahead(LONGEST))
            self._count(BROKEN if follows else CUT, place)
            return follows
        return True

    def _value(self, context: Mapping[str, Json]) -> Iterator[Record]:
        """Yield the records of the value that comes next, holding no more of it than one record."""
        text = self._text
        char, line = text.peek(), text.line
        if char == "[":
            yield from self._list(context)
        elif (at_hand := text.value_at_hand()) is not None:
            value, size = at_hand
            yield from self._inside(value, line, size, context)
        elif char == "{":
            yield from self._object(context)
        else:
            text.value()

    def _list(self, context: Mapping[str, Json]) -> Iterator[Record]:
        text = self._text
        text.take("[")
        if text.peek() != "]":
            yield from self._value(context)
            while text.peek() != "]":
                text.take(",")
                yield from self._value(context)
        text.take("]")

    def _object(self, context: Mapping[str, Json]) -> Iterator[Record]:
        """Yield what a large object's lists hold; an object without such lists is a record itself."""
        text, fields = self._text, dict[str, Json]()
        line, size, is_container = text.line, 0, False
        text.take("{")
        while text.peek() == '"':
            key, _ = text.value()
            text.take(":")
            if key in CONTAINERS and text.peek() == "[":
                is_container = True
                yield from self._list(fields)
            else:
                fields[key], length = text.value()
                size += length
            if text.peek() == "}":
                break
            text.take(",")
        text.take("}")
        if not is_container:
            yield Record(self._file, line, size, fields, context)

    def _inside(self, value: Json, line: int, size: int, context: Mapping[str, Json]) -> Iterator[Record]:
        """Yield the records in a value that is in memory; however deep it is, without recursion."""
        waiting = [(value, size, context)]
        while waiting:
            value, size, context = waiting.pop()
            if isinstance(value, list):
                waiting += [(item, size // len(value), context) for item in reversed(value)]
            elif not isinstance(value, dict):
                self._count(NO_OBJECT, line)
            elif not CONTAINERS.isdisjoint(value) and (lists := _lists(value)):
                around = {key: item for key, item in value.items() if key not in lists}
                waiting += [(items, size // len(lists), around) for items in reversed(lists.values())]
            else:
                yield Record(self._file, line, size, value, context)


def _is_record(line: str | None) -> bool:
    """Say whether a line is an object or a list by itself."""
    try:
        return isinstance(json.loads(line or ""), (dict, list))
    except (ValueError, RecursionError):
        return False


def _after_prefix(line: str) -> Json:
    """Return the object in a line that begins with a time and a level, as loggers write them; nothing where there is none."""
    brace = line.find("{")
    try:
        return json.loads(line[brace:]) if brace > 0 else None
    except (ValueError, RecursionError):
        return None


def _lists(value: dict[str, Json]) -> dict[str, list[Json]]:
    """Return the lists of objects that stand under the keys of containers."""
    return {
        key: items
        for key, items in value.items()
        if key in CONTAINERS and isinstance(items, list) and all(isinstance(item, dict) for item in items[:1])
    }
