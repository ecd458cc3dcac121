"""What has become usual in a fleet: evidence of several hosts adds up."""

from contextlib import closing, contextmanager

import pytest

from outcome_monitors.alerting.alert_policy import AlertPolicy
from outcome_monitors.storage.address import StateAddress
from outcome_monitors_server.storage.counts import SharedChanges
from outcome_monitors_server.storage.postgres import Postgres, SharedConnection
from tests.alerting.test_change_store import GONE, see


class Host:
    """A policy, and what carries its counts to the fleet."""

    def __init__(self, state: Postgres, copy):
        self.state, self.shared = state, SharedChanges(copy)
        self.policy = AlertPolicy(state=self.shared.table)

    def sees(self, *tasks, result=None) -> bool:
        """See results; say whether the last was told."""
        told = [see(self.policy, task, result).told for task in tasks]
        self.policy.save()
        return bool(told and told[-1])

    def exchanges(self) -> None:
        with connected(self.state) as shared:
            self.shared.exchange(shared)
        self.policy.save()

    @property
    def broken(self) -> int:
        return max(novelty.test.violated for novelty in self.policy.changes.signatures.values())


@contextmanager
def connected(state):
    with closing(state.connect()) as connection:
        connection.autocommit = True
        yield SharedConnection(connection)


@pytest.fixture
def state(fleet):
    state = Postgres(StateAddress.read(fleet))
    with state.writing():
        pass
    return state


@pytest.fixture
def hosts(state, tmp_path):
    return [Host(state, tmp_path / name) for name in "abc"]


def in_step(*hosts):
    for _ in range(2):
        for host in hosts:
            host.exchanges()


def test_a_change_that_each_host_sees_once_is_a_change_for_all(hosts):
    for number, host in enumerate(hosts):
        assert host.sees(f"task-{number}")
    in_step(*hosts)
    assert [host.broken for host in hosts] == [3, 3, 3]
    assert not hosts[0].sees("one more")
    in_step(*hosts)
    assert not hosts[1].sees("another")


def test_a_change_that_is_over_on_one_host_is_over(hosts, state):
    hosts[0].sees(*(f"task-{number}" for number in range(6)))
    in_step(*hosts)
    assert not hosts[1].sees("task-7")
    in_step(*hosts)
    hosts[0].sees(*(f"later-{number}" for number in range(100)), result={**GONE, "status": "sent"})
    in_step(*hosts)
    with state.reading() as shared:
        assert shared.execute("SELECT sum(changed) FROM ways").fetchone() == (0,)
    assert hosts[1].sees("back again")
