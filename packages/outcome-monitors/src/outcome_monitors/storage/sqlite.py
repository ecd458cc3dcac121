"""The SQLite files of a state: each is opened, made, read and, where it is torn, set aside in one way.

Many processes may write and read one at once. A file is checked again under a lock before it is set aside: of several processes that
meet a torn one, one moves it.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from outcome_monitors.exceptions import OutcomeMonitorsError, StateError
from outcome_monitors.files import make_private, refuse_special

from .layout import EVENTS, STAGES
from .tables import COUNTERS, FILES, SCHEMAS, Rows, described

READING = 5.0
"""Seconds that a writer may hold up a reader."""
SETTING_ASIDE = 2.0
"""Seconds that one process waits for another that sets a file aside."""
_WRITTEN_OFTEN = frozenset({EVENTS, STAGES})
_UNWRITABLE = frozenset({sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN})
_TORN = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR})
_OF_TYPE: dict[str, tuple[type, ...]] = {"TEXT": (str,), "INTEGER": (int,), "REAL": (float, int)}


class TableFile:
    """A file with the tables of one of `SCHEMAS`."""

    def __init__(self, path: Path, schema: str) -> None:
        self.path, self._schema = path, schema
        self._version = SCHEMAS[schema][0]

    def __str__(self) -> str:
        return str(self.path)

    @contextmanager
    def reading(self) -> Iterator[Rows]:
        """Give one state of the tables, and change nothing; where there is no file they are empty.

        One of an earlier release, or that is still being made, is read as it will be; one of a later release is refused.
        """
        refuse_special(self.path)
        if not self.path.exists():
            with closing(empty_tables(self._schema)) as nothing:
                yield Rows(nothing)
            return
        with read_only(self.path) as connection:
            if self._known_version(connection) == self._version:
                connection.execute("BEGIN")
                yield Rows(connection)
                return
            tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
            if any(FILES.get(name) != self._schema for (name,) in tables if name != "sqlite_sequence"):
                raise StateError(f"{self} holds other tables: it is not a file of this state")
            with closing(sqlite3.connect(":memory:", isolation_level=None)) as copy:
                connection.backup(copy)
                _make_tables(copy, self._schema)
                yield Rows(copy)

    @contextmanager
    def writing(self, patience: float) -> Iterator[Rows]:
        """Give the tables in one transaction, for which it waits so many seconds; a file that is not there is made."""
        with closing(self.opened(patience)) as connection, transaction(connection):
            yield Rows(connection)

    def opened(self, patience: float) -> sqlite3.Connection:
        """Open the file to write to it, outside of a transaction."""
        refuse_special(self.path)
        with suppress(OSError):
            make_private(self.path)
        connection = sqlite3.connect(self.path, timeout=patience, isolation_level=None)
        try:
            if self._known_version(connection) < self._version:
                if self._schema in _WRITTEN_OFTEN:
                    connection.execute("PRAGMA journal_mode=WAL")
                with transaction(connection):
                    _make_tables(connection, self._schema)
            if self._schema in _WRITTEN_OFTEN:
                connection.execute("PRAGMA synchronous=NORMAL")
            # What is deleted is overwritten, not only marked as free.
            connection.execute("PRAGMA secure_delete = ON")
        except BaseException:
            connection.close()
            raise
        return connection

    def set_aside(self) -> Path | None:
        """Put a torn file, or one that is no such file, out of the way; return where it is, None where it is whole."""
        with locked(self.path.with_name(f"{self.path.name}.lock"), SETTING_ASIDE):
            try:
                with closing(self.opened(SETTING_ASIDE)) as connection:
                    if _fits(connection, self._schema):
                        return None
            except Exception as error:
                if not is_torn(error):
                    raise
            aside = self.path.with_name(f"{self.path.name}.torn")
            self.path.replace(aside)
            for beside in ("-wal", "-shm"):
                self.path.with_name(self.path.name + beside).unlink(missing_ok=True)
            return aside

    def _known_version(self, connection: sqlite3.Connection) -> int:
        version: int = connection.execute("PRAGMA user_version").fetchone()[0]
        if version > self._version:
            raise StateError(
                f"{self} is of version {version}, and this release knows {self._version}: pip install -U outcome-monitors"
            )
        return version


@contextmanager
def read_only(file: Path) -> Iterator[sqlite3.Connection]:
    """Open any SQLite file to read it alone, also where it lies on a disk that nobody can write."""
    place = file.absolute().as_uri()
    connection = sqlite3.connect(f"{place}?mode=ro", uri=True, timeout=READING)
    try:
        connection.execute("PRAGMA schema_version").fetchone()
    except sqlite3.Error as error:
        connection.close()
        if getattr(error, "sqlite_errorcode", 0) & 0xFF not in _UNWRITABLE:
            raise
        # A write-ahead log has files beside it, which even a reader makes; where that cannot be, nobody writes either.
        connection = sqlite3.connect(f"{place}?mode=ro&immutable=1", uri=True)
    with closing(connection):
        yield connection


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Have a block be one transaction, which has the write lock from the start."""
    connection.execute("BEGIN IMMEDIATE")
    with connection:
        yield


@contextmanager
def locked(file: Path, patience: float) -> Iterator[None]:
    """Hold a lock that every system has, and that goes with the process."""
    with closing(sqlite3.connect(file, timeout=patience, isolation_level=None)) as lock:
        lock.execute("BEGIN EXCLUSIVE")
        yield


def empty_tables(schema: str, where: str = ":memory:") -> sqlite3.Connection:
    """Return the tables of a file as they are at first, in memory."""
    connection = sqlite3.connect(where, isolation_level=None, check_same_thread=False)
    _make_tables(connection, schema)
    return connection


def _make_tables(connection: sqlite3.Connection, schema: str) -> None:
    version, statements = SCHEMAS[schema]
    for statement in (*statements, f"PRAGMA user_version = {version}"):
        connection.execute(statement)


def is_torn(error: BaseException) -> bool:
    """Say whether an error means that a file is no database, or not one of ours, and not that it cannot be used just now."""
    if isinstance(error, sqlite3.Error):
        # What has no code comes from Python: text that is not UTF-8.
        code: int | None = getattr(error, "sqlite_errorcode", None)
        return code is None or code & 0xFF in _TORN
    # What a file holds may be of other types than were written, and SQLite's own words about it no text.
    return not isinstance(error, OSError | OutcomeMonitorsError)


def _fits(connection: sqlite3.Connection, schema: str) -> bool:
    """Say whether a database has the tables of a schema, and in every place a value of the type that is declared."""
    for table in (table for table, file in FILES.items() if file == schema):
        columns = [(name, _OF_TYPE[kind], needed) for _, name, kind, needed, *_ in described(table)]
        number = 0
        # More columns than these are those of a later release.
        names = ", ".join(name for name, *_ in columns)
        for number, row in enumerate(connection.execute(f"SELECT {names} FROM {table}"), 1):  # noqa: B007, S608 - names of our own
            for value, (_, kinds, needed) in zip(row, columns, strict=True):
                if not isinstance(value, kinds) and (value is not None or needed):
                    return False
        if table in COUNTERS and not number:
            return False
    return bool(connection.execute("PRAGMA quick_check(1)").fetchone() == ("ok",))
