"""A fleet's state in a real PostgreSQL: made once, refused where it is a later release's, and never waited for without end."""

import socket
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from outcome_monitors.exceptions import StateError
from outcome_monitors.storage.address import StateAddress
from outcome_monitors.storage.layout import CONTRACTS
from outcome_monitors_server.storage import connections as module
from outcome_monitors_server.storage.documents import changing, put
from outcome_monitors_server.storage.postgres import Postgres
from outcome_monitors_server.storage.schema import VERSION

HOSTILE = [
    '"; DROP SCHEMA outcome_monitors; --',
    "a' OR '1'='1",
    "%s %(x)s ?",
    "public",
    "../../x",
    "ÄÖ🎛" * 20,
    "pg_catalog",
]


@pytest.fixture
def state(fleet) -> Postgres:
    return Postgres(StateAddress.read(fleet))


def test_what_is_not_there_is_said_and_then_made_once(state):
    with pytest.raises(StateError, match="there is no state at"), state.reading():
        pass
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: _touch(state), range(8)))
    with state.reading() as shared:
        assert shared.execute("SELECT version FROM state").fetchall() == [(VERSION,)]
        assert shared.execute("SELECT count(*) FROM progress").fetchone() == (1,)


def _touch(state: Postgres) -> None:
    with state.writing():
        pass


def test_a_later_release_is_refused_by_readers_and_writers(state):
    with state.writing() as shared:
        shared.execute("UPDATE state SET version = ?", (VERSION + 1,))
    for opened in (state.reading, state.writing):
        with pytest.raises(StateError, match="pip install -U outcome-monitors"), opened():
            pass


@pytest.mark.parametrize("name", HOSTILE)
def test_a_fleet_of_any_name_meets_no_other(postgres_server, name):
    own, other = (Postgres(StateAddress(postgres_server, fleet)) for fleet in (name, f"{name} "))
    for state in (own, other):
        with changing(state, CONTRACTS) as shared:
            put(shared, CONTRACTS, state.address.fleet)
    with own.reading() as shared:
        assert shared.execute("SELECT body FROM documents").fetchall() == [(name,)]


def test_a_server_that_hangs_is_given_up(monkeypatch):
    monkeypatch.setattr(module, "CONNECTING", 2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        state = Postgres(StateAddress.read(f"postgresql://127.0.0.1:{silent.getsockname()[1]}/shop"))
        with pytest.raises(StateError, match="timeout"), state.reading():
            pass


def test_of_several_who_change_a_document_each_sees_the_others_change(state):
    _touch(state)
    start = threading.Barrier(6)

    def count(_: int) -> None:
        start.wait()
        with changing(state, CONTRACTS) as shared:
            row = shared.execute("SELECT body FROM documents WHERE name = ?", (CONTRACTS,)).fetchone()
            put(shared, CONTRACTS, str(int(row[0]) + 1 if row else 1))

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(count, range(6)))
    with state.reading() as shared:
        assert shared.execute("SELECT body, version FROM documents").fetchall() == [("6", 6)]
