"""One run of an agent, in order."""

import doctest
import json

import pytest
from hypothesis import given, settings, strategies as st

from outcome_monitors import Clause, Contract, Monitor, Registry
from outcome_monitors.recovery.effects import Effect
from outcome_monitors.recovery.relations import Relations
from tests.places import DOCS
from tests.strategies import json_values


def remembers(key, field, path=""):
    return Clause("memory", path, {"key": key, "field": field}, 9, 9, "traces")


CLAUSES = (
    Clause("positive", "total", {}, 9, 9, "traces"),
    remembers(".order_id", ".status"),
    remembers(".order_id", ".total"),
    remembers("@", "#items"),
    remembers("@", "=items"),
)
ROWS = (remembers(".order_id", ".status", "orders[]"),)
REGISTRY = Registry(
    {
        "get_order": Contract("get_order", CLAUSES),
        "list_orders": Contract("list_orders", ROWS),
        "cancel_order": Contract("cancel_order", CLAUSES[:3]),
    }
)
ASKED = {"order_id": "W1"}


def order(**changes):
    return {"order_id": "W1", "status": "open", "total": 5, "items": [1], **changes}


@pytest.fixture
def session():
    return Monitor(REGISTRY).session()


def codes(found):
    return [violation.code for violation in found]


def test_a_contradicted_field_is_flagged(session):
    assert session.check("get_order", ASKED, order()) == ()
    [found] = session.check("get_order", ASKED, order(status="shut"))
    assert found.to_json() == {
        "code": "remembered_fact_contradicted",
        "path": "status",
        "expected": "open",
        "observed": "shut",
        "detail": "status is not what this session heard before for the same order_id",
    }


def test_of_one_record_and_identity_one_field_is_named(session):
    session.check("get_order", ASKED, order())
    found = session.check("get_order", ASKED, order(status="shut", total=9, items=[1, 2]))
    assert [(v.path, v.expected, v.observed) for v in found] == [("status", "open", "shut"), ("items", 1, 2)]
    assert (
        found[1].detail == "the number of items is not what this session heard before for the same arguments"
    )


def test_tools_share_what_they_say_of_an_order(session):
    session.check("list_orders", {}, {"orders": [order(), order(order_id="W2")]})
    (broken,) = session.check("get_order", ASKED, order(status="shut"))
    assert broken.path == "status"
    session.check("get_order", {"order_id": "W2"}, order(order_id="W2"))
    (broken,) = session.check("list_orders", {"page": 2}, {"orders": [order(order_id="W2", status="shut")]})
    assert broken.path == "orders[0].status"


def test_a_write_forgets(session):
    session.check("get_order", ASKED, order())
    session.check("cancel_order", ASKED, order(status="cancelled"))
    assert session.check("get_order", ASKED, order(status="cancelled")) == ()
    # What the write itself said counts from then on.
    assert codes(session.check("get_order", ASKED, order())) == ["remembered_fact_contradicted"]


def test_a_write_that_is_not_checked_forgets_too(session):
    session.check("get_order", ASKED, order())
    session.skip("find_order")
    assert session.check("get_order", ASKED, order(status="shut"), remember=False)
    session.skip("refund_order")
    assert session.check("get_order", ASKED, order(status="shut")) == ()


def test_results_of_a_tool_without_a_contract_are_remembered(session):
    session.check("find_order", {}, order())
    assert session.check("get_order", ASKED, order(status="shut"))


def test_a_flagged_result_is_not_remembered(session):
    assert codes(session.check("get_order", ASKED, order(total=-5))) == ["nonpositive_value"]
    assert session.check("get_order", ASKED, order(total=5)) == ()
    assert session.check("get_order", ASKED, order(total=6))
    assert session.check("get_order", ASKED, order(total=5)) == ()


def test_without_remember_no_trace_is_left(session):
    assert session.check("get_order", ASKED, order(), remember=False) == ()
    assert session.check("get_order", ASKED, order(status="shut")) == ()
    assert session.check("get_order", ASKED, order(), remember=False)
    assert session.check("cancel_order", ASKED, order(status="cancelled"), remember=False) == ()
    assert session.check("get_order", ASKED, order(status="shut")) == ()


def test_sessions_do_not_mix_and_neither_does_the_monitor():
    monitor = Monitor(REGISTRY)
    first, second = monitor.session(), monitor.session()
    assert first.check("get_order", ASKED, order()) == ()
    assert second.check("get_order", ASKED, order(status="shut")) == ()
    assert first.check("get_order", ASKED, order()) == ()
    assert second.check("get_order", ASKED, order(status="shut")) == ()
    assert monitor.check("get_order", ASKED, order(status="lost")) == ()
    assert first.check("get_order", ASKED, order(status="shut"))


def test_advice_names_the_contradiction(session):
    good = order()
    assert session.advise("get_order", ASKED, good) is good
    bad = order(total=6)
    seen = session.advise("get_order", ASKED, bad, tools=["get_order"])
    assert seen["tool_result"] is bad
    assert seen["outcome_contract"]["violation"] == {
        "tool": "get_order",
        "property": "remembered_fact_contradicted",
        "path": "total",
        "expected": 5,
        "observed": 6,
    }


def offered(session, asked, result):
    """Return the tools that the receipt for a result names."""
    return session.advise("get_order", asked, result)["outcome_contract"]["admissible_recovery_tools"]


def test_a_tool_that_was_flagged_for_the_same_twice_running_is_not_offered_again(session):
    assert offered(session, ASKED, order(total=-1)) == ["get_order"]
    assert offered(session, ASKED, order(total=-2)) == []
    session.check("get_order", ASKED, order())
    assert offered(session, ASKED, order(total=-3)) == ["get_order"]


def test_a_tool_that_was_flagged_for_something_else_is_worth_another_try(session):
    session.check("get_order", ASKED, order())
    assert codes(session.check("get_order", ASKED, order(status="shut"))) == ["remembered_fact_contradicted"]
    assert offered(session, {"order_id": "W2"}, order(order_id="W2", total=-1)) == ["get_order"]


FRESH = (
    Clause("distinct_per_query", "", {"field": "="}, 9, 9, "traces"),
    Clause("distinct_per_query", "", {"field": ".order_id"}, 9, 9, "traces"),
    *(
        Clause("changes_after_write", "", {"after": tool}, 9, 9, "traces")
        for tool in ("cancel_order", "pay_order")
    ),
)
TOOLS = ("get_order", "list_orders", "cancel_order", "pay_order")
EVERY = Registry({tool: Contract(tool, (*CLAUSES, *FRESH)) for tool in TOOLS})
some_orders = st.builds(
    order, order_id=st.sampled_from(["W1", "W2", 10**5000]), status=st.sampled_from(["open", "shut"])
)


@given(
    steps=st.lists(
        st.tuples(
            st.sampled_from(TOOLS),
            st.sampled_from([{}, {"order_id": "W1234"}, {"order_id": "W4321"}, {"n": 10**5000}]),
            some_orders | json_values,
        ),
        max_size=8,
    )
)
@settings(max_examples=150, deadline=None)
def test_a_second_look_says_what_the_first_does_and_each_identity_is_named_once(steps):
    monitor = Monitor(EVERY)
    session = monitor.session()
    for tool, asked, result in steps:
        looked = session.check(tool, asked, result, remember=False)
        assert session.check(tool, asked, result) == looked
        repeated = [v for v in looked if v.code == "answer_repeated"]
        assert len(repeated) <= 1
        json.dumps([violation.to_json() for violation in looked], allow_nan=False)
    assert monitor.counts.failed == 0


def test_the_page_gives_what_it_says():
    done = doctest.testfile(str(DOCS / "guides" / "sessions.md"), module_relative=False, encoding="utf-8")
    assert done.attempted > 5
    assert done.failed == 0


@pytest.mark.parametrize(
    ("tool", "annotated", "flagged"),
    [
        ("lookup_and_charge", None, False),
        ("lookup_price", None, True),
        ("lookup_price", Effect(writes=True, idempotent=None, source="annotation"), False),
        ("frob", None, False),
        ("frob", Effect(writes=False, idempotent=True, source="annotation"), True),
    ],
)
@pytest.mark.parametrize("checked", [True, False])
def test_what_is_known_of_a_tool_says_whether_memory_holds_across_it(tool, annotated, flagged, checked):
    relations = Relations(effects={} if annotated is None else {tool: annotated})
    session = Monitor(REGISTRY, relations).session()
    session.check("get_order", ASKED, order())
    if checked:
        session.check(tool, ASKED, {})
    else:
        session.skip(tool)
    found = session.check("get_order", ASKED, order(status="shut"))
    assert codes(found) == ["remembered_fact_contradicted"] * flagged


def test_a_read_that_is_declared_to_write_may_answer_a_question_twice_alike():
    fresh = Clause("distinct_per_query", "", {"key": "?", "field": ".ticket_id"}, 9, 9, "traces")
    writes = Relations(effects={"get_ticket": Effect(writes=True, idempotent=None, source="annotation")})
    for relations in (None, writes):
        registry = Registry({"get_ticket": Contract("get_ticket", (fresh,))})
        session = Monitor(registry, relations).session()
        assert session.check("get_ticket", {"user": "ada"}, {"ticket_id": "T-1"}) == ()
        assert session.check("get_ticket", {"user": "ada"}, {"ticket_id": "T-1"}) == ()
        assert codes(session.check("get_ticket", {"user": "eve"}, {"ticket_id": "T-1"})) != []


@pytest.mark.parametrize(
    ("result", "rest"),
    [
        ({"items": [1], "has_more": True}, None),
        ({"items": [1], "next_cursor": "n"}, {"q": "a", "cursor": "n"}),
        ({"items": [1, 2], "total": 9}, None),
        ("one\ntwo\n[truncated: 4000 more characters]", None),
    ],
)
def test_a_cut_result_offers_the_argument_that_gets_the_rest(result, rest):
    for listing in (None, "published"):
        monitor = Monitor(None, Relations(paging={"find": ["cursor", "limit"]}), listing=listing)
        outcome = monitor.session().judge("find", {"q": "a"}, result)
        assert outcome.verdict == "not_covered"
        assert not outcome.told
        assert outcome.receipt["status"] == "incomplete"
        assert outcome.receipt["rest"]["arguments"] == rest
        assert outcome.recovery == ("find",)


@pytest.mark.parametrize(
    ("takes", "said", "rest"),
    [
        (["limit", "page"], {"current_page": 2, "has_more": True}, {"q": "a", "page": 3}),
        (["page"], {"has_more": True}, None),
        (["limit", "offset"], {"total": 40}, {"q": "a", "offset": 5}),
        (["limit"], {"total": 40}, None),
    ],
)
def test_the_next_page_is_asked_for_by_what_the_result_says_of_this_one(takes, said, rest):
    monitor = Monitor(None, Relations(paging={"find": takes}))
    outcome = monitor.session().judge("find", {"q": "a"}, {"items": [1] * 5, **said})
    assert outcome.receipt["rest"]["arguments"] == rest


@pytest.mark.parametrize(
    ("paging", "arguments", "result"),
    [
        ({}, {}, {"items": [1], "has_more": True}),
        ({"find": ["limit"]}, {"limit": 1}, {"items": [1], "has_more": True}),
        ({"find": ["limit"]}, {}, {"items": [1], "has_more": False}),
        ({"find": ["limit"]}, {}, "the log was truncated by an operator in 1999, as we all know"),
    ],
)
def test_nothing_is_offered_for_a_whole_result_a_part_that_was_asked_for_or_without_an_argument(
    paging, arguments, result
):
    monitor = Monitor(None, Relations(paging=paging))
    assert monitor.session().judge("find", arguments, result).receipt is None
