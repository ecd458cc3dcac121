"""The cases: which calls get which faults, and what a fault is shown."""

from dataclasses import replace

from hypothesis import given, strategies as st

from outcome_monitors import Call
from outcome_monitors.evaluation.cases import TRIES, make_cases
from outcome_monitors.evaluation.faults import NOT_APPLICABLE, SUITES, faults
from outcome_monitors.features.walk import task_name
from tests.evaluation.shop import fault, order, shop

HEARD = fault("heard", lambda subject: [call.tool for call in subject.history])
GONE = fault("gone", lambda _: None)
OF_ORDERS = fault("of_orders", lambda subject: {} if subject.call.tool == "get_order" else NOT_APPLICABLE)


def test_a_fault_sees_the_earlier_calls_of_the_session_alone():
    first, second = shop(2)[:2]
    other = order(7, session="run-0")
    single = order(8, session=None)
    cases = make_cases([single, first, second, single, other], [HEARD], 2, 0)
    heard = [case.corrupted[0].result for case in cases]
    assert heard == [[], [], ["get_order"], [], ["get_order", "get_stock"]]


def test_without_a_limit_every_call_is_tried_and_keeps_its_place():
    calls = shop()
    cases = make_cases(calls, [GONE, OF_ORDERS], 5, 0)
    assert [case.call for case in cases] == calls
    assert sum(corrupted.fault == "gone" for case in cases for corrupted in case.corrupted) == len(calls)
    assert (
        sum(corrupted.fault == "of_orders" for case in cases for corrupted in case.corrupted)
        == len(calls) // 2
    )


def test_a_limit_counts_results_not_tries_and_ends_the_tries_too():
    def made(calls: list[Call], limit: int) -> int:
        rare = fault("rare", lambda subject: {} if subject.call.tool == "rare" else NOT_APPLICABLE)
        return sum(len(case.corrupted) for case in make_cases(calls, [rare], 5, limit))

    calls = [replace(order(number), tool="rare" if number % 5 == 0 else "usual") for number in range(60)]
    assert made(calls, 6) == 6
    never = [replace(call, tool="usual") for call in calls]
    assert made(never, 6) == 0
    # One rare call among so many that the tries end before all are seen: it is found by its draw alone.
    many = [replace(order(number), tool="rare" if number == 0 else "usual") for number in range(40 * TRIES)]
    drawn = [made([replace(call, task=f"{seed}/{call.task}") for call in many], 1) for seed in range(20)]
    assert set(drawn) == {0, 1}


@given(st.integers(1, 60))
def test_a_lower_limit_keeps_the_lower_ranks(limit: int):
    calls = shop()
    whole = make_cases(calls, [GONE, OF_ORDERS], 5, 0)
    part = make_cases(calls, [GONE, OF_ORDERS], 5, limit)
    assert whole
    for case, less in zip(whole, part, strict=True):
        assert less.corrupted == tuple(corrupted for corrupted in case.corrupted if corrupted.rank < limit)


def test_which_calls_are_taken_does_not_depend_on_the_order_of_sessions():
    calls = shop()
    backwards = [call for number in reversed(range(24)) for call in calls[2 * number : 2 * number + 2]]

    def taken(calls: list[Call]) -> set[tuple[str, str]]:
        return {(case.task, case.call.tool) for case in make_cases(calls, [GONE], 5, 10) if case.corrupted}

    assert taken(calls) == taken(backwards)
    assert len(taken(calls)) == 10


def test_no_task_is_split_and_the_same_calls_give_the_same_cases():
    calls = shop()
    cases = make_cases(calls, faults(SUITES), 5, 20)
    folds = {(case.task, case.fold) for case in cases}
    assert len(folds) == len({task_name(call) for call in calls}) == 24
    assert {fold for _, fold in folds} == {0, 1, 2, 3, 4}
    assert cases == make_cases(calls, faults(SUITES), 5, 20)
    assert any(case.corrupted for case in cases)
