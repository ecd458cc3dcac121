"""Where versions of contracts are kept: in a folder, or in a fleet's PostgreSQL. Both are asked in the same words.

A change is one step: the rows and the documents that running proxies read come to be together, or not at all.
"""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Protocol

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.state.address import StateAddress, is_address
from outcome_monitors.state.labels import NO_LABELS, Labels
from outcome_monitors.values.files import FilePath, make_private, write_atomically
from outcome_monitors.values.folders import CONTRACTS, VERSIONS, learning_folder
from outcome_monitors.values.sqlite_files import looking_into
from outcome_monitors_server.storage.contract_lines import named_for
from outcome_monitors_server.storage.documents import changing, put
from outcome_monitors_server.storage.postgres import Postgres, SharedConnection

__all__ = [
    "VERSIONS_TABLES",
    "FleetVersions",
    "FolderVersions",
    "VersionHome",
    "VersionTable",
    "version_home",
]

PATIENCE = 5.0
"""Seconds that another change may take."""
FORMAT = 1
"""Of the store in a folder; a fleet's tables have a version of their own."""
_TABLE = """CREATE TABLE IF NOT EXISTS versions (
  number INTEGER PRIMARY KEY AUTOINCREMENT, parent INTEGER, made REAL NOT NULL, by TEXT NOT NULL, stage TEXT NOT NULL,
  share REAL NOT NULL, body TEXT NOT NULL, changes TEXT NOT NULL, evidence TEXT NOT NULL,
  accepted REAL, accepted_by TEXT NOT NULL DEFAULT '', reason TEXT NOT NULL DEFAULT '', withdrawn INTEGER NOT NULL DEFAULT 0)"""
VERSIONS_TABLES = (_TABLE, f"PRAGMA user_version = {FORMAT}")
"""What makes the store in a folder."""

Row = tuple[Any, ...]


class VersionTable(Protocol):
    """The table of versions and the documents beside it, as one step sees and changes them."""

    labels: Labels
    """For whom contracts are meant here: those who have these labels; a folder knows none."""

    def rows(self, query: str, values: Sequence[object] = ()) -> list[Row]:
        """Run a query and return its rows; of one that gives none, nothing."""

    def document(self, name: str, line: Labels = NO_LABELS) -> str | None:
        """Return what a document of a line says."""

    def put(self, name: str, body: str, by: str, line: Labels = NO_LABELS) -> None:
        """Put a document of a line in the place of the one before it, when the step ends."""


class VersionHome(Protocol):
    """A place where versions are kept."""

    marks: Mapping[str, Any]
    """What the evidence of a version says of labels."""

    def changing(self) -> Any:
        """Give the table for one step; of several at once each waits for the others."""

    def reading(self) -> Any:
        """Give the table to look into it; nothing is made by that."""


class _FolderTable:
    labels = NO_LABELS

    def __init__(self, folder: Path, connection: sqlite3.Connection) -> None:
        self._folder, self._connection = folder, connection
        self.waiting: dict[str, str] = {}

    def rows(self, query: str, values: Sequence[object] = ()) -> list[Row]:
        return self._connection.execute(query, values).fetchall()

    def document(self, name: str, _line: Labels = NO_LABELS) -> str | None:
        if name in self.waiting:
            return self.waiting[name]
        file = self._folder / name
        return file.read_text(encoding="utf-8") if file.exists() else None

    def put(self, name: str, body: str, _by: str, _line: Labels = NO_LABELS) -> None:
        self.waiting[name] = body


class FolderVersions:
    """Versions in a folder: an SQLite file, and the documents as files beside it."""

    marks: Mapping[str, Any] = {}

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __str__(self) -> str:
        return str(self._folder)

    @contextmanager
    def changing(self) -> Iterator[VersionTable]:
        """Give the table for one step."""
        file = self._folder / VERSIONS
        with self._told(), closing(_opened(file)) as connection:
            table = _FolderTable(self._folder, connection)
            yield table
            # Contracts before what speaks of them.
            for name in sorted(table.waiting, key=lambda name: name != CONTRACTS):
                write_atomically(self._folder / name, table.waiting[name], private=name != CONTRACTS)
            connection.execute("COMMIT")

    @contextmanager
    def reading(self) -> Iterator[VersionTable]:
        """Give the table to look into it."""
        file = self._folder / VERSIONS
        with self._told():
            if not file.exists():
                with closing(sqlite3.connect(":memory:")) as empty:
                    empty.execute(_TABLE)
                    yield _FolderTable(self._folder, empty)
                return
            with looking_into(file) as connection:
                _refuse_later(connection, file)
                yield _FolderTable(self._folder, connection)

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError, UnicodeDecodeError) as error:
            raise OutcomeMonitorsError(
                f"the versions in {self._folder} cannot be used: {error}; {VERSIONS} there can be put aside, and is begun anew"
            ) from error


def _opened(file: Path) -> sqlite3.Connection:
    make_private(file)
    connection = sqlite3.connect(file, timeout=PATIENCE, isolation_level=None)
    try:
        connection.execute("BEGIN IMMEDIATE")
        _refuse_later(connection, file)
        for statement in VERSIONS_TABLES:
            connection.execute(statement)
    except BaseException:
        connection.close()
        raise
    return connection


def _refuse_later(connection: sqlite3.Connection, file: Path) -> None:
    [found] = connection.execute("PRAGMA user_version").fetchone()
    if found > FORMAT:
        raise OutcomeMonitorsError(f"{file} was written by a later release: pip install -U outcome-monitors")


class _FleetTable:
    def __init__(self, address: StateAddress, shared: SharedConnection) -> None:
        self._address, self._shared = address, shared
        self.labels = address.labels

    def rows(self, query: str, values: Sequence[object] = ()) -> list[Row]:
        found = self._shared.execute(query, values)
        return found.fetchall() if found.description is not None else []

    def document(self, name: str, line: Labels = NO_LABELS) -> str | None:
        found = self.rows("SELECT body FROM documents WHERE name = ?", (named_for(name, line),))
        return str(found[0][0]) or None if found else None

    def put(self, name: str, body: str, by: str, line: Labels = NO_LABELS) -> None:
        put(self._shared, self._address, named_for(name, line), body, by)


class FleetVersions:
    """Versions in a fleet's PostgreSQL."""

    def __init__(self, state: Postgres) -> None:
        self._state = state
        labels = state.address.labels.items()
        self.marks: Mapping[str, Any] = {"labels": dict(labels)} if labels else {}

    def __str__(self) -> str:
        return str(self._state)

    @contextmanager
    def changing(self) -> Iterator[VersionTable]:
        """Give the table for one step."""
        with changing(self._state, VERSIONS) as shared:
            yield _FleetTable(self._state.address, shared)

    @contextmanager
    def reading(self) -> Iterator[VersionTable]:
        """Give the table to look into it."""
        with self._state.reading() as shared:
            yield _FleetTable(self._state.address, shared)


def version_home(place: FilePath) -> VersionHome:
    """Return where the versions of a folder or of a fleet are; refuse what is neither."""
    if is_address(place):
        return FleetVersions(Postgres(StateAddress.read(place)))
    return FolderVersions(learning_folder(place))
