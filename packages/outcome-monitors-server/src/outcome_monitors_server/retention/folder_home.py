"""A folder as a home of state: four SQLite files, small JSON files, and files of recorded lines."""

import os
import sqlite3
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from itertools import count, groupby
from pathlib import Path
from typing import Any

from outcome_monitors.events.rows import TABLE as EVENT_TABLE
from outcome_monitors.events.stores import append, opened_store
from outcome_monitors.exceptions import StateError
from outcome_monitors.state.tables import CHANGES_TABLES, STAGES_TABLES, TableConnection
from outcome_monitors.values.files import make_private, private_folder, write_atomically
from outcome_monitors.values.folders import CHANGES, EVENTS, STAGES, TRACES, VERSIONS, recorded
from outcome_monitors.values.sqlite_files import looking_into
from outcome_monitors_server.storage.documents import NAMES
from outcome_monitors_server.versions.version_homes import VERSIONS_TABLES

from .home import RecordedLine, columns_of, seconds_of_line

__all__ = ["FolderHome"]

PATIENCE = 10.0
"""Seconds that those who write may take."""
SETTLED = 0.3
"""Seconds after which nobody writes to a file that has been replaced: each batch opens it anew."""
LARGEST_FILE = 16 * 2**20
_FILES = {"events": EVENTS, "ways": CHANGES, "versions": VERSIONS}
AT_ONCE = 2**20
"""Bytes of lines that are written together."""
_STATEMENTS = {
    EVENTS: (EVENT_TABLE,),
    STAGES: STAGES_TABLES,
    CHANGES: CHANGES_TABLES,
    VERSIONS: VERSIONS_TABLES,
}


class FolderHome:
    """The state of one host."""

    knows_labels = False

    def __init__(self, folder: Path) -> None:
        self.shown, self._folder = str(folder), folder

    @contextmanager
    def reading(self, table: str) -> Iterator[TableConnection]:
        """Give a connection to look into a table; of a file that is not there, to an empty one."""
        with self._told(table), _looking(self._file(table)) as connection:
            yield connection

    @contextmanager
    def opened(self, table: str) -> Iterator[TableConnection]:
        """Give a connection to change what is in a table; a file that is not there has nothing to change, and is not made."""
        if not self._file(table).exists():
            with self.reading(table) as nothing:
                yield nothing
            return
        with self._changing(table) as connection:
            yield connection

    def fill(self, table: str, rows: Iterable[Sequence[Any]], *, labelled: bool = False) -> int:
        """Write rows of a table."""
        columns = columns_of(table, labelled=labelled)
        query = (
            f"INSERT OR REPLACE INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"  # noqa: S608 - names of our own
        )
        with self._changing(table) as connection:
            return int(connection.executemany(query, rows).rowcount)

    @contextmanager
    def _changing(self, table: str) -> Iterator[sqlite3.Connection]:
        with self._told(table), closing(_opened(self._file(table))) as connection:
            # What is deleted is overwritten, not only marked as free.
            connection.execute("PRAGMA secure_delete = ON")
            with connection:
                connection.execute("BEGIN IMMEDIATE")
                yield connection

    def _file(self, table: str) -> Path:
        return self._folder / _FILES.get(table, STAGES)

    @contextmanager
    def _told(self, table: str) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise StateError(f"{self._file(table)} cannot be used: {error}") from None

    def documents(self) -> dict[str, str]:
        """Return the small files."""
        return {
            name: (self._folder / name).read_text(encoding="utf-8")
            for name in NAMES
            if (self._folder / name).exists()
        }

    def put(self, name: str, body: str) -> None:
        """Put a small file in the place of the one before it."""
        if name not in NAMES:
            raise StateError(f"a folder has no {name}: it knows no labels")
        write_atomically(self._folder / name, body, private=True)

    def lines(self) -> Iterator[RecordedLine]:
        """Yield the recorded lines."""
        for file in recorded(self._folder):
            with file.open("rb") as lines:
                for number, line in enumerate(lines):
                    yield RecordedLine(
                        (file.name, number), line.decode(errors="surrogateescape").rstrip("\n")
                    )

    def record(self, lines: Iterable[RecordedLine]) -> int:
        """Write recorded lines, a file a day."""
        private_folder(self._folder / TRACES)
        number = 0
        for day, some in groupby(lines, _day):
            for text in _batches(line.text.encode(errors="surrogateescape") + b"\n" for line in some):
                append(self._room(day), text)
                number += text.count(b"\n")
        return number

    def _room(self, day: str) -> Path:
        """Return the file of a day that has room."""
        parts = (self._folder / TRACES / f"{day}-{part:04}.jsonl" for part in count())
        return next(file for file in parts if not file.exists() or file.stat().st_size < LARGEST_FILE)

    def drop(self, places: Collection[tuple[str, int]]) -> None:
        """Delete recorded lines; what others append meanwhile stays."""
        gone: dict[str, set[int]] = {}
        for name, number in places:
            gone.setdefault(name, set()).add(number)
        for name, numbers in gone.items():
            _rewritten(self._folder / TRACES / name, numbers)

    def bound_lines(self, since: float | None, most: int | None, *, dry: bool) -> int:
        """Delete whole files: those that nobody has written to since a time, and of more than so many bytes the oldest."""
        files = recorded(self._folder)
        sizes = [file.stat().st_size for file in files]
        gone = 0
        for place, file in enumerate(files):
            old = since is not None and file.stat().st_mtime < since
            if old or (most is not None and sum(sizes[place:]) > most):
                with file.open("rb") as lines:
                    gone += sum(1 for _ in lines)
                if not dry:
                    file.unlink()
        return gone

    def tidy(self) -> None:
        """Write the SQLite files anew, without what is free in them; one that is busy keeps its space."""
        for name in (EVENTS, STAGES, CHANGES, VERSIONS):
            if (self._folder / name).exists():
                with (
                    suppress(sqlite3.OperationalError),
                    closing(sqlite3.connect(self._folder / name, timeout=PATIENCE)) as connection,
                ):
                    connection.execute("VACUUM")
                    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


@contextmanager
def _looking(file: Path) -> Iterator[sqlite3.Connection]:
    if file.exists():
        with looking_into(file) as connection:
            yield connection
        return
    with closing(sqlite3.connect(":memory:")) as nothing:
        for statement in _STATEMENTS[file.name]:
            nothing.execute(statement)
        yield nothing


def _batches(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Yield lines, about a megabyte together."""
    waiting: list[bytes] = []
    size = 0
    for line in lines:
        waiting.append(line)
        size += len(line)
        if size >= AT_ONCE:
            yield b"".join(waiting)
            waiting, size = [], 0
    if waiting:
        yield b"".join(waiting)


def _opened(file: Path) -> sqlite3.Connection:
    if file.name == EVENTS:
        connection = opened_store(file)
        connection.isolation_level = None
        return connection
    make_private(file)
    connection = sqlite3.connect(file, timeout=PATIENCE, isolation_level=None)
    for statement in _STATEMENTS[file.name]:
        connection.execute(statement)
    return connection


def _day(line: RecordedLine) -> str:
    return datetime.fromtimestamp(seconds_of_line(line.call), UTC).date().isoformat()


def _rewritten(file: Path, gone: set[int]) -> None:
    """Put a file without some of its lines in its place."""
    with file.open("rb") as old:
        kept = b"".join(line for number, line in enumerate(old) if number not in gone)
        place = old.tell()
        write_atomically(file, kept, private=True)
        # Someone may have opened the old file just before, and appends to what is no longer there.
        time.sleep(SETTLED)
        late = (
            os.pread(old.fileno(), os.fstat(old.fileno()).st_size - place, place)
            if hasattr(os, "pread")
            else b""
        )
    if late:
        append(file, late)
