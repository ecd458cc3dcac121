"""`memory`, the kind: which fields are said again in clean sessions."""

import pytest

from outcome_monitors import Call, Monitor, mine
from outcome_monitors._learned import Learned
from outcome_monitors._seen import look
from outcome_monitors.rules import KINDS, explain
from outcome_monitors.rules.memory import LEAST_CALLS, MOST_BROKEN

MANY = int(1 / MOST_BROKEN) + 20


def order(number, **changes):
    return {"order_id": f"W{number}", "status": "open", "total": number + 0.5, **changes}


def run(number, *steps):
    """Return the calls of one session about one order; a step is a tool and what changes."""
    return [
        Call(tool, {"order_id": f"W{number}"}, order(number, **changes), task=f"t{number}", session=f"s{number}")
        for tool, changes in steps
    ]


def suggested(sessions, tool="get_order"):
    learned = Learned()
    for session in sessions:
        for call in session:
            learned.add(look(call))
    found = [c for part in learned._parts for c in KINDS["memory"].suggest(part[tool]) if tool in part]
    return {(c.clause.path, c.clause.params["key"], c.clause.params["field"]) for c in found}


TWICE = [run(n, ("get_order", {}), ("get_order", {})) for n in range(40)]


def test_what_is_said_again_is_suggested_for_each_identity():
    found = suggested(TWICE)
    assert {("", "@", ".status"), ("", ".order_id", ".status"), ("", ".order_id", ".total")} <= found
    assert ("", ".order_id", ".order_id") not in found


def test_what_changes_between_two_reads_is_not():
    sessions = [run(n, ("get_order", {}), ("get_order", {"status": "shut"})) for n in range(40)]
    assert {field for _, _, field in suggested(sessions)} == {".order_id", ".total"}


def test_what_changes_after_a_write_is_no_change():
    steps = (("get_order", {}), ("get_order", {}), ("cancel_order", {"status": "shut"}), ("get_order", {"status": "shut"}))
    assert ("", ".order_id", ".status") in suggested([run(n, *steps) for n in range(40)])


def test_calls_without_a_session_show_nothing():
    assert suggested([[Call(c.tool, c.arguments, c.result, task=c.task) for c in calls] for calls in TWICE]) == set()


def test_few_calls_or_one_task_show_nothing():
    assert suggested(TWICE[:1]) == set()
    one_task = [[Call(c.tool, c.arguments, c.result, "t", c.session) for c in calls] for calls in TWICE]
    assert suggested(one_task) == set()
    assert LEAST_CALLS > 1


def test_one_odd_task_does_not_hide_the_rule():
    learned = Learned()
    sessions = [run(n, ("get_order", {}), ("get_order", {})) for n in range(4 * MANY)]
    sessions.append(run(9999, ("get_order", {}), ("get_order", {"total": -1})))
    for session in sessions:
        for call in session:
            learned.add(look(call))
    found = [c for part in learned._parts for c in KINDS["memory"].suggest(part["get_order"])]
    odd = [c for c in found if c.clause.params == {"key": ".order_id", "field": ".total"} and c.fired]
    assert [sum(candidate.fired.values()) for candidate in odd] == [1]


def test_a_result_by_itself_is_never_held_against_it():
    clauses = [c for c in mine([c for s in TWICE for c in s], "full").contracts["get_order"].clauses if c.kind == "memory"]
    assert clauses
    for clause in clauses:
        assert list(KINDS["memory"].check(clause, {}, order(3, status="other"))) == []
        assert list(KINDS["memory"].check(clause, {}, None)) == []


def test_it_is_mined_end_to_end_and_flags_in_a_session():
    session = Monitor(mine([call for calls in TWICE for call in calls], "full")).session()
    assert session.check("get_order", {"order_id": "W7"}, order(7)) == ()
    (broken,) = [
        v
        for v in session.check("get_order", {"order_id": "W7"}, order(7, total=8.5))
        if v.code == "remembered_fact_contradicted"
    ][:1]
    assert (broken.path, broken.expected, broken.observed) == ("total", 7.5, 8.5)


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("@", "within a session, the same arguments comes with the same status"),
        (".order_id", "within a session, the same order_id comes with the same status"),
        ("$", "within a session, the same key comes with the same status"),
    ],
)
def test_it_has_words(key, text):
    clause = mine([call for calls in TWICE for call in calls], "full").contracts["get_order"].clauses[0]
    kind = KINDS["memory"]
    kind.validate({"key": key, "field": ".status"}, "here")
    assert explain(type(clause)("memory", "", {"key": key, "field": ".status"}, 1, 1, "traces")) == text
