"""Rights in a fleet's state: the database refuses what a role may not do, and shows a tenant its own rows alone."""

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest

from outcome_monitors.events.event import Event
from outcome_monitors.exceptions import StateError
from outcome_monitors.storage.address import StateAddress
from outcome_monitors.storage.labels import Labels
from outcome_monitors.storage.layout import CONTRACTS, OVERRIDES, TOOLS
from outcome_monitors_server.storage import writers as shared_store
from outcome_monitors_server.storage.postgres import Postgres
from outcome_monitors_server.storage.rights import SCOPES, grant, revoke
from outcome_monitors_server.storage.writers import SharedStore

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
    state.put(name, "{}")
