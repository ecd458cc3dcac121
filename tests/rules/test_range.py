"""`range`: what room is left beyond the extremes, and which extremes are taken for dirt."""

import itertools

from hypothesis import given, settings, strategies as st

from outcome_monitors.rules import KINDS, explain
from outcome_monitors.rules.config import CONFIG
from tests.rules.values import MANY, breaks, candidates, clause, of, passes, task

PRICES = [10 + number % 20 for number in range(MANY)]
CLAUSE = clause("range", {"low": 0, "high": 99.5, "room": "wide"})


def test_each_room_is_suggested_narrowest_first_and_holds_all_that_was_seen():
    found = [each.clause.params for each in candidates("range", of(*PRICES))]
    assert [params["room"] for params in found] == list(CONFIG.range_rooms)
    for inner, outer in itertools.pairwise(found):
        assert outer["low"] <= inner["low"]
        assert inner["high"] < outer["high"]
    assert found[0]["low"] <= min(PRICES)
    assert max(PRICES) < found[0]["high"]


def test_the_bounds_are_within_and_what_is_no_number_is_not_judged():
    assert passes(CLAUSE, 0, 99.5, None, "100", True, [100], {"x": 100})


def test_too_few_tasks_or_values_suggest_nothing():
    assert not candidates("range", of(*range(CONFIG.range_tasks_vast - 1)))
    assert candidates("range", of(*range(CONFIG.range_tasks_vast)))
    assert not candidates("range", of(*[v % (CONFIG.range_values - 1) for v in range(MANY)]))


def rooms(found, path="x"):
    return [each.clause.params["room"] for each in candidates("range", found, path)]


def test_few_tasks_leave_vast_room():
    assert rooms(of(*range(CONFIG.range_tasks - 1))) == ["vast"]
    assert rooms(of(*range(CONFIG.range_tasks))) == list(CONFIG.range_rooms)
    [found] = candidates("range", of(*range(10, 10 + CONFIG.range_tasks_vast)))
    assert passes(found.clause, 0, 13, 300)
    assert breaks(found.clause, -1, 1000)


def test_one_odd_task_in_many_is_dirt():
    clean, dirty = candidates("range", of(*PRICES)), candidates("range", of(*PRICES, 10**9))
    assert [each.clause.params for each in dirty] == [each.clause.params for each in clean]
    assert [each.fired for each in clean] == [{}] * len(CONFIG.range_rooms)
    assert [each.fired for each in dirty] == [{task(MANY): 1}] * len(CONFIG.range_rooms)


@given(st.lists(st.floats() | st.integers(), min_size=CONFIG.range_tasks, max_size=CONFIG.range_tasks + 4))
@settings(max_examples=100, deadline=None)
def test_of_few_tasks_every_finite_number_is_within(numbers):
    found = candidates("range", of(*numbers))
    assert bool(found) == (len({n for n in numbers if abs(n) <= 1e300}) > 1)
    for each in found:
        KINDS["range"].validate(each.clause.params, "here")
        assert explain(each.clause)
        assert passes(each.clause, *(number for number in numbers if abs(number) < 1e300))
