"""The tables of a state, events, stages, changes and versions of contracts, and the one place where queries on them are written.

The SQL is what SQLite and PostgreSQL share. What both sorts of connection have in common is `TableConnection`; all others read and
write by the verbs of `Rows`.
"""

import math
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any, Protocol

from outcome_monitors.storage.layout import CHANGES, EVENTS, STAGES, VERSIONS

from .labels import Labels

Row = dict[str, Any]
"""What stands in a row, by column."""


class TableConnection(Protocol):
    """What is asked of a connection, to a file or to a fleet's database."""

    def execute(self, query: str, values: Sequence[Any] = ..., /) -> Any:
        """Run a query, with a question mark for each value."""

    def executemany(self, query: str, rows: Iterable[Sequence[Any]], /) -> Any:
        """Run a query for each row."""


class Tables(Protocol):
    """Tables that one process at a time writes to: a file's, or a fleet's."""

    def reading(self) -> AbstractContextManager["Rows"]:
        """Give the rows, to look into them."""

    def writing(self, patience: float) -> AbstractContextManager["Rows"]:
        """Give the rows in one transaction, for which it waits so many seconds."""

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
  body TEXT NOT NULL, changes TEXT NOT NULL, evidence TEXT NOT NULL,
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
COUNTERS = ("progress", "turns")
"""Tables that have one row from the first."""
BESIDE = 100
"""Bytes of a row beside its texts, roughly."""
_NUMBERED = {"events": "id", "traces": "id", "ways": "stamp", "versions": "number", "witnesses": "last"}
"""Tables whose rows come one behind the other, and the column that says so."""
_PLACES = {"after": "{} > ?", "before": "{} < ?", "since": "time >= ?", "until": "time < ?"}
_INDEXED = {("outcome", "flagged"), ("advised", 1)}
"""What has an index of its own, which is found where the query has the very words."""
_STEP = (
    "CASE WHEN CAST(time / {0} AS BIGINT) > time / {0} THEN CAST(time / {0} AS BIGINT) - 1"
    " ELSE CAST(time / {0} AS BIGINT) END"
)
"""A cast goes down to the whole number in SQLite, and to the nearest one in PostgreSQL."""


class Rows:
    """The rows of tables, on a connection that another has opened.

    All verbs take which rows are meant in the same way: a column and its value, or several values. Beside these, `after` and `before`
    are numbers (of an event, a version, a stamp), `since` and `until` times, and `containing` is a text, in small letters, that stands
    in some column. What is None says nothing.
    """

    def __init__(self, connection: TableConnection) -> None:
        self._connection = connection

    def execute(self, query: str, values: Sequence[Any] = (), /) -> Any:
        """Run a query; for storage alone."""
        return self._connection.execute(query, values)

    def executemany(self, query: str, rows: Iterable[Sequence[Any]], /) -> Any:
        """Run a query for each row; for storage alone."""
        return self._connection.executemany(query, rows)

    def select(
        self,
        table: str,
        *columns: str,
        most: int | None = None,
        newest: bool = False,
        **which: Any,
    ) -> list[Row]:
        """Return rows, in order where they are numbered; at `most` so many, from the first on or from the newest back."""
        names = columns or columns_of(table)
        if most is not None and which.get("since") is not None and not which.get("after"):
            # As a sum, so that times are looked up in their index; from there on a page goes by numbers.
            first = self.execute(
                "SELECT coalesce(min(id + 0), 0) FROM events WHERE time >= ?", [which["since"]]
            )
            which["after"] = first.fetchone()[0] - 1
        condition, values = self._condition(table, which)
        query = f"SELECT {', '.join(names)} FROM {table} WHERE {condition}"  # noqa: S608 - names of our own
        if table in _NUMBERED:
            query += f" ORDER BY {_NUMBERED[table]}{' DESC' if newest else ''}"
        if most is not None:
            query += f" LIMIT {most}"
        return [dict(zip(names, row, strict=True)) for row in self.execute(query, values).fetchall()]

    def count(self, table: str, *columns: str, step: int = 0, **which: Any) -> list[tuple[Any, ...]]:
        """Return the values that rows have in some columns, and in which `step` of seconds, each time with how many rows have them."""
        groups = [*columns, *([_STEP.format(float(step))] if step else [])]
        condition, values = self._condition(table, which)
        query = f"SELECT {', '.join([*groups, 'count(*)'])} FROM {table} WHERE {condition}"  # noqa: S608 - the same
        if groups:
            places = ", ".join(str(place) for place, _ in enumerate(groups, 1))
            query += f" GROUP BY {places} ORDER BY {places}"
        found: list[tuple[Any, ...]] = self.execute(query, values).fetchall()
        return found

    def last(self, table: str) -> int:
        """Return the number of the newest row; 0 where there is none."""
        [found] = self.execute(f"SELECT coalesce(max({_NUMBERED[table]}), 0) FROM {table}").fetchone()  # noqa: S608 - the same
        return int(found)

    def put(self, table: str, rows: Iterable[Mapping[str, Any]]) -> int:
        """Write rows of the same columns, each in the place of the one with its key; return how many. One without a number gets the next."""
        left = iter(rows)
        first = next(left, None)
        if first is None:
            return 0
        keys = _keys_of(table)
        others = ", ".join(f"{name} = excluded.{name}" for name in first if name not in keys)
        query = (
            f"INSERT INTO {table} ({', '.join(first)}) VALUES ({', '.join('?' * len(first))})"  # noqa: S608 - the same
            f" ON CONFLICT ({', '.join(keys)}) DO UPDATE SET {others}"
        )
        number = 0

        def written() -> Iterator[list[Any]]:
            nonlocal number
            for number, row in enumerate(chain([first], left), 1):  # noqa: B007 - how many they were
                yield [row[name] for name in first]

        self.executemany(query, written())
        return number

    def update(self, table: str, values: Mapping[str, Any], **which: Any) -> None:
        """Write some columns of rows that are there."""
        condition, found = self._condition(table, which)
        query = f"UPDATE {table} SET {', '.join(f'{name} = ?' for name in values)} WHERE {condition}"  # noqa: S608 - the same
        self.execute(query, [*values.values(), *found])

    def delete(self, table: str, **which: Any) -> int:
        """Delete rows, and return how many they were."""
        condition, values = self._condition(table, which)
        return int(self.execute(f"DELETE FROM {table} WHERE {condition}", values).rowcount)  # noqa: S608 - the same

    def bound(self, table: str, *columns: str, since: float | None, most: int | None, dry: bool) -> int:
        """Delete rows from before a time, and of more than so many bytes in some columns the oldest; return how many. `dry` only counts."""
        lengths = " + ".join([str(BESIDE), *(f"coalesce(length({name}), 0)" for name in columns)])
        number = _NUMBERED[table]
        sizes = (
            f"SELECT {number} AS number, sum({lengths}) OVER (ORDER BY {number} DESC) AS size FROM {table}"  # noqa: S608 - the same
        )
        query = f"SELECT coalesce(max(number), -1) FROM ({sizes}) AS sizes WHERE size > ?"  # noqa: S608 - the same
        beyond = -1 if most is None else self.execute(query, (most,)).fetchone()[0]
        values = (beyond, -math.inf if since is None else since)
        what = f"FROM {table} WHERE {number} <= ? OR time < ?"
        if dry:
            return int(self.execute(f"SELECT count(*) {what}", values).fetchone()[0])
        return int(self.execute(f"DELETE {what}", values).rowcount)

    def _condition(self, table: str, which: Mapping[str, Any]) -> tuple[str, list[Any]]:
        parts, values = ["1 = 1"], list[Any]()
        for name, value in which.items():
            if value is None:
                continue
            given = [*value] if isinstance(value, Collection) and not isinstance(value, str) else [value]
            if name == "since" and which.get("after"):
                part = "time + 0 >= ?"
            elif name in _PLACES:
                part = _PLACES[name].format(_NUMBERED.get(table))
            elif name == "containing":
                part = " OR ".join(f"lower({text}) LIKE ? ESCAPE '!'" for text in _texts_of(table))
                sought = value.replace("!", "!!").replace("%", "!%").replace("_", "!_")
                given = [f"%{sought}%"] * len(_texts_of(table))
            elif len(given) == 1 and (name, given[0]) in _INDEXED:
                part, given = f"{name} = {given[0]!r}", []
            else:
                part = f"{name} IN ({', '.join('?' * len(given))})" if given else "1 = 0"
            parts.append(f"({part})")
            values += given
        return " AND ".join(parts), values


@cache
def described(table: str) -> tuple[tuple[Any, ...], ...]:
    """Return the columns of a table as SQLite describes them: place, name, type, whether it is needed, default, place in the key."""
    with closing(sqlite3.connect(":memory:")) as model:
        for statement in SCHEMAS[FILES[table]][1]:
            model.execute(statement)
        return tuple(model.execute(f"PRAGMA table_info({table})"))


@cache
def columns_of(table: str, *, labelled: bool = False) -> tuple[str, ...]:
    """Return the columns of a table, which a fleet's has too; a fleet's events have labels besides."""
    found = tuple(name for _, name, *_ in described(table))
    return (*found, *Labels._fields) if labelled and table == "events" else found


@cache
def _keys_of(table: str) -> tuple[str, ...]:
    return tuple(name for _, name, *_, place in described(table) if place)


@cache
def _texts_of(table: str) -> tuple[str, ...]:
    return tuple(name for _, name, kind, *_ in described(table) if kind == "TEXT")
