"""The tables of a fleet, and how those of an earlier release become those of this one; those of a later one are refused."""

from collections.abc import Iterator
from typing import Any

import psycopg
from psycopg import sql

from outcome_monitors.exceptions import StateError
from outcome_monitors.storage.address import StateAddress
from outcome_monitors.storage.labels import Labels
from outcome_monitors.storage.tables import SCHEMAS

from .rights import RIGHTS_TABLES

Connection = psycopg.Connection[tuple[Any, ...]]

_LABELS = ", ".join(f"{name} text NOT NULL DEFAULT ''" for name in Labels._fields)
_NUMBER = "bigserial PRIMARY KEY"
_DIALECT = (
    ("INTEGER PRIMARY KEY AUTOINCREMENT", _NUMBER),
    ("id INTEGER PRIMARY KEY,", f"id {_NUMBER},"),
    # A sum of these is a whole number, of larger ones a decimal.
    ("advised INTEGER", "advised integer"),
    ("INTEGER", "bigint"),
    ("REAL", "double precision"),
    ("INSERT OR IGNORE", "INSERT"),
)
"""How PostgreSQL says what SQLite does."""


def _tables_of_files() -> Iterator[str]:
    for _, statements in SCHEMAS.values():
        for statement in statements:
            if not statement.startswith("CREATE INDEX"):
                for sqlite, postgres in _DIALECT:
                    statement = statement.replace(sqlite, postgres)  # noqa: PLW2901 - one dialect after the other
                yield statement


_FIRST = (
    *_tables_of_files(),
    *(f"ALTER TABLE events ADD COLUMN {name} text NOT NULL DEFAULT ''" for name in Labels._fields),
    "CREATE INDEX events_by_time ON events (time, id)",
    "CREATE INDEX events_told ON events (time, tool) WHERE advised = 1",
    "CREATE INDEX events_flagged ON events (id) WHERE outcome = 'flagged'",
    "CREATE INDEX events_of_service ON events (service, id)",
    "CREATE INDEX events_of_session ON events (session, id)",
    f"""CREATE TABLE traces (
  id bigserial PRIMARY KEY, time double precision NOT NULL, tool text NOT NULL, session text, line text NOT NULL, {_LABELS})""",
    "CREATE INDEX traces_by_time ON traces (time)",
    "CREATE INDEX traces_of_tool ON traces (tool, id)",
    "CREATE TABLE writers (writer text PRIMARY KEY, batch bigint NOT NULL, lost bigint NOT NULL, seen timestamptz NOT NULL)",
    """CREATE TABLE documents (
  name text PRIMARY KEY, version bigint NOT NULL, body text NOT NULL, changed timestamptz NOT NULL DEFAULT now(), by text NOT NULL DEFAULT '')""",
)
MIGRATIONS = ((*_FIRST, *RIGHTS_TABLES),)
"""What makes each version of the one before it; what was released stays as it is."""
VERSION = len(MIGRATIONS)


def prepare(connection: Connection, address: StateAddress) -> None:
    """Make the tables, or what they lack; of several that begin at once one does so."""
    if _version(connection) == VERSION:
        return
    connection.execute("SELECT pg_advisory_lock(hashtextextended(%s, 0))", (address.schema,))
    # What another has made meanwhile is seen by a transaction that begins now.
    connection.commit()
    version = _version(connection)
    _refuse_later(version, str(address))
    if not version:
        connection.execute(_named("CREATE SCHEMA IF NOT EXISTS {}", address))
        connection.execute("CREATE TABLE IF NOT EXISTS state (version integer NOT NULL)")
        connection.execute("INSERT INTO state VALUES (0)")
    for statements in MIGRATIONS[version:]:
        for statement in statements:
            connection.execute(statement.encode())
    connection.execute("UPDATE state SET version = %s", (VERSION,))
    connection.commit()
    connection.execute("SELECT pg_advisory_unlock(hashtextextended(%s, 0))", (address.schema,))
    connection.commit()


def refuse_other(connection: Connection, address: StateAddress) -> None:
    """Refuse to read tables that are not there, may not be read, or are another release's."""
    version = _version(connection)
    _refuse_later(version, str(address))
    if version == 0:
        _refuse_without_rights(connection, address)
        raise StateError(
            f"there is no state at {address} yet: a proxy or an adapter makes it (--learn), or `state copy`"
        )
    if version < VERSION:
        raise StateError(
            f"the state at {address} is of version {version}, and this release reads {VERSION}: a proxy of this release brings it up"
        )


def _refuse_without_rights(connection: Connection, address: StateAddress) -> None:
    # A schema that may not be used is passed over as if it were not there.
    query = "SELECT has_schema_privilege(oid, 'USAGE') FROM pg_namespace WHERE nspname = %s"
    if connection.execute(query, (address.schema,)).fetchone() == (False,):
        raise StateError(
            f"the role has no right to the state at {address}: its owner gives one by `outcome-monitors state grant`"
        )


def _refuse_later(version: int, shown: str) -> None:
    if version > VERSION:
        raise StateError(
            f"the state at {shown} is of version {version}, and this release knows {VERSION}: pip install -U outcome-monitors"
        )


def _version(connection: Connection) -> int:
    # Of the fleet's own schema alone, which is all that is searched.
    [there] = connection.execute("SELECT to_regclass('state') IS NOT NULL").fetchone() or (False,)
    if not there:
        return 0
    row = connection.execute("SELECT version FROM state").fetchone()
    return 0 if row is None else int(row[0])


def _named(statement: str, address: StateAddress) -> sql.Composed:
    return sql.SQL(statement).format(sql.Identifier(address.schema))
