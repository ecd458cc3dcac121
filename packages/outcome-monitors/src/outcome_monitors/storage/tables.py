"""The tables of the SQLite files of a state: events, stages, changes, and versions of contracts.

Queries on them are written once, for a file and for a fleet's PostgreSQL: what both sorts of connection have in common is
`TableConnection`.
"""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, closing
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from outcome_monitors.storage.layout import CHANGES, EVENTS, STAGES, VERSIONS

from .labels import Labels

__all__ = ["FILES", "SCHEMAS", "TABLES", "TableConnection", "Tables", "columns_of"]


class TableConnection(Protocol):
    """What is asked of a connection, to a file or to a fleet's database."""

    def execute(self, query: str, values: Sequence[Any] = ..., /) -> Any:
        """Run a query, with a question mark for each value."""

    def executemany(self, query: str, rows: Iterable[Sequence[Any]], /) -> Any:
        """Run a query for each row."""


class Tables(Protocol):
    """Tables that one process at a time writes to: a file's, or a fleet's."""

    def writing(self, patience: float) -> AbstractContextManager[TableConnection]:
        """Give a connection in one transaction, for which it waits so many seconds."""

    def set_aside(self) -> Path | None:
        """Put tables that are torn out of the way, and say where they are; None where nothing can be done."""


SCHEMAS: Mapping[str, tuple[int, tuple[str, ...]]] = {
    EVENTS: (
        1,
        (
            """CREATE TABLE IF NOT EXISTS events (
  id INTEGER PRIMARY KEY, time REAL NOT NULL, session TEXT, tool TEXT NOT NULL, outcome TEXT NOT NULL, advised INTEGER NOT NULL,
  duration REAL NOT NULL, why TEXT NOT NULL, violations TEXT NOT NULL, receipt TEXT NOT NULL, arguments TEXT, result TEXT)""",
            "CREATE INDEX IF NOT EXISTS by_time ON events (time)",
            # Few events are in these, and they are what people ask for.
            "CREATE INDEX IF NOT EXISTS told ON events (time, tool) WHERE advised = 1",
            "CREATE INDEX IF NOT EXISTS flagged ON events (id) WHERE outcome = 'flagged'",
        ),
    ),
    STAGES: (
        2,
        (
            """CREATE TABLE IF NOT EXISTS trials (
  tool TEXT PRIMARY KEY, stage TEXT NOT NULL, contract TEXT NOT NULL, checked INTEGER NOT NULL, flagged INTEGER NOT NULL)""",
            """CREATE TABLE IF NOT EXISTS progress (
  id INTEGER PRIMARY KEY CHECK (id = 0), recorded INTEGER NOT NULL, mined INTEGER NOT NULL)""",
            "INSERT OR IGNORE INTO progress VALUES (0, 0, 0)",
            "CREATE TABLE IF NOT EXISTS shares (tool TEXT PRIMARY KEY, recent REAL NOT NULL, told REAL NOT NULL)",
            """CREATE TABLE IF NOT EXISTS clauses (
  tool TEXT NOT NULL, clause TEXT NOT NULL, kind TEXT NOT NULL, begun INTEGER NOT NULL, flagged INTEGER NOT NULL,
  trial TEXT NOT NULL, proven TEXT, noise REAL NOT NULL DEFAULT 0, PRIMARY KEY (tool, clause))""",
            """CREATE TABLE IF NOT EXISTS witnesses (
  tool TEXT NOT NULL, client TEXT NOT NULL, hour INTEGER NOT NULL, results INTEGER NOT NULL, last INTEGER NOT NULL,
  PRIMARY KEY (tool, client, hour))""",
            """CREATE TABLE IF NOT EXISTS turns (
  id INTEGER PRIMARY KEY CHECK (id = 0), turn INTEGER NOT NULL, disputed INTEGER NOT NULL)""",
            "INSERT OR IGNORE INTO turns VALUES (0, 0, 0)",
        ),
    ),
    CHANGES: (
        1,
        (
            """CREATE TABLE IF NOT EXISTS ways (
  way TEXT PRIMARY KEY, stamp INTEGER NOT NULL, path TEXT NOT NULL, kind TEXT NOT NULL, first TEXT NOT NULL,
  faults REAL NOT NULL, logs TEXT NOT NULL, tasks TEXT NOT NULL, broken INTEGER NOT NULL, kept INTEGER NOT NULL,
  changed INTEGER NOT NULL, least REAL NOT NULL, bar REAL NOT NULL, over REAL NOT NULL, reported INTEGER NOT NULL)""",
        ),
    ),
    VERSIONS: (
        1,
        (
            """CREATE TABLE IF NOT EXISTS versions (
  number INTEGER PRIMARY KEY AUTOINCREMENT, parent INTEGER, made REAL NOT NULL, by TEXT NOT NULL, stage TEXT NOT NULL,
  share REAL NOT NULL, body TEXT NOT NULL, changes TEXT NOT NULL, evidence TEXT NOT NULL,
  accepted REAL, accepted_by TEXT NOT NULL DEFAULT '', reason TEXT NOT NULL DEFAULT '', withdrawn INTEGER NOT NULL DEFAULT 0)""",
        ),
    ),
}
"""The version of each file, and the statements that make its tables; PostgreSQL has the same tables."""
FILES: Mapping[str, str] = {
    "events": EVENTS,
    **dict.fromkeys(("trials", "progress", "shares", "clauses", "witnesses", "turns"), STAGES),
    "ways": CHANGES,
    "versions": VERSIONS,
}
"""The file of each table."""
TABLES = tuple(FILES)


@cache
def columns_of(table: str, *, labelled: bool = False) -> tuple[str, ...]:
    """Return the columns of a table, which a fleet's has too; a fleet's events have labels besides."""
    with closing(sqlite3.connect(":memory:")) as model:
        for statement in SCHEMAS[FILES[table]][1]:
            model.execute(statement)
        found = tuple(name for _, name, *_ in model.execute(f"PRAGMA table_info({table})"))
    return (*found, *Labels._fields) if labelled and table == "events" else found
