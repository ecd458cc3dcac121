"""What stands in files, as the readers of their sources are told it: record by record, in order."""

from collections.abc import Iterable, Iterator
from io import BufferedReader
from typing import IO, Any

from outcome_monitors.exceptions import MissingExtra
from outcome_monitors.values.packed_files import ERRORS as PACKING_ERRORS

from . import _protobuf, inspect, table
from ._inputs import Input, opened
from ._json import JsonRecord, records
from ._payload import AS_THEY_ARE, PayloadMaker
from ._sources import AUTO, SOURCES, Item, in_order, recognised
from ._tally import Notes, PendingCount, Reason

__all__ = ["PACKED", "READING_ERRORS", "Entry", "entries", "is_text", "of_stream", "seen"]

Entry = PendingCount | tuple[str, str, Any]
"""Something to be counted, or a record: its file, its source, and what it was seen to say."""

READING_ERRORS = (OSError, *PACKING_ERRORS)
PACKED = Reason(
    "packed file is cut short or broken",
    "packed files are cut short or broken",
    "what came before was read; export again",
)
ZSTD = Reason(
    "archive cannot be unpacked",
    "archives cannot be unpacked",
    str(MissingExtra("it", "zstandard", "zstd")),
)
PROTOBUF = Reason(
    "file is OTLP in protobuf",
    "files are OTLP in protobuf",
    str(MissingExtra("it", "opentelemetry-proto", "otlp")),
)


def entries(inputs: Iterable[Input], source: str) -> Iterator[Entry]:
    """Yield what stands in files."""
    for item in inputs:
        with opened(item.path, inspect.MAGIC) as (stream, is_archive):
            yield from of_stream(stream, is_archive, item.name, source)


def of_stream(stream: IO[bytes], is_archive: bool, name: str, source: str) -> Iterator[Entry]:
    """Yield what stands in a file."""
    notes = Notes()
    items: Iterator[Item] = in_order(_records(stream, is_archive, name, notes), notes)
    named: str | None = "table" if source == AUTO and table.is_table(name) and not is_archive else source
    if named == AUTO:
        named, items, _ = recognised(items, name)
    return seen(items, name, named, AS_THEY_ARE)


def seen(items: Iterable[Item], file: str, source: str | None, payloads: PayloadMaker) -> Iterator[Entry]:
    """Look at each record by itself."""
    notes = Notes()
    look = None if source is None else SOURCES[source].look
    for item in items:
        if isinstance(item, PendingCount):
            yield item
        elif source is not None and look is not None:
            found = look(item, notes, payloads)
            yield from notes.take()
            yield file, source, found


def is_text(stream: IO[bytes], is_archive: bool, name: str) -> bool:
    """Say whether a file is JSON, and not an archive, protobuf or a table."""
    return not (is_archive or _is_protobuf(stream) or table.is_table(name))


def _is_protobuf(stream: IO[bytes]) -> bool:
    return isinstance(stream, BufferedReader) and _protobuf.begins(stream.peek(_protobuf.HEAD))


def _records(stream: IO[bytes], is_archive: bool, name: str, notes: Notes) -> Iterator[JsonRecord]:
    is_protobuf = not is_archive and _is_protobuf(stream)
    plain = table.rows if table.is_table(name) else records
    read = inspect.archive if is_archive else _protobuf.records if is_protobuf else plain
    try:
        yield from read(stream, name, notes)
    except READING_ERRORS:
        notes.count(PACKED, name)
    except MissingExtra:
        notes.count(PROTOBUF if is_protobuf else ZSTD, name)
