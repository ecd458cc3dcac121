"""A host's copy of what is small in a fleet's state, brought up to what the database has: a folder as one host alone would have it.

A file is replaced whole or not at all, and only where the database has another; whoever reads the folder meets no half of one.
Nobody writes into a copy: what is decided or counted goes to the database.
"""

import os
import sqlite3
from collections.abc import Collection, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from outcome_monitors.exceptions import StateError
from outcome_monitors.files import private_folder, write_atomically
from outcome_monitors.storage.address import CACHE
from outcome_monitors.storage.labels import Labels
from outcome_monitors.storage.layout import CHANGES, STAGES
from outcome_monitors.storage.opening import line_of
from outcome_monitors.storage.sqlite import empty_tables, locked
from outcome_monitors.storage.storage import PATIENCE
from outcome_monitors.storage.tables import columns_of

from .connections import Connections, SharedConnection
from .contract_lines import line_rows
from .documents import pull

__all__ = ["copied_at", "refresh"]

LOCK = "copy.lock"
"""Held by the one who brings a copy up; it was last touched when the copy was as the database is."""
_TABLES = {
    STAGES: ("trials", "progress", "shares", "clauses", "turns", "witnesses"),
    CHANGES: ("ways",),
}
_COUNTERS = ("progress", "turns")
"""Of the whole fleet; the other tables have the tool, or what begins with it, in their first column."""


def refresh(state: Connections, folder: Path, labels: Labels | None = None) -> None:
    """Bring the copy in a folder up to what the database has for some labels, or for those of the address.

    Raise StateError where the database or the folder cannot be used.
    """
    # The database is looked at by the one who holds the lock: nobody puts what is older over what is newer.
    with _alone(folder), state.reading() as shared:
        pull(shared, folder, state.address.labels if labels is None else labels)
        line = line_of(folder)
        for name, tables in _TABLES.items():
            _copy(shared, folder / name, _sources(tables, line))
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
        with locked(folder / LOCK, PATIENCE):
            yield
    except (OSError, sqlite3.Error) as error:
        raise StateError(
            f"the copy of the state in {folder} cannot be written, and {CACHE} may name another place: {error}"
        ) from error


def _sources(tables: Collection[str], line: Labels) -> dict[str, str]:
    """Return where the rows of each table are, as they are on one line."""
    found = {
        table: table if table in _COUNTERS else line_rows(table, columns_of(table), line) for table in tables
    }
    if "witnesses" in found:
        # Of a tool that advises nobody asks who has seen it, and there may be many.
        shadow = f"SELECT tool FROM {found['trials']} AS tried WHERE stage = 'shadow'"  # noqa: S608 - names of our own
        found["witnesses"] = f"(SELECT * FROM {found['witnesses']} AS seen WHERE tool IN ({shadow}))"  # noqa: S608 - the same
    return found


def _copy(shared: SharedConnection, target: Path, sources: Mapping[str, str]) -> None:
    with closing(empty_tables(target.name)) as made:
        made.execute("BEGIN")
        for table, source in sources.items():
            names = ", ".join(columns := columns_of(table))
            # In order, so that the same rows make the same file.
            rows = shared.execute(f"SELECT {names} FROM {source} AS it ORDER BY {names}")  # noqa: S608 - names of our own
            made.executemany(f"INSERT OR REPLACE INTO {table} VALUES ({', '.join('?' * len(columns))})", rows)  # noqa: S608 - the same
        made.execute("COMMIT")
        content = made.serialize()
    if not target.exists() or target.read_bytes() != content:
        write_atomically(target, content, private=True)
