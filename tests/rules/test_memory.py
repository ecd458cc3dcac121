"""`memory`, the kind: which fields are said again in clean sessions."""

from outcome_monitors import Call, Monitor, mine
from outcome_monitors.rules.config import CONFIG
from tests.rules.sessions import run, suggested


def order(number, **changes):
    return {"order_id": f"W{number}", "status": "open", "total": number + 0.5, **changes}


def orders(number, *steps):
    """Return the calls of one session about one order; a step is a tool and what changes."""
    asked = {"order_id": f"W{number}"}
    return run(number, *((tool, asked, order(number, **changes)) for tool, changes in steps))


def remembered(sessions):
    found = (candidate.clause for candidate in suggested("memory", sessions, "get_order"))
    return {(clause.path, clause.params["key"], clause.params["field"]) for clause in found}


TWICE = [orders(n, ("get_order", {}), ("get_order", {})) for n in range(40)]


def test_what_is_said_again_is_suggested_for_each_identity():
    found = remembered(TWICE)
    assert {("", "@", ".status"), ("", ".order_id", ".status"), ("", ".order_id", ".total")} <= found
    assert ("", ".order_id", ".order_id") not in found


def test_what_changes_between_two_reads_is_not():
    sessions = [orders(n, ("get_order", {}), ("get_order", {"status": "shut"})) for n in range(40)]
    assert {field for _, _, field in remembered(sessions)} == {".order_id", ".total"}


def test_what_changes_after_a_write_is_no_change():
    steps: tuple[tuple[str, dict[str, str]], ...] = (
        ("get_order", {}),
        ("get_order", {}),
        ("cancel_order", {"status": "shut"}),
        ("get_order", {"status": "shut"}),
    )
    assert ("", ".order_id", ".status") in remembered([orders(n, *steps) for n in range(40)])


def test_few_calls_or_one_task_show_nothing():
    assert remembered(TWICE[:1]) == set()
    one_task = [[Call(c.tool, c.arguments, c.result, "t", c.session) for c in calls] for calls in TWICE]
    assert remembered(one_task) == set()
    assert CONFIG.session_calls > 1


def test_it_is_mined_end_to_end_and_flags_in_a_session():
    session = Monitor(mine([call for calls in TWICE for call in calls], "full")).session()
    assert session.check("get_order", {"order_id": "W7"}, order(7)) == ()
    (broken,) = [
        v
        for v in session.check("get_order", {"order_id": "W7"}, order(7, total=8.5))
        if v.code == "remembered_fact_contradicted"
    ][:1]
    assert (broken.path, broken.expected, broken.observed) == ("total", 7.5, 8.5)
