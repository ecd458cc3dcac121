"""The cases: which calls get which faults, and what a fault is shown."""

from dataclasses import replace

import pytest

from outcome_monitors import mine
from outcome_monitors.evaluation import Settings
from outcome_monitors.evaluation.audit import evaluate_fold
from outcome_monitors.evaluation.cases import make_cases
from outcome_monitors.evaluation.faults import SUITES, Fault, faults
from outcome_monitors.evaluation.records import Judged
from outcome_monitors.features.walk import fold_of, task_name
from outcome_monitors.model import Call, Profile
from tests.evaluation.shop import fault, order, shop

FOLDS = 3
HISTORY = fault("history", lambda subject: [call.tool for call in subject.history])
EMPTIED = fault("emptied", lambda _: {})
SAME = fault("same", lambda subject: subject.call.result)


def test_a_fault_is_given_the_earlier_calls_of_its_session_alone():
    first, second = shop(2)[:2]
    single, other = order(8, session=None), order(7, session="run-0")
    cases = make_cases([single, first, second, single, other], [HISTORY], 2, 0)
    histories = [case.corrupted[0].result for case in cases]
    assert histories == [[], [], ["get_order"], [], ["get_order", "get_stock"]]


def test_no_task_is_split_and_the_same_calls_give_the_same_cases():
    calls = shop()
    cases = make_cases(calls, faults(SUITES), 5, 20)
    folds = {(case.task, case.fold) for case in cases}
    assert len(folds) == len({task_name(call) for call in calls}) == 24
    assert {fold for _, fold in folds} == {0, 1, 2, 3, 4}
    assert cases == make_cases(calls, faults(SUITES), 5, 20)


def judged(calls: list[Call], *wanted: Fault, profile: str = "paper") -> list[Judged]:
    cases, settings = make_cases(calls, wanted, FOLDS, 0), Settings(profile=profile, budget=0.01)
    return [one for fold in range(FOLDS) for one in evaluate_fold(cases, settings, fold).results]


@pytest.mark.parametrize("profile", ["paper", "full"])
def test_the_contracts_are_those_of_mining_without_the_fold(profile: Profile):
    calls = shop()
    cases = make_cases(calls, [], FOLDS, 0)
    for fold in range(FOLDS):
        found = evaluate_fold(cases, Settings(profile=profile, budget=0.01), fold)
        others = mine([call for call in calls if fold_of(call, FOLDS) != fold], profile, budget=0.01)
        assert found.clauses == sum(len(contract.clauses) for contract in others.contracts.values()) > 0
        assert {one.task for one in found.results} == {
            task_name(call) for call in calls if fold_of(call, FOLDS) == fold
        }


def test_what_was_flagged_anyway_is_caught_but_not_net():
    odd = replace(order(100, "lost"), task="odd")
    results = judged([*shop(), odd], EMPTIED, SAME)
    assert [(one.task, set(one.codes)) for one in results if one.codes and not one.fault] == [
        ("odd", {"unseen_category"})
    ]
    for fault_name, caught, net in (("emptied", 49, 48), ("same", 1, 0)):
        found = [one for one in results if one.fault == fault_name]
        assert len(found) == 49
        assert sum(bool(one.codes) for one in found) == caught
        assert sum(bool(one.codes) and not one.anyway for one in found) == net


@pytest.mark.parametrize("profile", ["paper", "full"])
def test_corrupted_results_leave_no_trace_in_the_session(profile: str):
    other = fault("other", lambda subject: {**subject.call.result, "total": 1.25, "count": 99})
    # Every order is read twice in its session: a corrupted result that was remembered would be flagged at the second.
    calls = [call for call in shop() for _ in range(2)]
    with_faults = judged(calls, other, EMPTIED, profile=profile)
    assert [one for one in with_faults if not one.fault] == judged(calls, profile=profile)
