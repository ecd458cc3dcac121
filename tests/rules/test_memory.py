"""`memory`, the kind: which fields are said again in clean sessions."""

from outcome_monitors import Call, Monitor, mine
from outcome_monitors.features.walk import look
from outcome_monitors.mining.full import FullObservations
from outcome_monitors.rules import KINDS
from outcome_monitors.rules.config import CONFIG
from outcome_monitors.rules.evidence.evidence import Evidence


def order(number, **changes):
    return {"order_id": f"W{number}", "status": "open", "total": number + 0.5, **changes}


def run(number, *steps):
    """Return the calls of one session about one order; a step is a tool and what changes."""
    return [
        Call(
            tool,
            {"order_id": f"W{number}"},
            order(number, **changes),
            task=f"t{number}",
            session=f"s{number}",
        )
        for tool, changes in steps
    ]


def candidates(sessions, tool="get_order"):
    """Return what all parts of the evidence suggest together."""
    learned = FullObservations()
    for session in sessions:
        for call in session:
            learned.add(look(call))
    whole = Evidence()
    for part in learned.parts:
        if tool in part:
            whole.merge(part[tool])
    return list(KINDS["memory"].suggest(whole))


def suggested(sessions):
    found = (candidate.clause for candidate in candidates(sessions))
    return {(clause.path, clause.params["key"], clause.params["field"]) for clause in found}


TWICE = [run(n, ("get_order", {}), ("get_order", {})) for n in range(40)]


def test_what_is_said_again_is_suggested_for_each_identity():
    found = suggested(TWICE)
    assert {("", "@", ".status"), ("", ".order_id", ".status"), ("", ".order_id", ".total")} <= found
    assert ("", ".order_id", ".order_id") not in found


def test_what_changes_between_two_reads_is_not():
    sessions = [run(n, ("get_order", {}), ("get_order", {"status": "shut"})) for n in range(40)]
    assert {field for _, _, field in suggested(sessions)} == {".order_id", ".total"}


def test_what_changes_after_a_write_is_no_change():
    steps: tuple[tuple[str, dict[str, str]], ...] = (
        ("get_order", {}),
        ("get_order", {}),
        ("cancel_order", {"status": "shut"}),
        ("get_order", {"status": "shut"}),
    )
    assert ("", ".order_id", ".status") in suggested([run(n, *steps) for n in range(40)])


def test_few_calls_or_one_task_show_nothing():
    assert suggested(TWICE[:1]) == set()
    one_task = [[Call(c.tool, c.arguments, c.result, "t", c.session) for c in calls] for calls in TWICE]
    assert suggested(one_task) == set()
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
