"""The tables of a fleet, and how those of an earlier release become those of this one; those of a later one are refused."""

from typing import Any

import psycopg
from psycopg import sql

from outcome_monitors.exceptions import StateError
from outcome_monitors.storage.address import StateAddress

from .rights import RIGHTS_TABLES

__all__ = ["MIGRATIONS", "VERSION", "prepare", "refuse_other"]

Connection = psycopg.Connection[tuple[Any, ...]]

_LABELS = "service text NOT NULL DEFAULT '', environment text NOT NULL DEFAULT '', server text NOT NULL DEFAULT '', agent text NOT NULL DEFAULT ''"
_FIRST = (
    f"""CREATE TABLE events (
  id bigserial PRIMARY KEY, time double precision NOT NULL, session text, tool text NOT NULL, outcome text NOT NULL,
  advised integer NOT NULL, duration double precision NOT NULL, why text NOT NULL, violations text NOT NULL, receipt text NOT NULL,
  arguments text, result text, {_LABELS})""",
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
    """CREATE TABLE trials (
  tool text PRIMARY KEY, stage text NOT NULL, contract text NOT NULL, checked bigint NOT NULL, flagged bigint NOT NULL)""",
    "CREATE TABLE progress (id integer PRIMARY KEY CHECK (id = 0), recorded bigint NOT NULL, mined bigint NOT NULL)",
    "INSERT INTO progress VALUES (0, 0, 0)",
    "CREATE TABLE shares (tool text PRIMARY KEY, recent double precision NOT NULL, told double precision NOT NULL)",
    """CREATE TABLE clauses (
  tool text NOT NULL, clause text NOT NULL, kind text NOT NULL, begun bigint NOT NULL, flagged bigint NOT NULL,
  trial text NOT NULL, proven text, noise double precision NOT NULL DEFAULT 0, PRIMARY KEY (tool, clause))""",
    """CREATE TABLE witnesses (
  tool text NOT NULL, client text NOT NULL, hour bigint NOT NULL, results bigint NOT NULL, last bigint NOT NULL,
  PRIMARY KEY (tool, client, hour))""",
    "CREATE TABLE turns (id integer PRIMARY KEY CHECK (id = 0), turn bigint NOT NULL, disputed bigint NOT NULL)",
    "INSERT INTO turns VALUES (0, 0, 0)",
    """CREATE TABLE ways (
  way text PRIMARY KEY, stamp bigint NOT NULL, path text NOT NULL, kind text NOT NULL, first text NOT NULL,
  faults double precision NOT NULL, logs text NOT NULL, tasks text NOT NULL, broken bigint NOT NULL, kept bigint NOT NULL,
  changed integer NOT NULL, least double precision NOT NULL, bar double precision NOT NULL, over double precision NOT NULL,
  reported integer NOT NULL)""",
    """CREATE TABLE versions (
  number bigserial PRIMARY KEY, parent bigint, made double precision NOT NULL, by text NOT NULL, stage text NOT NULL,
  share double precision NOT NULL, body text NOT NULL, changes text NOT NULL, evidence text NOT NULL,
  accepted double precision, accepted_by text NOT NULL DEFAULT '', reason text NOT NULL DEFAULT '', withdrawn integer NOT NULL DEFAULT 0)""",
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
