"""Who may do what in a fleet's state, by PostgreSQL's own roles and rights: the database refuses, whatever a program asks.

    write     proxies and adapters: events, traces, and the evidence of trials
    read      status, reports, a console to look at
    review    read, and decide: mute, accept, wrong, missed
    learn     read and write, and put contracts into force

A role that is given a service sees and writes the events and traces of that service alone (row-level security).
"""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from psycopg import sql

from outcome_monitors.exceptions import StateError

if TYPE_CHECKING:
    from .connections import Connections, SharedConnection

_OWN_SERVICE = """
NOT EXISTS (SELECT FROM rights WHERE role = current_user AND service IS NOT NULL)
OR service IN (SELECT rights.service FROM rights WHERE role = current_user)"""
_OWN_DOCUMENT = """
name IN ('tools.json', 'given.json', 'private.json')
OR EXISTS (SELECT FROM rights WHERE role = current_user AND scope IN ('learn', 'review'))"""
RIGHTS_TABLES = (
    "CREATE TABLE rights (role text NOT NULL, scope text NOT NULL, service text)",
    "CREATE UNIQUE INDEX one_right ON rights (role, scope, coalesce(service, ''))",
    # Nobody learns who else there is.
    "ALTER TABLE rights ENABLE ROW LEVEL SECURITY",
    "CREATE POLICY own_right ON rights USING (role = current_user)",
    *(
        statement
        for table in ("events", "traces")
        for statement in (
            f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY",
            f"CREATE POLICY own_service ON {table} USING ({_OWN_SERVICE}) WITH CHECK ({_OWN_SERVICE})",
        )
    ),
    "ALTER TABLE documents ENABLE ROW LEVEL SECURITY",
    "CREATE POLICY all_documents ON documents FOR SELECT USING (true)",
    f"CREATE POLICY new_document ON documents FOR INSERT WITH CHECK ({_OWN_DOCUMENT})",
    f"CREATE POLICY own_document ON documents FOR UPDATE USING ({_OWN_DOCUMENT})",
)
"""The owner of the tables is above all of it."""

_EVIDENCE = ("trials", "progress", "shares", "clauses", "witnesses", "turns", "ways", "writers")
_ALL = ("events", "traces", "documents", "versions", "state", "rights", *_EVIDENCE)
_READ = dict.fromkeys(_ALL, "SELECT")
_WRITE = {
    **dict.fromkeys(("state", "rights", "versions"), "SELECT"),
    **dict.fromkeys(("events", "traces"), "SELECT, INSERT"),
    **dict.fromkeys(_EVIDENCE, "SELECT, INSERT, UPDATE, DELETE"),
    "documents": "SELECT, INSERT, UPDATE",
}
SCOPES: Mapping[str, Mapping[str, str]] = {
    "write": _WRITE,
    "read": _READ,
    "review": {**_READ, "documents": "SELECT, INSERT, UPDATE"},
    "learn": {
        **_WRITE,
        **dict.fromkeys(("events", "traces"), "SELECT, INSERT, DELETE"),
        "versions": "SELECT, INSERT, UPDATE, DELETE",
    },
}
"""What each scope may do with each table."""


def grant(state: "Connections", role: str, scope: str, service: str | None = None) -> None:
    """Give a role of the database a scope, for one service or for all."""
    if scope not in SCOPES:
        raise StateError(f"there is no scope {scope!r}: name one of {', '.join(SCOPES)}")
    with state.writing() as shared:
        _refuse_unknown(shared, role)
        for statement in _granted(SCOPES[scope]):
            shared.raw.execute(_named(statement, state.address.schema, role))
        shared.execute(
            "INSERT INTO rights (role, scope, service) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            (role, scope, service),
        )


def revoke(state: "Connections", role: str) -> None:
    """Take all rights in a fleet's state from a role."""
    with state.writing() as shared:
        _refuse_unknown(shared, role)
        for things in ("ALL TABLES IN SCHEMA", "ALL SEQUENCES IN SCHEMA", "SCHEMA"):
            shared.raw.execute(
                _named(f"REVOKE ALL ON {things} {{schema}} FROM {{role}}", state.address.schema, role)
            )
        shared.execute("DELETE FROM rights WHERE role = ?", (role,))


def _granted(tables: Mapping[str, str]) -> Iterator[str]:
    yield "GRANT USAGE ON SCHEMA {schema} TO {role}"
    yield "GRANT USAGE ON ALL SEQUENCES IN SCHEMA {schema} TO {role}"
    for table, what in tables.items():
        yield f"GRANT {what} ON {{schema}}.{table} TO {{role}}"


def _refuse_unknown(shared: "SharedConnection", role: str) -> None:
    if shared.execute("SELECT FROM pg_roles WHERE rolname = ?", (role,)).fetchone() is None:
        raise StateError(
            f"the database has no role {role!r}: an administrator makes it first (CREATE ROLE … LOGIN)"
        )


def _named(statement: str, schema: str, role: str) -> sql.Composed:
    return sql.SQL(statement).format(schema=sql.Identifier(schema), role=sql.Identifier(role))
