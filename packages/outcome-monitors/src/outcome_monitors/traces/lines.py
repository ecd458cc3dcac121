"""The lines of trace files as they stand, each with its file and number; nothing of them is parsed here."""

import codecs
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path

from outcome_monitors.exceptions import TraceError
from outcome_monitors.model import Json
from outcome_monitors.state.address import is_address, shown
from outcome_monitors.state.opening import open_storage
from outcome_monitors.values.files import STANDARD_INPUT, FilePath, open_text
from outcome_monitors.values.packed_files import ERRORS, SUFFIXES, trouble

from .stores import Query, parquet_files, read_rows

__all__ = ["Held", "Line", "file_names", "read_lines"]

Held = bytes | dict[str, Json] | TraceError
"""A line of a file, a row of a store, or why there is none."""
Line = tuple[int, int, Held]
"""Which of the files, which line of it, and what stands there. A plain tuple: millions are made and sent."""


def file_names(paths: Iterable[FilePath]) -> list[str]:
    """Return what files are called in reports."""
    return ["<stdin>" if os.fspath(path) == STANDARD_INPUT else shown(path) for path in paths]


def read_lines(paths: Iterable[FilePath]) -> Iterator[Line]:
    """Yield the lines that are not blank, in order; one that cannot be opened raises at once, before any is read."""
    files = tuple(paths)
    for path in files:
        _refuse_unreadable(path)
    return ((index, number, held) for index, path in enumerate(files) for number, held in _lines(path))


def _refuse_unreadable(path: FilePath) -> None:
    if os.fspath(path) == STANDARD_INPUT or isinstance(path, Query):
        return
    if is_address(path):
        with closing(open_storage(path)) as state:
            state.ends()
        return
    try:
        # A look, not an opening: a pipe can be opened only once.
        mode = Path(path).stat().st_mode
    except OSError as error:
        raise _unreadable(path, error) from error
    if stat.S_ISDIR(mode) and not parquet_files(os.fspath(path)):
        raise TraceError(f"cannot read {os.fspath(path)}: it is a folder; name the trace files in it")
    if not os.access(path, os.R_OK):
        raise TraceError(f"cannot read {os.fspath(path)}: permission denied; make it readable first")


def _unreadable(path: FilePath, error: OSError) -> TraceError:
    return TraceError(f"cannot read {os.fspath(path)}: {error.strerror or error}; check the path")


def _lines(path: FilePath) -> Iterator[tuple[int, Held]]:
    """Yield the lines or rows of one file; data that cannot be unpacked is one last bad line."""
    if isinstance(path, Query) or parquet_files(os.fspath(path)):
        yield from read_rows(path)
        return
    if is_address(path):
        with closing(open_storage(path).pooled()) as state:
            yield from enumerate((line.data for line in state.recorded_lines()), 1)
        return
    number = 0
    try:
        with open_text(path) as lines:
            for number, raw in enumerate(lines, 1):
                line = raw.removeprefix(codecs.BOM_UTF8) if number == 1 else raw
                if line and not line.isspace():
                    yield number, line
    except ERRORS as error:
        yield number + 1, TraceError(trouble(error, SUFFIXES[Path(path).suffix]))
    except OSError as error:
        raise _unreadable(path, error) from error
