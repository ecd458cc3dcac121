"""`same_form`: after some right results of a tool, one of another form stands out in the session."""

import copy
import json

import pytest
from hypothesis import given, settings, strategies as st

from outcome_monitors import Monitor, mine, read_traces
from outcome_monitors.checking.first_results import MIN_CALLS, FirstResults
from tests.strategies import json_values

STATUSES = ("pending", "shipped", "delivered")


def order(number):
    return {
        "order_id": f"W{number}",
        "status": STATUSES[number % 3],
        "total": 12.5 + number,
        "placed": f"2026-03-0{1 + number % 9}",
        "items": [{"sku": f"S{number}{row}", "name": f"part {row}"} for row in range(2 + number % 2)],
    }


def without(name):
    return {key: value for key, value in order(20).items() if key != name}


def session(calls=MIN_CALLS):
    running = Monitor().session()
    for number in range(calls):
        assert running.check("get_order", {"order_id": f"W{number}"}, order(number)) == ()
    return running


@pytest.mark.parametrize(
    ("result", "path"),
    [
        ("<!doctype html><html><body><form>Sign in</form></body></html>", ""),
        ("", ""),
        (None, ""),
        ([order(20)], ""),
        ({}, ""),
        ({"data": {"order": order(20)}}, ""),
        (dict.fromkeys(order(20)), ""),
        ({**order(20), "total": "32.50 EUR"}, "total"),
        ({**order(20), "placed": 1767225600}, "placed"),
        ({**order(20), "status": "We could not find out what became of it."}, "status"),
        ({**order(20), "items": [{"sku": "a"}, {"sku": "b"}]}, "items[0].name"),
    ],
)
def test_a_result_of_another_form_is_flagged_once_the_form_is_known(result, path):
    arguments = {"order_id": "W20"}
    flagged = session().check("get_order", arguments, result)
    assert ("form_changed", path) in {(one.code, one.path) for one in flagged}
    early = session(MIN_CALLS - 1).check("get_order", arguments, result)
    assert "form_changed" not in {one.code for one in early}


@pytest.mark.parametrize(
    "result",
    [
        {**order(20), "status": "lost"},
        {**order(20), "total": 7},
        {**order(20), "note": "new"},
        {**order(20), "placed": None},
        without("status"),
        "No orders match this number.",
    ],
)
def test_what_may_well_be_right_is_not_flagged(result):
    assert session().check("get_order", {"order_id": "W20"}, result) == ()


def test_the_same_question_again_is_no_further_witness():
    running = Monitor().session()
    for _ in range(3 * MIN_CALLS):
        assert running.check("get_order", {"order_id": "W1"}, order(1)) == ()
    assert running.check("get_order", {"order_id": "W1"}, [order(1)]) == ()


def test_a_form_that_stays_is_the_new_form():
    running = session()
    flagged = [
        bool(running.check("get_order", {"order_id": f"W{n}"}, {**order(n), "total": f"{n} EUR"}))
        for n in range(20, 40)
    ]
    assert all(flagged[:MIN_CALLS])
    assert not any(flagged[MIN_CALLS:])


def test_a_contract_that_knows_the_form_from_more_results_decides(tmp_path):
    traces = tmp_path / "traces.jsonl"
    with traces.open("w") as file:
        for number in range(60):
            result = {**order(number), "total": None} if number % 2 else {**order(number), "total": "free"}
            line = {"tool": "get_order", "arguments": {"order_id": f"W{number}"}, "result": result}
            file.write(json.dumps({**line, "task": f"t{number}"}) + "\n")
    running = Monitor(mine(read_traces([traces]), "full")).session()
    for number in range(0, 2 * MIN_CALLS + 2, 2):
        assert (
            running.check("get_order", {"order_id": f"W{number}"}, {**order(number), "total": "free"}) == ()
        )
    assert running.check("get_order", {"order_id": "W1"}, {**order(1), "total": None}) == ()


@given(st.lists(st.tuples(st.sampled_from("ab"), json_values), max_size=30))
@settings(deadline=None, max_examples=100)
def test_nothing_is_raised_or_changed_and_the_same_is_said_again(calls):
    one, other, before = FirstResults(), FirstResults(), repr(calls)
    for number, (tool, result) in enumerate(calls):
        found = one.check(tool, {"n": number}, result)
        assert repr(other.check(tool, {"n": number}, copy.deepcopy(result))) == repr(found)
        for forms in (one, other):
            forms.learn(tool, {"n": number}, result)
        for violation in found:
            json.dumps(violation.to_json(), allow_nan=False)
    assert repr(calls) == before
