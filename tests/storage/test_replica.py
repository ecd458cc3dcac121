"""Following a fleet: what is decided is found, and errands are done again until they are done."""

import logging
from contextlib import contextmanager

import pytest

from outcome_monitors.storage.address import StateAddress
from outcome_monitors.storage.layout import OVERRIDES
from outcome_monitors_server.storage import replica as module
from outcome_monitors_server.storage.documents import changing, put
from outcome_monitors_server.storage.postgres import Postgres
from outcome_monitors_server.storage.replica import Replica
from tests.mcp.fleets import through, until


@pytest.fixture
def state(fleet):
    return Postgres(StateAddress.read(fleet))


class Counting(Postgres):
    """Counts how often it is asked for a connection."""

    tries = 0

    def connect(self):
        self.tries += 1
        return super().connect()


@contextmanager
def following(state, folder, *errands):
    replica = Replica(state, folder, errands)
    replica.start(within=10)
    try:
        yield replica
    finally:
        replica.close()


def decide(state, body):
    with changing(state, OVERRIDES) as shared:
        put(shared, OVERRIDES, body)


def says(folder, body):
    file = folder / OVERRIDES
    return lambda: file.exists() and file.read_text() == body


def test_what_is_decided_is_found(state, tmp_path):
    with following(state, tmp_path):
        decide(state, "one")
        until(says(tmp_path, "one"))


def test_a_cut_is_said_once_and_so_is_the_return(fleet, tmp_path, monkeypatch, caplog):
    monkeypatch.setattr(module, "POLL", 0.05)
    monkeypatch.setattr(module, "LONGEST_PAUSE", 0.05)
    with through(fleet) as (address, way), caplog.at_level(logging.WARNING):
        state = Counting(StateAddress.read(address))
        with following(state, tmp_path) as replica:
            decide(state, "one")
            until(says(tmp_path, "one"))
            way.cut()
            until(lambda: replica.trouble)
            before = state.tries
            until(lambda: state.tries > before + 3)
            assert says(tmp_path, "one")(), "the copy stays"
            way.passes()
            decide(state, "two")
            until(says(tmp_path, "two"))
            until(lambda: not replica.trouble)
    assert caplog.text.count("results are served by it") == 1
    assert caplog.text.count("is there again") == 1


def test_an_errand_that_fails_is_said_once_and_does_not_keep_others_from_theirs(
    state, tmp_path, monkeypatch, caplog
):
    monkeypatch.setattr(module, "POLL", 0.02)
    rounds = []

    def fails(shared):
        shared.execute("SELECT 1 / 0")

    with following(state, tmp_path, fails, lambda _: rounds.append(1)):
        until(lambda: len(rounds) > 3)
    assert caplog.text.count("division by zero") == 1
