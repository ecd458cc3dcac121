"""Changes on disk: they survive, add up over processes, and a file of another version is left alone."""

import logging
import multiprocessing
import sqlite3
from contextlib import closing

from outcome_monitors.alerting.alert_policy import AlertPolicy
from outcome_monitors.alerting.change_store import CHANGES_FILE
from outcome_monitors.checking.monitor import Monitor
from outcome_monitors.contracts.registry import Registry
from outcome_monitors.model import Clause, Contract

REGISTRY = Registry(
    {"get_order": Contract("get_order", (Clause("required", "status", {}, 200, 60, "traces"),))},
    profile="full",
)
GONE = {"order_id": "W1", "total": 3.0, "items": [{"price": 3.0}]}


def see(policy, task, result=None):
    session = Monitor(REGISTRY).session(task)
    return session.judge("get_order", {}, result or GONE, policies=[policy])


def last_alerts(folder, tasks):
    """See results of some tasks with a policy of its own; say whether the last one was told."""
    policy = AlertPolicy(state=folder)
    told = [see(policy, task).told for task in tasks]
    policy.save()
    return told[-1]


def test_a_change_survives_a_restart_and_is_reported_once(tmp_path):
    first = AlertPolicy(state=tmp_path)
    for task in range(6):
        see(first, f"task-{task}")
    assert len(first.changes.report()) == 1
    first.save()
    second = AlertPolicy(state=tmp_path)
    assert see(second, "another").untold == "a change"
    assert second.changes.report() == []


def test_evidence_adds_up_over_processes(tmp_path):
    context = multiprocessing.get_context("spawn")
    others = [context.Process(target=last_alerts, args=(tmp_path, [f"task-{number}"])) for number in range(3)]
    for process in others:
        process.start()
    for process in others:
        process.join(60)
    assert [process.exitcode for process in others] == [0, 0, 0]
    with closing(sqlite3.connect(tmp_path / CHANGES_FILE)) as file:
        assert file.execute("SELECT max(broken) FROM ways").fetchone() == (3,)
    assert not last_alerts(tmp_path, ["one more"])


def test_a_change_that_is_over_here_is_over_in_the_file(tmp_path):
    policy = AlertPolicy(state=tmp_path)
    for number in range(6):
        see(policy, f"task-{number}")
    policy.save()
    for number in range(80):
        see(policy, f"later-{number}", {**GONE, "status": "sent"})
    policy.save()
    assert last_alerts(tmp_path, ["back again"])


def test_a_file_of_another_version_is_left_alone(tmp_path, caplog):
    with closing(sqlite3.connect(tmp_path / CHANGES_FILE)) as file:
        file.execute("PRAGMA user_version = 99")
    before = (tmp_path / CHANGES_FILE).read_bytes()
    with caplog.at_level(logging.WARNING, logger="outcome_monitors"):
        assert last_alerts(tmp_path, ["a", "b", "c", "d"]) is False
    assert caplog.text.count("is of version 99") == 1
    assert (tmp_path / CHANGES_FILE).read_bytes() == before
