"""What a check gives: checked or why not, what is violated, what the agent is alerted of or why not, the receipt; it fails open."""

import logging
import threading

import pytest
from hypothesis import given, strategies as st

from outcome_monitors import Clause, Contract, Counts, Monitor, Registry, Relations, Watch
from outcome_monitors.alerting.policy import AlertDecision, alert_never
from outcome_monitors.checking.failures import quiet
from outcome_monitors.receipts.encoders import ENCODERS
from tests.events.shop import Kept
from tests.strategies import arguments, json_values

POSITIVE = Clause("positive", "total", {}, 9, 9, "traces")
LISTED = Clause("domain", "status", {"values": ["open", "shut"]}, 9, 9, "traces")
AGAIN = Clause("memory", "", {"key": ".order_id", "field": ".status"}, 9, 9, "traces")
ASKED_AGAIN = Clause("memory", "", {"key": "@", "field": ".status"}, 9, 9, "traces")
# Parameters that no file could carry: loading would have refused them.
UNUSABLE = Clause("domain", "status", {}, 9, 9, "traces")
ASKED = {"order_id": "W1"}


def order(**changes):
    return {"order_id": "W1", "status": "open", "total": 5, **changes}


def monitor(*clauses, **named):
    return Monitor(
        Registry({"get_order": Contract("get_order", clauses or (POSITIVE, LISTED, AGAIN))}), **named
    )


@pytest.mark.parametrize("which", [0, 1], ids=["monitor", "session"])
def test_a_clean_result_is_checked_and_comes_back_as_the_same_object(which):
    watched, result = (monitor(), monitor().session())[which], order()
    outcome = watched.judge("get_order", ASKED, result)
    assert (outcome.tool, outcome.verdict, outcome.checked, outcome.why) == ("get_order", "clean", True, "")
    assert (outcome.broken, outcome.violations, outcome.failures) == ((), (), ())
    assert (outcome.told, outcome.untold, outcome.receipt) == (False, "nothing broken", None)
    assert outcome.seconds > 0
    assert watched.advise("get_order", ASKED, result) is result


@pytest.mark.parametrize("which", [0, 1], ids=["monitor", "session"])
def test_check_judge_and_advise_agree_on_a_flagged_result(which):
    known = monitor(relations=Relations.declared({"get_order": ["find_order", "hidden"]}))
    bad = order(total=-5, status="lost")
    tools = ["get_order", "find_order"]
    outcome = (known, known.session())[which].judge("get_order", ASKED, bad, tools)
    assert [clause for clause, _ in outcome.broken] == [POSITIVE, LISTED]
    assert outcome.violations == known.check("get_order", ASKED, bad)
    assert outcome.proven == outcome.broken
    assert (outcome.verdict, outcome.checked, outcome.told, outcome.untold) == ("flagged", True, True, "")
    advised = known.advise("get_order", ASKED, bad, tools)
    assert advised == {"tool_result": bad, "outcome_contract": outcome.receipt}
    assert advised["tool_result"] is bad
    assert outcome.recovery == ("get_order", "find_order")
    assert outcome.receipt["admissible_recovery_tools"] == ["get_order", "find_order"]


def test_a_clause_that_fails_is_named_logged_and_counted_and_the_rest_goes_on(caplog):
    with caplog.at_level(logging.ERROR, logger="outcome_monitors"):
        outcome = monitor(UNUSABLE).judge("get_order", ASKED, order())
    assert (outcome.checked, outcome.why, outcome.verdict) == (False, "failed inside", "failed")
    assert outcome.failures == (
        "a clause of kind 'domain' at 'status' could not be checked: KeyError('values')",
    )
    assert outcome.failures[0] in caplog.text
    known = monitor(UNUSABLE, POSITIVE)
    both = known.judge("get_order", ASKED, order(total=-1))
    assert (both.verdict, both.checked, both.told, known.counts.failed) == ("flagged", False, True, 1)


def test_a_session_that_fails_inside_says_so_and_does_not_raise(caplog):
    class Odd(dict[str, object]):
        def items(self):
            raise RuntimeError("no")

    known = monitor(ASKED_AGAIN)
    with caplog.at_level(logging.ERROR, logger="outcome_monitors"):
        outcome = known.session().judge("get_order", Odd(a=1), order())
    assert (outcome.why, outcome.verdict, known.counts.failed) == ("failed inside", "failed", 1)
    assert outcome.failures == (
        "a result of 'get_order' could not be held against its session: RuntimeError('no')",
    )


def test_a_receipt_that_cannot_be_written_leaves_the_result_alone(monkeypatch, caplog):
    def fails(_finding):
        raise RuntimeError("no")

    monkeypatch.setitem(ENCODERS, "v2", fails)
    known, bad = monitor(), order(total=-5)
    with caplog.at_level(logging.ERROR, logger="outcome_monitors"):
        outcome = known.judge("get_order", ASKED, bad)
        assert known.session().advise("get_order", ASKED, bad) is bad
    assert (outcome.verdict, outcome.told, outcome.untold) == ("flagged", False, "no receipt")
    assert known.counts == Counts(checked=2, flagged=2, failed=2)
    assert "the receipt for a result of 'get_order' failed" in caplog.text


class OnlyTheList:
    def observe_pass(self, tool, _context):
        raise AssertionError(f"{tool} violated something")

    def __call__(self, detection, context):
        return AlertDecision(tuple(one for one in detection.broken if one.clause is LISTED))


def test_a_policy_decides_what_the_agent_is_alerted_of():
    session = monitor().session()
    bad = order(total=-5, status="lost")
    some = session.judge("get_order", ASKED, bad, policies=[OnlyTheList()])
    assert (len(some.broken), [clause for clause, _ in some.proven]) == (2, [LISTED])
    assert some.receipt["violation"]["property"] == "unseen_category"
    none = session.judge("get_order", ASKED, bad, policies=alert_never)
    assert (none.told, none.untold, none.recovery) == (False, "nobody asked", ())
    assert none.proven == none.broken == some.broken


def test_a_session_uses_the_monitor_that_it_has_now():
    session = monitor().session()
    assert session.judge("get_order", ASKED, order()).verdict == "clean"
    session.monitor = monitor(AGAIN)
    assert session.judge("get_order", ASKED, order(status="shut")).verdict == "flagged"
    session.monitor = Monitor(Registry())
    assert session.judge("get_order", ASKED, order(status="lost")).verdict == "not_covered"


def test_one_clause_gives_one_violation_however_many_rows_violate_it():
    clause = Clause("positive", "[].n", {}, 1, 1, "traces")
    (violation,) = monitor(clause).check("get_order", {}, [{"n": 1}, {"n": -1}, {"n": 0}])
    assert violation.path == "[1].n"
    assert violation.detail.endswith("(and 1 more)")


TOOLS = st.sampled_from(["get_order", "cancel_order", "other"])
RESULTS = st.builds(order, status=st.sampled_from(["open", "shut", "lost"]), total=st.integers(-1, 5))


@given(st.lists(st.tuples(TOOLS, arguments, RESULTS | json_values), max_size=6))
def test_counts_follow_from_outcomes_and_all_forms_of_a_check_agree(steps):
    clauses = (POSITIVE, LISTED, AGAIN, UNUSABLE)
    known = [monitor(*clauses) for _ in range(3)]
    checking, judging, advising = (each.session() for each in known)
    added = Counts()
    with quiet():
        for tool, asked, result in steps:
            outcome = judging.judge(tool, asked, result, ["get_order"])
            added.add(outcome)
            assert checking.check(tool, asked, result) == outcome.violations
            given_back = advising.advise(tool, asked, result, ["get_order"])
            if outcome.told:
                assert given_back["outcome_contract"] == outcome.receipt
                assert given_back["tool_result"] is result
            else:
                assert given_back is result
    assert [each.counts for each in known] == [added] * 3


def test_outcomes_of_many_threads_do_not_mix():
    contracts = {
        tool: Contract(tool, (clause,)) for tool, clause in {"fails": UNUSABLE, "works": POSITIVE}.items()
    }
    watch = Watch(Monitor(Registry(contracts)), Kept())
    verdicts = {}

    def work(number):
        conversation, tool = watch.conversation(str(number)), ("works", "fails")[number % 2]
        verdicts[number] = {conversation.look(tool, {}, order()).verdict for _ in range(100)}

    with quiet():
        threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert verdicts == {number: {("clean", "failed")[number % 2]} for number in range(8)}
    assert (watch.monitor.counts.checked, watch.monitor.counts.failed) == (800, 400)
