"""The records in a stream of JSON: lines, one document, or documents one after another.

Lines are read one at a time. From the first value on that goes over several lines the rest is held in memory.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import IO, Any

from outcome_monitors.files import ERRORS
from outcome_monitors.model import Json

from ._source import ImportTally, Reason, Record

CHUNK = 1 << 20
MOST_BROKEN = 1000
"""Documents of one file."""
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
    "it was skipped; export again",
)
NO_OBJECT = Reason(
    "value is no object", "values are no objects", "it was skipped; no format has such records"
)

_NO_VALUE: Any = object()
_decode = json.JSONDecoder().raw_decode
_SPACE = re.compile(r"[ \t\r\n]*")
_BEGINS = re.compile(r"^[{\[]", re.MULTILINE)
"""What is inside of a document is indented: one begins where a line does."""


def json_records(stream: IO[bytes], file: str, tally: ImportTally) -> Iterator[Record]:
    """Yield the records of a stream; what is none is counted."""
    reader, lines = _Reader(file, tally), _lines(stream)
    number = 1
    line: str | None = next(lines, "").removeprefix("\ufeff")
    while line is not None:
        following = None
        value = _value_of(line)
        if value is _NO_VALUE and line.lstrip()[:1] in ("{", "["):
            following = next(lines, None)
            # Where the next line is a record by itself, this one is broken, and not the first of a document.
            if (
                following is None
                or len(line.strip()) == 1
                or not isinstance(_value_of(following), (dict, list))
            ):
                held = [line] if following is None else [line, following]
                yield from reader.documents(held, lines, number)
                return
        yield from reader.line(value, line, number)
        line = next(lines, None) if following is None else following
        number += 1


def _lines(stream: IO[bytes]) -> Iterator[str]:
    """Yield lines of any length; packed data that is cut short gives all that it holds, then its error."""
    read = getattr(stream, "read1", stream.read)
    held: list[bytes] = []
    trouble: Exception | None = None
    while trouble is None:
        try:
            chunk = read(CHUNK)
        except (OSError, *ERRORS) as error:
            chunk, trouble = b"", error
        first, *more = chunk.split(b"\n")
        held.append(first)
        for line in more:
            yield _text(held)
            held = [line]
        if not chunk:
            break
    if any(held):
        yield _text(held)
    if trouble is not None:
        raise trouble


def _text(pieces: list[bytes]) -> str:
    # Bytes that are not UTF-8 are carried through as they are.
    return b"".join(pieces).decode("utf-8", "surrogateescape")


def _value_of(line: str) -> Json:
    """Return the value that a line is, or the object behind a time and a level, as loggers write them; `_NO_VALUE` where it is none."""
    if not line or line.isspace():
        return []
    for start in (0, line.find("{")):
        try:
            return json.loads(line[max(start, 0) :])
        except (ValueError, RecursionError):
            continue
    return _NO_VALUE


class _Reader:
    """Yields the records of values and of text, and counts what is none."""

    def __init__(self, file: str, tally: ImportTally) -> None:
        self._file = file
        self._tally = tally

    def _count(self, reason: Reason, line: int) -> None:
        self._tally.count(reason, f"{self._file}:{line}")

    def line(self, value: Json, line: str, number: int) -> Iterator[Record]:
        """Yield the records of a line and its value."""
        if value is _NO_VALUE:
            self._count(BROKEN, number)
        else:
            yield from self._inside(value, number, len(line))

    def _inside(self, value: Json, line: int, size: int) -> Iterator[Record]:
        """Yield the records in a value; however deep it is, without recursion."""
        waiting: list[tuple[Json, int, Mapping[str, Json]]] = [(value, size, {})]
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

    def documents(self, held: list[str], lines: Iterator[str], number: int) -> Iterator[Record]:
        """Yield the records of all that is left of a stream: of lines that were read, and of those that follow."""
        trouble: Exception | None = None
        try:
            for line in lines:
                held.append(line)  # noqa: PERF402 - what came before an error is kept
        except (OSError, *ERRORS) as error:
            trouble = error
        yield from self._values("\n".join(held), number)
        if trouble is not None:
            raise trouble

    def _values(self, text: str, number: int) -> Iterator[Record]:
        """Yield the records of values one after the other; behind a broken one the next begins where a line does.

        Behind too many broken ones the rest is left: each costs as much time as it is deep.
        """
        at = broken = 0
        while (start := _SPACE.match(text, at).end()) < len(text):  # type: ignore[union-attr]  # it always matches
            number += text.count("\n", at, start)
            if text[start] in "{[":
                try:
                    value, at = _decode(text, start)
                except (ValueError, RecursionError):
                    self._count(CUT, number)
                    broken += 1
                    found = _BEGINS.search(text, start + 1) if broken < MOST_BROKEN else None
                    at = found.start() if found else len(text)
                else:
                    yield from self._inside(value, number, at - start)
            else:
                at = text.find("\n", start) % (len(text) + 1)
                yield from self.line(_value_of(text[start:at]), text[start:at], number)
            number += text.count("\n", start, at)


def _lists(value: dict[str, Json]) -> dict[str, list[Json]]:
    """Return the lists of objects that stand under the keys of containers."""
    return {
        key: items
        for key, items in value.items()
        if key in CONTAINERS and isinstance(items, list) and all(isinstance(item, dict) for item in items[:1])
    }
