"""Recorded calls before a monitor: each in its own session, in order, and boundedly many sessions open."""

from outcome_monitors import Call, Clause, Contract, Monitor, Registry
from outcome_monitors.alerting.policy import alert_always
from outcome_monitors.checking import replay as replay_module
from outcome_monitors.checking.replay import Replay, outcomes

AGAIN = Clause("memory", "", {"key": ".order_id", "field": ".status"}, 9, 9, "traces")
REGISTRY = Registry({"get_order": Contract("get_order", (AGAIN,))})


def call(status="open", session: str | None = "a", tool="get_order", **named):
    return Call(tool, {}, {"order_id": "W1", "status": status}, session=session, **named)


def verdicts(*calls):
    return [outcome.verdict for _, outcome in outcomes(calls, REGISTRY)]


def test_sessions_may_be_interleaved_and_do_not_mix():
    calls = [call(), call("shut", "b"), call(), call("shut", "b"), call("shut"), call("open", "b")]
    assert verdicts(*calls) == ["clean"] * 4 + ["flagged"] * 2


def test_a_call_without_a_session_is_one_by_itself():
    assert verdicts(call(session=None), call("shut", session=None)) == ["clean", "clean"]


def test_what_failed_openly_or_has_no_contract_is_skipped_in_its_session():
    assert verdicts(call(), call("shut", error=True), call("shut")) == ["clean", "not_checked", "flagged"]
    assert verdicts(call(), call(tool="refund_order"), call("shut")) == ["clean", "not_covered", "clean"]
    failed = Replay(Monitor(REGISTRY)).judge(call(error=True))
    assert (failed.why, failed.checked) == ("an open failure", False)


def test_each_monitor_has_sessions_of_its_own():
    one, two = Monitor(REGISTRY), Monitor(REGISTRY)
    replay = Replay(lambda made: one if made.task == "one" else two)
    assert replay.judge(call(task="one")).verdict == "clean"
    assert replay.judge(call("shut", task="two")).verdict == "clean"
    assert replay.judge(call("shut", task="one")).verdict == "flagged"
    assert (one.counts.checked, two.counts.checked) == (2, 1)


def test_nobody_is_told_unless_asked():
    replay = Replay(Monitor(REGISTRY))
    replay.judge(call())
    assert replay.judge(call("shut")).untold == "nobody asked"
    told = replay.judge(call("lost", tools=("get_order",)), alert_always)
    assert told.receipt["violation"]["property"] == "remembered_fact_contradicted"


def test_the_session_not_heard_of_for_longest_is_closed(monkeypatch):
    monkeypatch.setattr(replay_module, "OPEN_SESSIONS", 2)
    calls = [call(session="a"), call(session="b"), call(session="a"), call(session="c")]
    # The third session closes b, since a was heard of later: b has forgotten, a has not.
    assert verdicts(*calls, call("shut", "a"), call("shut", "b")) == ["clean"] * 4 + ["flagged", "clean"]
