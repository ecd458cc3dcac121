# ruff: noqa: D102 - what each verb does is said in Storage and DocumentStep
"""A folder as storage: four SQLite files, small JSON files, and files of recorded lines."""

import json
import os
import sqlite3
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import UTC, datetime
from itertools import count, groupby, islice
from pathlib import Path

from outcome_monitors.exceptions import StateError
from outcome_monitors.files import append, private_folder, write_atomically

from .event_file import EventFile
from .layout import (
    CONTRACTS,
    DOCUMENTS,
    EVENTS,
    MINING,
    OVERRIDES,
    TRACES,
    VERSIONS,
    recorded,
)
from .sqlite import TableFile, empty_tables, locked
from .storage import Busy, Near, RecordedLine, Storage, time_of
from .tables import FILES, SCHEMAS, Row, Rows, columns_of

DECISIONS_LOCK = "overrides.lock"
_PUBLIC = (CONTRACTS, OVERRIDES)
"""Documents that others than their owner may read."""
PATIENCE = 10.0
"""Seconds that those who write may take."""
SETTLED = 0.3
"""Seconds after which nobody writes to a file that has been replaced: each batch opens it anew."""
LARGEST_FILE = 16 * 2**20
AT_ONCE = 1000
"""Lines that are written at once."""


class FolderStorage(Storage):
    """The state of one host."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __str__(self) -> str:
        return str(self.folder)

    @property
    def title(self) -> str:
        return self.folder.absolute().name or "outcome-monitors"

    @property
    def events(self) -> EventFile:
        return EventFile(self.folder / EVENTS)

    def refresh(self, *, required: bool = True) -> None:
        """Leave it: nothing is a copy."""

    def close(self) -> None:
        """Leave it: nothing is open."""

    def documents(self) -> dict[str, str]:
        files = ((name, self.folder / name) for name in DOCUMENTS)
        return {name: file.read_text(encoding="utf-8") for name, file in files if file.exists()}

    def put(self, name: str, body: str) -> None:
        if name not in DOCUMENTS:
            raise StateError(f"a folder has no {name}: it knows no labels")
        write_atomically(self.folder / name, body, private=True)

    @contextmanager
    def table(self, name: str, *, change: bool = False) -> Iterator[Rows]:
        file = self._file(name)
        # What is not there is not made by a change.
        opened = file.writing(PATIENCE) if change and file.path.exists() else file.reading()
        with _as_state_error(file.path), opened as rows:
            yield rows

    def fill(self, table: str, rows: Iterable[Row]) -> int:
        file, names = self._file(table), columns_of(table)
        with _as_state_error(file.path), file.writing(PATIENCE) as target:
            return target.put(table, ({name: row[name] for name in names} for row in rows))

    def _file(self, table: str) -> TableFile:
        return TableFile(self.folder / FILES[table], FILES[table])

    def recorded_lines(self, until: tuple[str, int] | None = None) -> Iterator[RecordedLine]:
        """Yield the recorded lines: files grow at their ends, and behind the last one."""
        for file in recorded(self.folder):
            with _as_state_error(file), file.open("rb") as lines:
                for number, line in enumerate(lines, 1):
                    place = (file.name, number)
                    text = line.decode(errors="surrogateescape").rstrip("\n")
                    yield RecordedLine(place, text)
                    if place == until:
                        return

    def ends(self) -> tuple[RecordedLine, RecordedLine] | None:
        first = last = None
        for last in self.recorded_lines():
            first = first or last
        return (first, last) if first is not None and last is not None else None

    def recent_lines(self, tool: str, reach: int, near: Near | None = None) -> Iterator[bytes]:
        needle = json.dumps(tool if near is None else near[0]).encode()
        for file in reversed(recorded(self.folder)):
            with file.open("rb") as lines:
                size = lines.seek(0, os.SEEK_END)
                lines.seek(max(0, size - reach))
                # Of the first line only the end may be there: it is no JSON then.
                for line in reversed(lines.read().split(b"\n")):
                    if needle in line and (near is None or _is_near(line, near)):
                        yield line
            reach -= size
            if reach <= 0:
                return

    def record(self, lines: Iterable[RecordedLine]) -> int:
        private_folder(self.folder / TRACES)
        number = 0
        for day, some in groupby(lines, lambda line: f"{datetime.fromtimestamp(line.seconds, UTC):%Y-%m-%d}"):
            while batch := [line.text for line in islice(some, AT_ONCE)]:
                files = (self.folder / TRACES / f"{day}-{part:04}.jsonl" for part in count())
                room = next(file for file in files if not file.exists() or file.stat().st_size < LARGEST_FILE)
                append(room, "".join(f"{text}\n" for text in batch).encode(errors="surrogateescape"))
                number += len(batch)
        return number

    def drop(self, places: Collection[tuple[str, int]]) -> None:
        gone: dict[str, set[int]] = {}
        for name, number in places:
            gone.setdefault(name, set()).add(number)
        for name, numbers in gone.items():
            _rewrite(self.folder / TRACES / name, numbers)

    def bound_lines(self, since: float | None, most: int | None, *, dry: bool) -> int:
        """Delete whole files: those that nobody has written to since a time, and of more than so many bytes the oldest."""
        files = recorded(self.folder)
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
        for file in filter(Path.exists, (self.folder / name for name in SCHEMAS)):
            with (
                suppress(sqlite3.OperationalError),
                closing(sqlite3.connect(file, timeout=PATIENCE)) as connection,
            ):
                connection.execute("VACUUM")
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    @contextmanager
    def versions(self, *, change: bool = False) -> Iterator["FolderStep"]:
        file = self._file("versions")
        with _as_state_error(file.path), file.writing(PATIENCE) if change else file.reading() as rows:
            yield from self._step(rows)

    @contextmanager
    def deciding(self) -> Iterator["FolderStep"]:
        lock = self.folder / DECISIONS_LOCK
        with _as_state_error(lock), locked(lock, PATIENCE), closing(empty_tables(VERSIONS)) as nothing:
            yield from self._step(Rows(nothing))

    def _step(self, rows: Rows) -> Iterator["FolderStep"]:
        step = FolderStep(self.folder, rows)
        yield step
        # Contracts before what speaks of them.
        for name in sorted(step.waiting, key=lambda name: name != CONTRACTS):
            write_atomically(self.folder / name, step.waiting[name], private=name not in _PUBLIC)

    @contextmanager
    def learning(self) -> Iterator[Callable[[], None]]:
        """Hold the lock that the proxy's own miner holds."""
        with ExitStack() as held:
            try:
                held.enter_context(locked(self.folder / MINING, 0))
            except sqlite3.OperationalError:
                raise Busy(f"another process, a proxy's or a learner, mines in {self.folder}") from None
            yield lambda: None


class FolderStep:
    """The table of versions in its file, and the documents beside it as files."""

    def __init__(self, folder: Path, rows: Rows) -> None:
        self.rows, self._folder = rows, folder
        self.waiting: dict[str, str] = {}

    def where(self, name: str) -> str:
        return str(self._folder / name)

    def document(self, name: str) -> str | None:
        file = self._folder / name
        if name in self.waiting:
            return self.waiting[name]
        return file.read_text(encoding="utf-8") if file.exists() else None

    def put(self, name: str, body: str, _by: str) -> None:
        self.waiting[name] = body


@contextmanager
def _as_state_error(file: Path) -> Iterator[None]:
    try:
        yield
    except (sqlite3.Error, OSError, UnicodeDecodeError) as error:
        raise StateError(f"{file} cannot be used: {error}") from error


def _is_near(line: bytes, near: Near) -> bool:
    _, begin, end = near
    when = time_of(RecordedLine(("", 0), line.decode(errors="surrogateescape")).call)
    return when is not None and begin <= when <= end


def _rewrite(file: Path, gone: set[int]) -> None:
    """Put a file without some of its lines in its place."""
    with file.open("rb") as old:
        kept = b"".join(line for number, line in enumerate(old, 1) if number not in gone)
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
