"""Recorded calls before a monitor: each in its own session, in order, and boundedly many sessions open."""

import pytest

from outcome_monitors import Call, Clause, Contract, Monitor, Registry
from outcome_monitors.alerting.policy import alert_always
from outcome_monitors.checking import replay as replay_module
from outcome_monitors.checking.replay import Replay, outcomes

AGAIN = Clause("memory", "", {"key": ".order_id", "field": ".status"}, 9, 9, "traces")
REGISTRY = Registry({"get_order": Contract("get_order", (AGAIN,))})


def call(status="open", session: str | None = "a", tool="get_order", **named):
    return Call(tool, {}, {"order_id": "W1", "status": status}, session=session, **named)


@pytest.mark.parametrize(
    ("calls", "verdicts"),
    [
        (
            [call(), call("shut", "b"), call(), call("shut", "b"), call("shut"), call("open", "b")],
            ["clean"] * 4 + ["flagged"] * 2,
        ),
        ([call(session=None), call("shut", session=None)], ["clean", "clean"]),
        ([call(), call("shut", error=True), call("shut")], ["clean", "not_checked", "flagged"]),
        ([call(), call(tool="refund_order"), call("shut")], ["clean", "not_covered", "clean"]),
    ],
    ids=["interleaved", "without a session", "an open failure", "a write without a contract"],
)
def test_each_call_is_checked_in_its_own_session(calls, verdicts):
    assert [outcome.verdict for _, outcome in outcomes(calls, REGISTRY)] == verdicts


def test_nobody_is_alerted_unless_a_policy_says_so():
    replay = Replay(Monitor(REGISTRY))
    replay.judge(call())
    assert replay.judge(call("shut")).untold == "nobody asked"
    alerted = replay.judge(call("lost", tools=("get_order",)), alert_always)
    assert alerted.receipt["violation"]["property"] == "remembered_fact_contradicted"


def test_the_session_used_least_recently_is_closed_first(monkeypatch):
    monkeypatch.setattr(replay_module, "OPEN_SESSIONS", 2)
    opened = [call(session="a"), call(session="b"), call(session="a"), call(session="c")]
    verdicts = [o.verdict for _, o in outcomes([*opened, call("shut", "a"), call("shut", "b")], REGISTRY)]
    assert verdicts[4:] == ["flagged", "clean"]
