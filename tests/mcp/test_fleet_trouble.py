"""A fleet's database that is a later release's, hangs or is away: no reply is lost or waits, and what is lost is counted."""

import json
from contextlib import contextmanager
from uuid import uuid4

import pytest

from outcome_monitors.mcp import JsonRpcSession
from outcome_monitors.mcp.settings import ProxySettings
from outcome_monitors.storage.address import StateAddress
from outcome_monitors_server.storage import replica
from outcome_monitors_server.storage.postgres import Postgres
from tests.events.shop import contracts as shop_contracts
from tests.forwarding import through
from tests.mcp.fleets import asked, until
from tests.mcp.wire import BAD, GOOD, answer, call, line

CALLS = 30


def made(fleet: str) -> Postgres:
    state = Postgres(StateAddress.read(fleet))
    with state.writing():
        pass
    return state


def unreachable(_fleet):
    return "postgresql://bob:hunter2@127.0.0.1:1/shop"


def of_a_later_release(fleet):
    with made(fleet).writing() as shared:
        shared.execute("UPDATE state SET version = version + 1")
    return fleet


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (unreachable, "127.0.0.1"),
        (of_a_later_release, "pip install -U outcome-monitors"),
    ],
)
def test_a_proxy_serves_whatever_its_database_is_like(fleet, tmp_path, caplog, monkeypatch, kind, said):
    monkeypatch.setattr(replica, "POLL", 0.2)
    shop_contracts().save(tmp_path / "given.json")
    with talking(kind(fleet), str(tmp_path / "given.json")) as (ask, desk):
        for number in range(CALLS):
            heard = ask(number, BAD if number % 3 == 0 else GOOD)
            assert len(heard["result"]["content"]) == 1 + (number % 3 == 0), "what was given is checked"
    assert desk.watch.sink.lost == desk.recorder.lost == CALLS
    assert said in caplog.text
    assert "hunter2" not in caplog.text


@contextmanager
def talking(address, given=None, **options):
    """A proxy's desk in this process, and a conversation at it."""
    with ProxySettings(learn=address, contracts=given, timeout=0.0, **options).context() as desk:
        dialogue = JsonRpcSession(desk, uuid4().hex)

        def ask(number, result=GOOD):
            dialogue.from_client(line(call(number)))
            return json.loads(dialogue.from_server(line(answer(number, result))))

        yield ask, desk


def counted(fleet, table):
    return len(asked(fleet, f"SELECT id FROM {table}"))


def test_a_database_that_is_away_for_a_while_misses_nothing(fleet):
    made(fleet)
    with through(fleet) as (address, way), talking(address) as (ask, desk):
        for number in range(CALLS):
            if number == 10:
                until(lambda: counted(fleet, "events") == 10)
                way.cut()
            if number == 20:
                way.passes()
            assert ask(number)["id"] == number
        until(lambda: counted(fleet, "events") == CALLS)
        until(lambda: counted(fleet, "traces") == CALLS)
        until(lambda: asked(fleet, "SELECT recorded FROM progress") == [(CALLS,)])
        assert desk.watch.sink.lost == desk.recorder.lost == 0


def test_a_database_that_hangs_holds_up_no_reply(fleet):
    made(fleet)
    with through(fleet) as (address, way), talking(address) as (ask, desk):
        way.hangs()
        for number in range(CALLS):
            assert ask(number)["id"] == number
        way.passes()
        until(lambda: counted(fleet, "events") == CALLS)
    assert desk.watch.sink.lost == desk.recorder.lost == 0
