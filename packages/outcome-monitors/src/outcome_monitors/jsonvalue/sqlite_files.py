"""Looking into an SQLite file that others write: nothing is made, locked or changed by it."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

__all__ = ["looking_into"]

PATIENCE = 5.0
"""Seconds that one who writes may hold up one who reads."""
_UNWRITABLE = frozenset({sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN})


@contextmanager
def looking_into(file: Path) -> Iterator[sqlite3.Connection]:
    """Open a file to read it alone, also where it lies on a disk that nobody can write."""
    place = file.absolute().as_uri()
    connection = sqlite3.connect(f"{place}?mode=ro", uri=True, timeout=PATIENCE)
    try:
        connection.execute("PRAGMA schema_version").fetchone()
    except sqlite3.Error as error:
        connection.close()
        if getattr(error, "sqlite_errorcode", 0) & 0xFF not in _UNWRITABLE:
            raise
        # What several write at once has files beside it, which even a reader makes; where that cannot be, nobody writes either.
        connection = sqlite3.connect(f"{place}?mode=ro&immutable=1", uri=True)
    with closing(connection):
        yield connection
