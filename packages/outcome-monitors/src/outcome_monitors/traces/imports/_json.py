"""JSON of any size, record by record: lines, one document, or documents one after another.

A line is read as a line. What does not fit in a window, and what goes over several lines, is walked: only the record at hand
is in memory, however large the list that holds it.
"""

import codecs
import json
from collections.abc import Iterator, Mapping
from typing import IO, NamedTuple

from outcome_monitors.model import Json

from . import _text
from ._tally import Counting, Reason
from ._text import BrokenError, Returnable, Text, TooLongError, incomplete

__all__ = ["BROKEN", "CUT", "TOO_LONG", "JsonRecord", "RecordReader", "records"]

CONTAINERS = frozenset(
    {"resourceSpans", "scopeSpans", "instrumentationLibrarySpans", "spans", "batches"}  # OTLP
    | {"resourceLogs", "scopeLogs", "logRecords"}
    | {
        "data",
        "runs",
        "observations",
        "rows",
        "traces",
        "items",
        "samples",
    }  # what web APIs and exports wrap lists in
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
    f"record is longer than {_text.LONGEST >> 20} MB",
    f"records are longer than {_text.LONGEST >> 20} MB",
    "it was skipped; split the file, or cut the payload when recording",
)


NO_OBJECT = Reason(
    "value is no object", "values are no objects", "it was skipped; no format has such records"
)


class JsonRecord(NamedTuple):
    """A JSON value that may hold a call, and where it was found."""

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


_NOTHING: Mapping[str, Json] = {}


def records(stream: IO[bytes], file: str, tally: Counting) -> Iterator[JsonRecord]:
    """Yield the records of a stream; what is none is counted."""
    return RecordReader(Returnable(stream), file, tally).read()


class RecordReader:
    """Reads lines, and walks what is not a line.

    It goes step by step: a step reads a line, and what must be read with it. What a step gives depends on nothing that went before.
    """

    def __init__(self, stream: Returnable, file: str, tally: Counting, line: int = 0) -> None:
        self._stream = stream
        self._file = file
        self._tally = tally
        self._line = line

    @property
    def line(self) -> int:
        """How many lines have been read."""
        return self._line

    def read(self) -> Iterator[JsonRecord]:
        """Yield the records of all steps."""
        while (found := self.step()) is not None:
            yield from found

    def step(self) -> Iterator[JsonRecord] | None:
        """Return the records of a step, which must all be read before the next; nothing at the end."""
        raw = self._stream.readline(_text.WINDOW)
        self._stream.ran_out = False
        return self._records(raw) if raw else None

    def _records(self, raw: bytes) -> Iterator[JsonRecord]:
        self._line += 1
        if self._line == 1:
            raw = raw.removeprefix(codecs.BOM_UTF8)
        if raw.isspace():
            return
        if len(raw) >= _text.WINDOW and not raw.endswith(b"\n"):
            if raw.lstrip()[:1] in (b"{", b"["):
                yield from self._walk(raw, is_long=True)
            else:
                self._tally.count(BROKEN, f"{self._file}:{self._line}")
                self._skip_line()
            return
        try:
            value = json.loads(raw)
        except (ValueError, RecursionError) as error:
            yield from self._not_a_line(raw, error)
        else:
            yield from self._descend(value, self._line, len(raw), _NOTHING)

    def _not_a_line(self, raw: bytes, error: ValueError | RecursionError) -> Iterator[JsonRecord]:
        start = raw.lstrip()[:1]
        if start in (b"{", b"[") and isinstance(error, json.JSONDecodeError) and incomplete(error):
            if len(raw.strip()) > 1 and self._next_is_json():
                self._tally.count(BROKEN, f"{self._file}:{self._line}")
            else:
                yield from self._walk(raw)
            return
        # Loggers put the time and a level before the message.
        brace = raw.find(b"{")
        try:
            value = json.loads(raw[brace:]) if brace > 0 else None
        except (ValueError, RecursionError):
            value = None
        if value is None:
            self._tally.count(BROKEN, f"{self._file}:{self._line}")
        else:
            yield from self._descend(value, self._line, len(raw), _NOTHING)

    def _descend(
        self, value: Json, line: int, size: int, context: Mapping[str, Json]
    ) -> Iterator[JsonRecord]:
        """Yield the records in a value that is in memory."""
        if isinstance(value, list):
            for item in value:
                yield from self._descend(item, line, size // len(value), context)
        elif isinstance(value, dict) and not CONTAINERS.isdisjoint(value) and (lists := _lists(value)):
            around = {key: item for key, item in value.items() if key not in lists}
            for items in lists.values():
                yield from self._descend(items, line, size // len(lists), around)
        elif isinstance(value, dict):
            yield JsonRecord(self._file, line, size, value, context)
        else:
            self._tally.count(NO_OBJECT, f"{self._file}:{line}")

    def _walk(self, raw: bytes, *, is_long: bool = False) -> Iterator[JsonRecord]:
        """Yield the records of a text that is no line, and of what follows it; of a line that is long, its own."""
        text = Text(self._stream, raw, self._line)
        while text.peek() in ("{", "["):
            first, found = text.line, 0
            try:
                for record in self._value(text, _NOTHING):
                    found += 1
                    yield record
            except TooLongError:
                self._tally.count(TOO_LONG, f"{self._file}:{text.line}")
                self._next_line(text)
                return
            except (BrokenError, RecursionError):
                place = f"{self._file}:{first if not found else text.line}"
                self._tally.count(BROKEN if self._lines_follow(text) else CUT, place)
                return
            if is_long and text.ends_line():
                # Whatever follows, the line was whole.
                self._stream.ran_out = False
                break
        self._line = text.line - 1
        self._stream.give_back(text.rest())

    def _next_line(self, text: Text) -> None:
        """Go back to lines, with the one that follows."""
        self._line = text.line
        rest = text.rest()
        if b"\n" in rest:
            self._stream.give_back(rest.partition(b"\n")[2])
            return
        self._skip_line()

    def _skip_line(self) -> None:
        while (more := self._stream.readline(_text.WINDOW)) and not more.endswith(b"\n"):
            pass

    def _lines_follow(self, text: Text) -> bool:
        """Go back to lines where the next one is JSON by itself; else read no more, for it is part of what is broken."""
        self._line = text.line
        if text.at_line_start:
            self._line -= 1
            self._stream.give_back(text.rest())
        else:
            self._next_line(text)
        follows = self._next_is_json()
        if not follows:
            self._stream.close()
        return follows

    def _next_is_json(self) -> bool:
        """Say whether the next line is JSON by itself."""
        line = self._stream.readline(_text.LONGEST)
        self._stream.give_back(line)
        try:
            return isinstance(json.loads(line), (dict, list))
        except (ValueError, RecursionError):
            return False

    def _value(self, text: Text, context: Mapping[str, Json]) -> Iterator[JsonRecord]:
        """Yield the records of the value that comes next, holding no more of it than one record."""
        char, line = text.peek(), text.line
        if char == "[":
            yield from self._list(text, context)
            return
        at_hand = text.value_at_hand()
        if at_hand is not None:
            value, size = at_hand
            yield from self._descend(value, line, size, context)
        elif char == "{":
            yield from self._object(text, context)
        else:
            text.value()

    def _list(self, text: Text, context: Mapping[str, Json]) -> Iterator[JsonRecord]:
        text.take("[")
        if text.peek() == "]":
            text.take("]")
            return
        while True:
            yield from self._value(text, context)
            if text.peek() == "]":
                text.take("]")
                return
            text.take(",")

    def _object(self, text: Text, context: Mapping[str, Json]) -> Iterator[JsonRecord]:
        """Yield what a large object's lists hold; an object without such lists is a record itself."""
        fields: dict[str, Json] = {}
        line, size, is_container = text.line, 0, False
        text.take("{")
        while text.peek() == '"':
            key, _ = text.value()
            text.peek()
            text.take(":")
            if key in CONTAINERS and text.peek() == "[":
                is_container = True
                yield from self._list(text, fields)
            else:
                fields[key], length = text.value()
                size += length
            if text.peek() != ",":
                break
            text.take(",")
        text.peek()
        text.take("}")
        if not is_container:
            yield JsonRecord(self._file, line, size, fields, context)


def _lists(value: dict[str, Json]) -> dict[str, list[Json]]:
    """Return the lists of objects that stand under the keys of containers."""
    return {
        key: items
        for key, items in value.items()
        if key in CONTAINERS and isinstance(items, list) and all(isinstance(item, dict) for item in items[:1])
    }
