"""A trial: nothing of the fold that is judged was learned from."""

from dataclasses import replace

import pytest

from outcome_monitors import Call
from outcome_monitors.evaluation.audit import FoldTrial, evaluate_fold
from outcome_monitors.evaluation.cases import make_cases
from outcome_monitors.evaluation.counts import AuditCounts
from outcome_monitors.evaluation.faults import Fault
from outcome_monitors.mining.observations import mine_folds
from tests.evaluation.shop import fault, order, shop

FOLDS = 3
EMPTIED = fault("emptied", lambda _: {})
SAME = fault("same", lambda subject: subject.call.result)


def tried(calls: list[Call], *wanted: Fault, profile: str = "paper", limit: int = 0) -> list[AuditCounts]:
    cases = make_cases(calls, wanted, FOLDS, limit)
    return [evaluate_fold(cases, profile, FoldTrial(fold, 0.01, every=True)) for fold in range(FOLDS)]


@pytest.mark.parametrize("profile", ["paper", "full"])
def test_the_contracts_are_those_of_mining_without_the_fold(profile: str):
    calls = shop()
    mined, tasks = mine_folds(calls, FOLDS, profile)
    tallies = tried(calls, profile=profile)
    assert len(tallies) == FOLDS
    for fold, tally in enumerate(tallies):
        assert tally.clauses.total() == mined[fold].accepted > 0
        assert set(tally.tasks) == {task for task, its in tasks.items() if its == fold}


def test_what_one_task_alone_holds_is_flagged_there():
    odd = [replace(call, task="odd") for call in (order(100, "lost"), order(101, "lost"))]
    whole = AuditCounts()
    for tally in tried([*shop(), *odd]):
        whole.add(tally)
    assert whole.flagged.total() == 2
    assert dict(+whole.tasks_flagged) == {"odd": 2}
    assert dict(whole.alarms) == {("get_order", "unseen_category"): 2}
    assert (whole.clean, whole.clean_alone) == ({"unseen_category": 2}, {"unseen_category": 2})
    assert whole.clean_kinds == {frozenset({"domain"}): 2}


def test_what_was_flagged_anyway_is_caught_but_not_net():
    odd = [replace(order(100, "lost"), task="odd")]
    whole = AuditCounts()
    for tally in tried([*shop(), *odd], EMPTIED, SAME):
        whole.add(tally)
    assert (whole.made["emptied"], whole.caught["emptied"], whole.net["emptied"]) == (49, 49, 48)
    assert (whole.made["same"], whole.caught["same"], whole.net["same"]) == (49, 1, 0)


def test_a_tool_that_only_this_fold_has_is_not_covered_and_missed():
    alone = replace(order(100), tool="alone")
    whole = AuditCounts()
    for tally in tried([*shop(), alone], EMPTIED):
        whole.add(tally)
    assert (whole.calls["alone"], whole.covered["alone"]) == (1, 0)
    assert (whole.tool_made["alone"], whole.tool_caught["alone"]) == (1, 0)
    assert whole.covered.total() == whole.calls.total() - 1


@pytest.mark.parametrize("profile", ["paper", "full"])
def test_corrupted_results_leave_no_trace_in_the_session(profile: str):
    other = fault("other", lambda subject: {**subject.call.result, "total": 1.25, "count": 99})
    # Every order is looked at twice in its session: what was remembered of a corrupted look would speak up at the second.
    calls = [call for call in shop() for _ in range(2)]
    with_faults = tried(calls, other, EMPTIED, profile=profile)
    without = tried(calls, profile=profile)
    assert [(t.calls, t.flagged, t.clean) for t in with_faults] == [
        (t.calls, t.flagged, t.clean) for t in without
    ]


def test_only_the_first_results_are_tried_where_budgets_are_compared():
    calls = [replace(order(number), session=f"{number}") for number in range(150)]
    cases = make_cases(calls, [EMPTIED], 2, 0)
    every, first = AuditCounts(), AuditCounts()
    for fold in range(2):
        every.add(evaluate_fold(cases, "paper", FoldTrial(fold, 0.01, every=True)))
        first.add(evaluate_fold(cases, "paper", FoldTrial(fold, 0.01, every=False)))
    assert (every.made["emptied"], every.first_made["emptied"]) == (150, 100)
    assert (first.made["emptied"], first.first_made["emptied"]) == (100, 100)
    assert every.first_caught == first.first_caught


def test_a_fold_without_tasks_counts_nothing():
    cases = make_cases(shop(), [EMPTIED], FOLDS, 0)
    assert evaluate_fold(cases, "paper", FoldTrial(FOLDS, 0.01, every=True)) == AuditCounts()
