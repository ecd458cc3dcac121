"""`range`: what room is left beyond the extremes, and which extremes are taken for dirt."""

import itertools
import math

import pytest
from hypothesis import given, settings, strategies as st

from outcome_monitors.exceptions import ContractError
from outcome_monitors.rules import KINDS, explain
from outcome_monitors.rules.base.support import NOISE_FROM_TASKS
from outcome_monitors.rules.range import LEAST_TASKS, LEAST_TASKS_VAST, LEAST_VALUES, MOST_NOISY, ROOMS
from tests.rules.values import MANY, breaks, candidates, clause, evidence, flags, of, passes, task

PRICES = [10 + number % 20 for number in range(MANY)]
CLAUSE = clause("range", {"low": 0, "high": 99.5, "room": "wide"})


def test_each_room_is_suggested_narrowest_first_and_holds_all_that_was_seen():
    found = [each.clause.params for each in candidates("range", of(*PRICES))]
    assert [params["room"] for params in found] == list(ROOMS)
    for inner, outer in itertools.pairwise(found):
        assert outer["low"] <= inner["low"]
        assert inner["high"] < outer["high"]
    assert found[0]["low"] <= min(PRICES)
    assert max(PRICES) < found[0]["high"]


@pytest.mark.parametrize(("sign", "bound", "limit"), [(1, "low", 0), (-1, "high", 0)])
def test_what_was_never_below_or_above_zero_stays_so(sign, bound, limit):
    found = candidates("range", of(*(sign * price for price in PRICES)))
    assert found
    for each in found:
        assert sign * each.clause.params[bound] >= limit


def test_a_number_far_outside_is_flagged_with_both_bounds():
    assert flags(CLAUSE, {"x": 100}) == [
        ("out_of_range", "x", "0 to 99.5", 100, "field x is far outside the range of clean results")
    ]
    assert explain(CLAUSE) == "x is from 0 to 99.5"


@pytest.mark.parametrize("odd", [math.inf, -math.inf, math.nan, -0.01, 10**400])
def test_what_is_not_between_the_bounds_is_flagged(odd):
    assert breaks(CLAUSE, odd)


def test_the_bounds_are_within_and_what_is_no_number_is_not_judged():
    assert passes(CLAUSE, 0, 99.5, None, "100", True, [100], {"x": 100})


def test_too_few_tasks_or_values_suggest_nothing():
    assert not candidates("range", of(*range(LEAST_TASKS_VAST - 1)))
    assert candidates("range", of(*range(LEAST_TASKS_VAST)))
    assert not candidates("range", of(*[v % (LEAST_VALUES - 1) for v in range(MANY)]))


def rooms(found, path="x"):
    return [each.clause.params["room"] for each in candidates("range", found, path)]


def test_few_tasks_leave_vast_room():
    assert rooms(of(*range(LEAST_TASKS - 1))) == ["vast"]
    assert rooms(of(*range(LEAST_TASKS))) == list(ROOMS)
    [found] = candidates("range", of(*range(10, 10 + LEAST_TASKS_VAST)))
    assert passes(found.clause, 0, 13, 300)
    assert breaks(found.clause, -1, 1000)


def test_an_id_may_be_any_number():
    def ids(tasks):
        return evidence(*({"order_id": 4000 + number} for number in range(tasks)))

    assert rooms(ids(LEAST_TASKS - 1), "order_id") == []
    assert rooms(ids(MANY), "order_id") == []


def test_one_odd_task_in_many_is_dirt():
    clean, dirty = candidates("range", of(*PRICES)), candidates("range", of(*PRICES, 10**9))
    assert [each.clause.params for each in dirty] == [each.clause.params for each in clean]
    assert [each.fired for each in clean] == [{}] * len(ROOMS)
    assert [each.fired for each in dirty] == [{task(MANY): 1}] * len(ROOMS)


def test_one_odd_task_in_few_is_admitted_and_named():
    few = PRICES[:LEAST_TASKS]
    assert len(few) < NOISE_FROM_TASKS
    for each in candidates("range", of(*few, 10**9)):
        assert each.clause.params["high"] > 10**9
        assert each.fired == {task(LEAST_TASKS): 1}


def test_an_extreme_that_two_tasks_brought_is_admitted():
    found = candidates("range", of(*PRICES, 10**9, 10**9))
    assert found
    for each in found:
        assert each.clause.params["high"] > 10**9
        assert each.fired == {}


def test_dirt_in_more_than_a_few_tasks_is_no_dirt():
    odd = [10 ** (9 + 6 * number) for number in range(MOST_NOISY + 1)]
    found = candidates("range", of(*PRICES, *odd))
    assert found
    for each in found:
        assert odd[0] < each.clause.params["high"] < odd[1]
        assert each.fired == {task(MANY + number): 1 for number in range(MOST_NOISY + 1)}


def test_fires_names_the_tasks_of_other_evidence_that_are_outside():
    other = of(5, 100, 7, -1, 100)
    assert KINDS["range"].fires(CLAUSE, other) == {task(1): 1, task(3): 1, task(4): 1}
    assert KINDS["range"].fires(CLAUSE, of("text")) == {}
    assert KINDS["range"].fires(clause("range", CLAUSE.params, "elsewhere"), other) == {}


@pytest.mark.parametrize("odd", [10**400, 1.7e308, math.inf, math.nan])
def test_numbers_that_leave_no_room_are_left_out(odd):
    assert [each.clause.params for each in candidates("range", of(*PRICES, odd, odd, -odd, -odd))] == [
        each.clause.params for each in candidates("range", of(*PRICES))
    ]


@given(st.lists(st.floats() | st.integers(), min_size=LEAST_TASKS, max_size=LEAST_TASKS + 4))
@settings(max_examples=100, deadline=None)
def test_of_few_tasks_every_finite_number_is_within(numbers):
    found = candidates("range", of(*numbers))
    assert bool(found) == (len({n for n in numbers if abs(n) <= 1e300}) > 1)
    for each in found:
        KINDS["range"].validate(each.clause.params, "here")
        assert explain(each.clause)
        assert passes(each.clause, *(number for number in numbers if abs(number) < 1e300))


@pytest.mark.parametrize(
    "params",
    [
        {"low": 0, "high": 1},
        {"low": 0, "high": 1, "room": "roomy"},
        {"low": 0, "high": 1, "room": ["wide"]},
        {"low": "0", "high": 1, "room": "wide"},
        {"low": 0, "high": math.inf, "room": "wide"},
        {"low": math.nan, "high": 1, "room": "wide"},
        {"low": 0, "high": 10**400, "room": "wide"},
        {"low": False, "high": 1, "room": "wide"},
        {"low": 0, "high": 1, "room": "wide", "step": 1},
    ],
)
def test_wrong_parameters_are_refused(params):
    with pytest.raises(ContractError, match="kind 'range'"):
        KINDS["range"].validate(params, "contracts.json: tool 't', clause 0")
