"""The cases: which calls get which faults, and what a fault is shown."""

from dataclasses import replace

import pytest

from outcome_monitors.evaluation import Settings
from outcome_monitors.evaluation.audit import evaluate_fold
from outcome_monitors.evaluation.cases import make_cases
from outcome_monitors.evaluation.counts import AuditCounts
from outcome_monitors.evaluation.faults import SUITES, Fault, faults
from outcome_monitors.features.walk import task_name
from outcome_monitors.mining.observations import mine_folds
from outcome_monitors.model import Call
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


def counted(calls: list[Call], *wanted: Fault, profile: str = "paper") -> AuditCounts:
    cases, settings = make_cases(calls, wanted, FOLDS, 0), Settings(profile=profile, budget=0.01)
    return AuditCounts.sum(evaluate_fold(cases, settings, fold) for fold in range(FOLDS))


@pytest.mark.parametrize("profile", ["paper", "full"])
def test_the_contracts_are_those_of_mining_without_the_fold(profile: str):
    calls = shop()
    mined, tasks = mine_folds(calls, FOLDS, profile)
    cases = make_cases(calls, [], FOLDS, 0)
    for fold in range(FOLDS):
        counts = evaluate_fold(cases, Settings(profile=profile, budget=0.01), fold)
        assert counts.clauses.total() == mined[fold].accepted > 0
        assert set(counts.tasks) == {task for task, its in tasks.items() if its == fold}


def test_what_was_flagged_anyway_is_caught_but_not_net():
    odd = replace(order(100, "lost"), task="odd")
    counts = counted([*shop(), odd], EMPTIED, SAME)
    assert dict(+counts.tasks_flagged) == {"odd": 1}
    assert dict(counts.alarms) == {("get_order", "unseen_category"): 1}
    assert (counts.made["emptied"], counts.caught["emptied"], counts.net["emptied"]) == (49, 49, 48)
    assert (counts.made["same"], counts.caught["same"], counts.net["same"]) == (49, 1, 0)


@pytest.mark.parametrize("profile", ["paper", "full"])
def test_corrupted_results_leave_no_trace_in_the_session(profile: str):
    other = fault("other", lambda subject: {**subject.call.result, "total": 1.25, "count": 99})
    # Every order is read twice in its session: a corrupted result that was remembered would be flagged at the second.
    calls = [call for call in shop() for _ in range(2)]
    with_faults, without = counted(calls, other, EMPTIED, profile=profile), counted(calls, profile=profile)
    assert (with_faults.calls, with_faults.flagged) == (without.calls, without.flagged)
