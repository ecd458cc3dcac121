"""What is named on the command line, opened: files, folders, standard input; packed or not; and the records in them."""

import gzip
import io
import os
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple

from outcome_monitors.exceptions import TraceError
from outcome_monitors.files import ERRORS, GZIP, STANDARD_INPUT, SUFFIX, FilePath

from . import inspect, table
from ._json_records import json_records
from ._source import ImportTally, Reason, Record

SUFFIXES = frozenset({".json", ".jsonl", ".ndjson", ".eval", ".log", ".txt", SUFFIX})

OTHER_FILE = Reason(
    "file in a folder is of another kind",
    "files in folders are of another kind",
    f"only {', '.join(sorted(SUFFIXES))} are read there; name such a file to have it read",
    lost=False,
)
CUT_PACKED = Reason(
    "packed file is cut short or broken",
    "packed files are cut short or broken",
    "what came before was read; export again",
)


class Input(NamedTuple):
    """A file, or standard input."""

    path: FilePath
    name: str


def spread(paths: Iterable[FilePath], tally: ImportTally) -> list[Input]:
    """Return the files to read, folders spread out; raise TraceError where one is missing, before any is read."""
    inputs: list[Input] = []
    for path in paths:
        name = os.fspath(path)
        place = Path(path)
        if name == STANDARD_INPUT:
            inputs.append(Input(path, "<stdin>"))
        elif place.is_dir():
            inputs.extend(_in_folder(place, tally))
        elif not place.exists():
            raise TraceError(f"cannot read {name}: there is no such file or folder; check the path")
        elif not os.access(place, os.R_OK):
            raise TraceError(f"cannot read {name}: permission denied; make it readable first")
        else:
            inputs.append(Input(path, name))
    return inputs


def _in_folder(folder: Path, tally: ImportTally) -> Iterator[Input]:
    for file in sorted(folder.rglob("*")):
        if file.name.startswith(".") or not file.is_file():
            continue
        if file.suffix.lower() in SUFFIXES:
            yield Input(file, str(file))
        else:
            tally.count(OTHER_FILE, str(file))


def read_records(item: Input, tally: ImportTally) -> Iterator[Record]:
    """Yield the records of a file, whatever it is: an archive of inspect_ai, a table or JSON."""
    name = item.name
    with _opened(item.path) as (stream, is_archive):
        if is_archive:
            found = inspect.archive(stream, name, tally)
        elif table.is_table(name):
            found = table.rows(stream, name, tally)
        else:
            found = json_records(stream, name, tally)
        try:
            yield from found
        except (OSError, *ERRORS):
            tally.count(CUT_PACKED, name)


@contextmanager
def _opened(path: FilePath) -> Iterator[tuple[IO[bytes], bool]]:
    """Open an input, unpacked; say whether it begins as an archive does. An archive can be read in any order."""
    with ExitStack() as stack:
        if os.fspath(path) == STANDARD_INPUT:
            source: IO[bytes] = sys.stdin.buffer
        else:
            source = stack.enter_context(Path(path).open("rb"))
        stream = _peekable(source)
        if stream.peek(len(GZIP)).startswith(GZIP):
            stream = _peekable(stack.enter_context(gzip.GzipFile(fileobj=stream)))
        if stream.peek(len(inspect.MAGIC))[: len(inspect.MAGIC)] != inspect.MAGIC:
            yield stream, False
        elif source.seekable() and stream is source:
            yield stream, True
        else:
            whole = stack.enter_context(tempfile.TemporaryFile())
            shutil.copyfileobj(stream, whole)
            yield whole, True


def _peekable(stream: Any) -> io.BufferedReader:
    return stream if isinstance(stream, io.BufferedReader) else io.BufferedReader(stream)
