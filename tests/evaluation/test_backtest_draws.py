"""One run: which results are wrong in a draw, and what is counted."""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from outcome_monitors import Call, mine
from outcome_monitors.evaluation.backtest import AS_THEY_ARE, Traffic, draw_faults, replay_draw
from outcome_monitors.evaluation.backtest_figures import BacktestCounts
from outcome_monitors.evaluation.cases import Case, make_cases
from outcome_monitors.evaluation.faults import NOT_APPLICABLE
from outcome_monitors.features.walk import task_name
from tests.evaluation.shop import fault, order
from tests.evaluation.weeks import first_week, second_week

GONE = fault("gone", lambda _: None)
NEGATIVE = fault("negative", lambda subject: {**subject.call.result, "total": -5.0})
FIRST_TEN = fault(
    "first_ten", lambda subject: {} if int(subject.call.arguments["id"][1:]) < 10 else NOT_APPLICABLE
)


def cases(tasks: int = 200) -> list[Case]:
    return make_cases([order(number) for number in range(tasks)], [GONE, FIRST_TEN], 1, 0)


def test_so_many_results_are_wrong_and_each_kind_is_as_likely():
    drawn = [draw_faults(cases(), draw) for draw in range(1, 40)]
    assert {len(wrong) for wrong in drawn} == {6}
    kinds = Counter(corrupted.fault for wrong in drawn for corrupted in wrong.values())
    # One suits all calls, the other ten of them.
    assert 0.4 < kinds["first_ten"] / kinds.total() < 0.6


@given(st.integers(1, 1000))
def test_a_draw_is_always_the_same_and_of_results_that_suit(draw: int):
    given = cases(60)
    wrong = draw_faults(given, draw)
    assert wrong == draw_faults(given, draw)
    assert all(corrupted in given[place].corrupted for place, corrupted in wrong.items())


def test_draws_differ():
    assert len({tuple(draw_faults(cases(), draw)) for draw in range(1, 10)}) == 9


def test_where_no_fault_suits_none_is_drawn():
    assert draw_faults([Case(order(1), "t", 0, ())], 1) == {}
    assert draw_faults([], 1) == {}


def test_what_suits_fewer_than_three_results_is_not_drawn():
    assert draw_faults(make_cases([order(1), order(2)], [GONE], 1, 0), 1) == {}


@pytest.fixture(scope="module")
def traffic() -> Traffic:
    failed = replace(order(7), error=True, result="no such order")
    later = [failed, *second_week()]
    made = iter(make_cases(second_week(), [NEGATIVE], 1, 0))
    given = [Case(call, task_name(call), 0, ()) if call.error else next(made) for call in later]
    return Traffic(given, mine(first_week()), 0.01)


def test_as_they_are_a_field_more_is_flagged_and_told_no_more_than_at_first(traffic: Traffic):
    tally = replay_draw(traffic, AS_THEY_ARE)
    assert (tally.right["get_order"], tally.flagged["get_order"]) == (40, 40)
    assert (tally.told.total(), tally.late) == (0, Counter({False: 20}))
    assert tally.untold["a change"] > 20
    assert (tally.made.total(), tally.weighed_wrong.total()) == (0, 0)
    assert any(sentence.startswith("gift of get_order ") for sentence in tally.changes)
    assert set(tally.changes.values()) == {1}


def test_a_wrong_result_among_changed_ones_is_told(traffic: Traffic):
    tally = replay_draw(traffic, 1)
    assert (tally.made["negative"], tally.right["get_order"]) == (2, 38)
    assert (tally.fault_flagged["negative"], tally.fault_told["negative"]) == (2, 2)
    assert tally.weighed.total() == 40
    # The two have odds of their own.
    assert min(tally.weighed_wrong.elements()) > 0.5


def test_the_paper_s_rules_tell_all_that_they_find(traffic: Traffic):
    plain = traffic._replace(registry=mine(first_week(), "paper"))
    tally = replay_draw(plain, AS_THEY_ARE)
    assert tally.told == tally.flagged
    assert tally.told.total() == 40
    assert (tally.weighed, tally.changes) == (Counter(), Counter())


def test_a_budget_of_nothing_tells_nothing(traffic: Traffic):
    assert replay_draw(traffic._replace(budget=0.0), 1).fault_told.total() == 0


def test_tools_without_a_contract_are_neither_covered_nor_weighed():
    call = Call("other", {}, {"a": 1}, task="t")
    tally = replay_draw(Traffic([Case(call, "t", 0, ())], mine(first_week()), 0.01), AS_THEY_ARE)
    assert (tally.right["other"], tally.covered["other"], tally.unbroken.total()) == (1, 0, 0)


def test_counts_add_up():
    one, two = BacktestCounts(right=Counter(a=1)), BacktestCounts(right=Counter(a=2), late=Counter({True: 1}))
    one.add(two)
    assert (one.right["a"], one.late[True]) == (3, 1)
