"""The tables of the two small SQLite files of a state, `stages.sqlite` and `changes.sqlite`: for those who write them, and for copies.

Queries on them are written once, for a file and for a fleet's PostgreSQL: what both sorts of connection have in common is
`TableConnection`.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

__all__ = ["CHANGES_TABLES", "CHANGES_VERSION", "STAGES_TABLES", "STAGES_VERSION", "TableConnection"]


class TableConnection(Protocol):
    """What is asked of a connection, to a file or to a fleet's database."""

    def execute(self, query: str, values: Sequence[Any] = ..., /) -> Any:
        """Run a query, with a question mark for each value."""

    def executemany(self, query: str, rows: Iterable[Sequence[Any]], /) -> Any:
        """Run a query for each row."""


STAGES_VERSION = 2
STAGES_TABLES = (
    """CREATE TABLE IF NOT EXISTS trials (
  tool TEXT PRIMARY KEY, stage TEXT NOT NULL, contract TEXT NOT NULL, checked INTEGER NOT NULL, flagged INTEGER NOT NULL)""",
    """CREATE TABLE IF NOT EXISTS progress (id INTEGER PRIMARY KEY CHECK (id = 0), recorded INTEGER NOT NULL, mined INTEGER NOT NULL)""",
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
    f"PRAGMA user_version = {STAGES_VERSION}",
)
CHANGES_VERSION = 1
CHANGES_TABLES = (
    """CREATE TABLE IF NOT EXISTS ways (
  way TEXT PRIMARY KEY, stamp INTEGER NOT NULL, path TEXT NOT NULL, kind TEXT NOT NULL, first TEXT NOT NULL,
  faults REAL NOT NULL, logs TEXT NOT NULL, tasks TEXT NOT NULL, broken INTEGER NOT NULL, kept INTEGER NOT NULL,
  changed INTEGER NOT NULL, least REAL NOT NULL, bar REAL NOT NULL, over REAL NOT NULL, reported INTEGER NOT NULL)""",
    f"PRAGMA user_version = {CHANGES_VERSION}",
)
