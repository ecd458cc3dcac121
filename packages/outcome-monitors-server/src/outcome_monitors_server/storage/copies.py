"""A host's copy of what is small in a fleet's state, brought up to what the database has: a folder as one host alone would have it.

A file is replaced whole or not at all, and only where the database has another; whoever reads the folder meets no half of one.
Nobody writes into a copy: what is decided or counted goes to the database.
"""

import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from outcome_monitors.exceptions import StateError
from outcome_monitors.state.address import CACHE
from outcome_monitors.state.labels import Labels
from outcome_monitors.state.shared import PATIENCE, line_of
from outcome_monitors.state.tables import CHANGES_TABLES, STAGES_TABLES
from outcome_monitors.values.files import private_folder, write_atomically
from outcome_monitors.values.folders import CHANGES, STAGES

from .connections import Connections, SharedConnection
from .contract_lines import line_rows
from .documents import pull

__all__ = ["copied_at", "refresh"]

LOCK = "copy.lock"
"""Held by the one who brings a copy up; it was last touched when the copy was as the database is."""


class _TableCopy(NamedTuple):
    name: str
    where: str = ""


class _FileCopy(NamedTuple):
    name: str
    statements: tuple[str, ...]
    tables: tuple[_TableCopy, ...]


_COUNTERS = ("progress", "turns")
"""Of the whole fleet; the other tables have the tool, or what begins with it, in their first column."""
_FILES = (
    _FileCopy(
        STAGES,
        STAGES_TABLES,
        (
            *map(_TableCopy, ("trials", "progress", "shares", "clauses", "turns")),
            # Of a tool that advises nobody asks who has seen it, and there may be many.
            _TableCopy("witnesses", "WHERE tool IN (SELECT tool FROM {trials} AS it WHERE stage = 'shadow')"),
        ),
    ),
    _FileCopy(CHANGES, CHANGES_TABLES, (_TableCopy("ways"),)),
)


def refresh(state: Connections, folder: Path, labels: Labels | None = None) -> None:
    """Bring the copy in a folder up to what the database has for some labels, or for those of the address.

    Raise StateError where the database or the folder cannot be used.
    """
    # The database is looked at by the one who holds the lock: nobody puts what is older over what is newer.
    with _alone(folder), state.reading() as shared:
        pull(shared, folder, state.address.labels if labels is None else labels)
        line = line_of(folder)
        for file in _FILES:
            _copy(shared, folder, file, line)
        os.utime(folder / LOCK)


def copied_at(folder: Path) -> float | None:
    """Return when a copy was last as the database was then; None where there is none."""
    with suppress(OSError):
        if (folder / STAGES).exists():
            return (folder / LOCK).stat().st_mtime
    return None


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    try:
        private_folder(folder)
        held = sqlite3.connect(folder / LOCK, timeout=PATIENCE, isolation_level=None)
        with closing(held):
            held.execute("BEGIN EXCLUSIVE")
            yield
    except (OSError, sqlite3.Error) as error:
        raise StateError(
            f"the copy of the state in {folder} cannot be written, and {CACHE} may name another place: {error}"
        ) from error


def _copy(shared: SharedConnection, folder: Path, file: _FileCopy, line: Labels) -> None:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as made:
        for statement in file.statements:
            made.execute(statement)
        sources = _sources(made, file, line)
        mark = _mark(shared, sources)
        target = folder / file.name
        if _mark_of(target) == mark:
            return
        made.execute("BEGIN")
        for table, rows in sources.items():
            _fill(shared, made, table, rows)
        made.execute("CREATE TABLE copied (mark TEXT NOT NULL)")
        made.execute("INSERT INTO copied VALUES (?)", (mark,))
        made.execute("COMMIT")
        content = made.serialize()
    write_atomically(target, content, private=True)


def _sources(made: sqlite3.Connection, file: _FileCopy, line: Labels) -> dict[str, str]:
    """Return where the rows of each table are, as they are on one line."""
    found: dict[str, str] = {}
    for table in file.tables:
        columns = _columns(made, table.name)
        of_line = table.name if table.name in _COUNTERS else line_rows(table.name, columns, line)
        found[table.name] = of_line
    return {table.name: f"{found[table.name]} AS it {table.where.format_map(found)}" for table in file.tables}


def _columns(made: sqlite3.Connection, table: str) -> list[str]:
    return [name for _, name, *_ in made.execute(f"PRAGMA table_info({table})")]


def _fill(shared: SharedConnection, made: sqlite3.Connection, table: str, source: str) -> None:
    columns = _columns(made, table)
    names, marks = ", ".join(columns), ", ".join("?" * len(columns))
    rows = shared.execute(f"SELECT {names} FROM {source}")  # noqa: S608 - names of our own
    made.executemany(f"INSERT OR REPLACE INTO {table} VALUES ({marks})", rows)  # noqa: S608 - the same


def _mark(shared: SharedConnection, sources: Mapping[str, str]) -> str:
    """Return a text that is another where a table has changed; the database makes it, so that what is known does not travel."""
    parts = " UNION ALL ".join(
        f"SELECT {number}, count(*), coalesce(sum(hashtextextended(it::text, 0)), 0) FROM {source}"  # noqa: S608 - names of our own
        for number, source in enumerate(sources.values())
    )
    return repr(sorted((number, rows, str(total)) for number, rows, total in shared.execute(parts)))


def _mark_of(file: Path) -> str:
    with (
        suppress(sqlite3.Error),
        closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as connection,
    ):
        return str(connection.execute("SELECT mark FROM copied").fetchone()[0])
    return ""
