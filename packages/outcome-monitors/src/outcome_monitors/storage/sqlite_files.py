"""SQLite files that are torn, or are none: told from those that are only busy, and put aside so that another can be begun.

A file is looked at again under a lock before it is moved: of several processes that meet a torn one, one puts it aside.
"""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from outcome_monitors.exceptions import OutcomeMonitorsError

__all__ = ["fits", "is_torn", "looking_into", "put_aside", "storable"]


BUSY = 2.0
"""Seconds that one process waits for another that puts a file aside."""
_TORN = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR})
_OF_TYPE: dict[str, tuple[type, ...]] = {"TEXT": (str,), "INTEGER": (int,), "REAL": (float, int)}


def storable(text: str) -> str:
    """Return a text as a file can hold it: half a surrogate pair, which JSON may bring, is written out as an escape."""
    return text if text.isascii() else text.encode(errors="backslashreplace").decode()


def is_torn(error: BaseException) -> bool:
    """Say whether an error means that a file is no database, or not one of ours, and not that it cannot be used just now."""
    if isinstance(error, sqlite3.Error):
        # What has no code comes from Python: text that is not UTF-8.
        code: int | None = getattr(error, "sqlite_errorcode", None)
        return code is None or code & 0xFF in _TORN
    # What a file holds may be of other types than were written, and SQLite's own words about it no text.
    return not isinstance(error, OSError | OutcomeMonitorsError)


def fits(connection: sqlite3.Connection, statements: tuple[str, ...]) -> bool:
    """Say whether a database has the tables that statements make, and in every place a value of the type that is declared."""
    with closing(sqlite3.connect(":memory:")) as model:
        for statement in statements:
            model.execute(statement)
        tables = [name for (name,) in model.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return all(_table_fits(connection, model, table) for table in tables) and _pages_are_whole(connection)


def put_aside(path: Path, is_whole: Callable[[], bool]) -> Path | None:
    """Put a file that is not whole out of the way; return where it is, or nothing where another process has done so."""
    lock = path.with_name(f"{path.name}.lock")
    with closing(sqlite3.connect(lock, timeout=BUSY, isolation_level=None)) as held:
        held.execute("BEGIN EXCLUSIVE")
        try:
            if is_whole():
                return None
        except Exception as error:
            if not is_torn(error):
                raise
        aside = path.with_name(f"{path.name}.torn")
        path.replace(aside)
        for beside in ("-wal", "-shm"):
            path.with_name(path.name + beside).unlink(missing_ok=True)
        return aside


def _table_fits(connection: sqlite3.Connection, model: sqlite3.Connection, table: str) -> bool:
    columns = [
        (name, kind, needed) for _, name, kind, needed, _, _ in model.execute(f"PRAGMA table_info({table})")
    ]
    least = model.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608 - names of our own
    # More columns than these are those of a later release.
    rows = connection.execute(f"SELECT {', '.join(name for name, _, _ in columns)} FROM {table}")  # noqa: S608 - the same
    found = 0
    for row in rows:
        found += 1
        for value, (_, kind, needed) in zip(row, columns, strict=True):
            if not isinstance(value, _OF_TYPE[kind]) and (value is not None or needed):
                return False
    return bool(found >= least)


def _pages_are_whole(connection: sqlite3.Connection) -> bool:
    return bool(connection.execute("PRAGMA quick_check(1)").fetchone() == ("ok",))


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
