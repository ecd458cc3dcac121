"""Events of many writers in one PostgreSQL: each arrives once, in order, whatever it holds and whatever breaks meanwhile."""

import threading
import time
from functools import partial
from typing import Any

import pytest

from outcome_monitors.events.event import Event, Payload
from outcome_monitors.storage.address import StateAddress
from outcome_monitors.storage.labels import Labels
from outcome_monitors_server.storage import writers as shared_store
from outcome_monitors_server.storage.postgres import Postgres
from outcome_monitors_server.storage.writers import SharedStore


@pytest.fixture
def state(lonely_fleet, monkeypatch) -> Postgres:
    monkeypatch.setattr(shared_store, "GATHER", 0.01)
    return Postgres(StateAddress.read(lonely_fleet))


def event(number: int, **more: object) -> Event:
    fields: dict[str, object] = {
        "time": 1e9 + number,
        "session": f"s{number % 7}",
        "tool": "get_order",
        "outcome": "clean",
        "advised": False,
        "duration": 1e-5,
    }
    return Event(**{**fields, **more})  # type: ignore[arg-type]


def rows(state: Postgres, columns: str) -> list[tuple[Any, ...]]:
    with state.reading() as shared:
        return list(shared.execute(f"SELECT {columns} FROM events ORDER BY id"))


def test_events_of_many_writers_arrive_once_with_their_labels(state):
    def write(name: str) -> None:
        store = SharedStore(state, Labels(agent=name))
        for number in range(300):
            store.put(event(number))
        store.close()
        assert store.lost == 0

    threads = [threading.Thread(target=write, args=(f"a{number}",)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = rows(state, "agent, time")
    for name in ("a0", "a1", "a2", "a3"):
        assert [time for agent, time in found if agent == name] == [1e9 + number for number in range(300)]


def test_a_connection_that_is_ended_costs_no_event_and_doubles_none(state):
    store = SharedStore(state)
    for number in range(400):
        store.put(event(number))
        if number % 100 == 50:
            with state.writing() as shared:
                shared.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = current_user"
                    " AND pid <> pg_backend_pid()"
                )
    store.close()
    assert store.lost == 0
    assert [time for (time,) in rows(state, "time")] == [1e9 + number for number in range(400)]


@pytest.mark.parametrize(
    "more",
    [
        {"tool": "a\x00b"},
        {"session": "\ud800"},
        {"why": "\x00" * 10, "outcome": "not_checked"},
        {"time": float("nan")},
        {"duration": float("inf")},
        {"payload": Payload("\x00", "\udfff")},
        {"tool": 10**30},
    ],
)
def test_what_has_no_form_is_kept_in_another_beside_the_rest(state, more):
    store = SharedStore(state)
    for found in (event(1), event(2, **more), event(3)):
        store.put(found)
    store.close()
    assert store.lost == 0
    assert len(rows(state, "tool")) == 3


def _clock(ahead: float) -> float:
    return time.time() + ahead


def test_events_of_a_host_whose_clock_is_wrong_have_the_time_of_the_database(fleet, monkeypatch):
    monkeypatch.setattr(shared_store, "GATHER", 0.01)
    for ahead in (3600.0, -3600.0, 1.0):
        state = Postgres(StateAddress.read(fleet), clock=partial(_clock, ahead))
        store = SharedStore(state)
        store.put(event(0, time=time.time() + ahead))
        store.close()
    assert [abs(when - time.time()) < 60 for (when,) in rows(state, "time")] == [True] * 3
