"""Rights in a fleet's state: the database refuses what a role may not do, and shows a tenant its own rows alone."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest

from outcome_monitors import Registry
from outcome_monitors.events.event import Event
from outcome_monitors.exceptions import StateError
from outcome_monitors.storage.address import StateAddress
from outcome_monitors.storage.labels import Labels
from outcome_monitors.storage.layout import CONTRACTS, OVERRIDES, TOOLS
from outcome_monitors_server.storage import events as shared_store
from outcome_monitors_server.storage.documents import changing, put
from outcome_monitors_server.storage.events import SharedStore
from outcome_monitors_server.storage.postgres import Postgres
from outcome_monitors_server.storage.rights import SCOPES, grant, revoke
from outcome_monitors_server.versions import versions
from outcome_monitors_server.versions.versions import publish

HOSTILE = ["shop'; DROP TABLE events; --", 'a" OR 1=1', "ÄÖ 🎛\\%"]


@pytest.fixture
def owner(fleet, monkeypatch) -> Postgres:
    monkeypatch.setattr(shared_store, "GATHER", 0.01)
    state = Postgres(StateAddress.read(fleet))
    with state.writing():
        pass
    return state


@pytest.fixture
def roles(owner) -> Iterator[list[str]]:
    """The names of roles of the test's own, hostile too."""
    names = [f'r{uuid4().hex[:8]}"; --', f"r{uuid4().hex[:8]}"]
    with owner.connect() as connection:
        for name in names:
            connection.execute(_quoted("CREATE ROLE {} LOGIN", name))
    yield names
    with owner.connect() as connection:
        for name in names:
            connection.execute(_quoted("DROP OWNED BY {}", name))
            connection.execute(_quoted("DROP ROLE {}", name))


def _quoted(statement: str, name: str) -> Any:
    sql = pytest.importorskip("psycopg").sql
    return sql.SQL(statement).format(sql.Identifier(name))


class As(Postgres):
    """The state, as a role sees it."""

    def __init__(self, owner: Postgres, role: str) -> None:
        super().__init__(owner.address)
        self.role = role

    def connect(self):
        connection = super().connect()
        connection.execute("SELECT set_config('role', %s, false)", (self.role,))
        connection.commit()
        return connection


def write(state: Postgres, service: str, number: int = 3) -> int:
    store = SharedStore(state, Labels(service=service))
    for _ in range(number):
        store.put(Event(1e9, None, "get_order", "clean"))
    store._background.close(1.0)
    return store.lost


def services(state: Postgres) -> list[str]:
    with state.reading() as shared:
        return sorted({str(service) for (service,) in shared.execute("SELECT service FROM events")})


def test_who_has_no_right_is_told_so_in_a_sentence(owner, roles):
    with (
        pytest.raises(StateError, match="no right to the state at .* `outcome-monitors state grant`"),
        As(owner, roles[0]).reading() as shared,
    ):
        shared.execute("SELECT * FROM events")


@pytest.mark.parametrize("name", HOSTILE)
def test_a_tenant_sees_and_writes_its_own_rows_alone(owner, roles, name):
    for role, service in zip(roles, (name, f"{name} "), strict=True):
        grant(owner, role, "write", service)
        assert write(As(owner, role), service) == 0
    for role, service in zip(roles, (name, f"{name} "), strict=True):
        assert services(As(owner, role)) == [service]
    assert services(owner) == sorted((name, f"{name} "))
    assert write(As(owner, roles[0]), f"{name} ", 1) == 1
    with owner.reading() as shared:
        assert shared.execute("SELECT count(*) FROM events").fetchone() == (6,)


def test_who_writes_may_not_decide_and_who_reads_may_not_write(owner, roles):
    writer, reader = roles
    grant(owner, writer, "write")
    grant(owner, reader, "read")
    _put(As(owner, writer), TOOLS)
    for name in (CONTRACTS, OVERRIDES):
        with pytest.raises(StateError, match="row-level security"):
            _put(As(owner, writer), name)
    with pytest.raises(StateError, match="permission denied"):
        _put(As(owner, reader), TOOLS)
    assert write(As(owner, reader), "", 1) == 1
    with As(owner, reader).reading() as shared:
        assert shared.execute("SELECT name FROM documents").fetchall() == [(TOOLS,)]


def test_who_learns_keeps_so_many_versions_and_no_more(owner, roles, monkeypatch):
    monkeypatch.setattr(versions, "MOST_KEPT", 2)
    grant(owner, roles[0], "learn")
    home = As(owner, roles[0])
    for number in range(4):
        body = Registry({}, f"{number}").dumps()
        with home.versions(change=True) as table:
            publish(table, body, by="learn", evidence={})
    with home.versions() as table:
        assert [one.number for one in versions.versions(table)] == [4, 3]


def test_a_right_that_is_taken_is_gone(owner, roles):
    grant(owner, roles[0], "learn")
    _put(As(owner, roles[0]), CONTRACTS)
    revoke(owner, roles[0])
    with pytest.raises(StateError):
        _put(As(owner, roles[0]), CONTRACTS)


def test_a_role_or_a_scope_that_is_none_is_refused(owner):
    with pytest.raises(StateError, match="no role"):
        grant(owner, "nobody'--", "read")
    with pytest.raises(StateError, match="name one of write, read, review, learn"):
        grant(owner, "postgres", "all")
    assert {*SCOPES} == {"write", "read", "review", "learn"}


def _put(state: Postgres, name: str) -> None:
    with changing(state, name) as shared:
        put(shared, name, "{}")


def test_contracts_and_decisions_for_some_labels_need_the_same_rights(owner, roles):
    reviewer, writer = roles
    grant(owner, reviewer, "review")
    grant(owner, writer, "write")
    name = f"{OVERRIDES}?service=shop"
    with changing(As(owner, reviewer), name) as shared:
        put(shared, name, "{}")
    for document in (name, f"{CONTRACTS}?service=shop", f"{TOOLS}?service=shop"):
        with (
            pytest.raises(StateError, match="row-level security|permission denied"),
            changing(As(owner, writer), document) as shared,
        ):
            put(shared, document, "{}")
    revoke(owner, reviewer)
    grant(owner, reviewer, "learn")
    labelled = As(Postgres(replace(owner.address, labels=Labels(service="shop"))), reviewer)
    with labelled.versions(change=True) as table:
        one, new = publish(
            table,
            Registry().dumps(),
            by="a",
            evidence={"labels": {"service": "shop"}},
        )
    assert (one.labels, one.stage, new) == (Labels(service="shop"), "all", True)
