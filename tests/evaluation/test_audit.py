"""The audit as a whole: the same figures whatever the number of processes, and errors that say what to do."""

from dataclasses import replace

import pytest

from outcome_monitors import Call
from outcome_monitors.evaluation import Settings, audit
from outcome_monitors.exceptions import TraceError
from outcome_monitors.features.walk import fold_of
from tests.evaluation.shop import order, shop

QUICK = Settings(folds=3, limit=10)


def test_calls_that_failed_openly_are_left_out():
    failed = [replace(call, error=True, task=f"failed/{call.task}", result="not found") for call in shop(5)]
    found, expected = audit([*failed, *shop()], QUICK), audit(shop(), QUICK)
    assert found["calls"].pop("failed_openly") == 10
    assert expected["calls"].pop("failed_openly") == 0
    assert found == expected


def test_too_few_tasks_are_refused_with_what_to_do():
    with pytest.raises(
        TraceError, match="4 tasks cannot be dealt into 5 folds: use fewer folds, or add `task`"
    ):
        audit(shop(4), Settings())
    with pytest.raises(TraceError, match="1 task cannot"):
        audit([order(1), order(1)], Settings(folds=2))
    same = next(
        [first, second]
        for first in shop(8)[::2]
        for second in shop(8)[::2]
        if first.task != second.task and _one_fold(first, second)
    )
    with pytest.raises(TraceError, match="all 2 tasks fall into one of the 2 folds"):
        audit(same, Settings(folds=2))


def _one_fold(*calls: Call) -> bool:
    return len({fold_of(call, 2) for call in calls}) == 1
