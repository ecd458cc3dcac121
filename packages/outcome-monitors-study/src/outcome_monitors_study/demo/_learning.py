"""How many workflows it takes: contracts from fewer of them, judged on those that none was learned from."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from outcome_monitors.checking.monitor import Monitor
from outcome_monitors.mining.observations import mine
from outcome_monitors.model import Call
from outcome_monitors.reports import Share

from ._contracts import DemoContracts
from ._judging import advised, flagged
from ._runs import Comparison
from ._settings import DemoProgress, DemoSettings

__all__ = ["Learning", "learning_curve"]

FEWEST = 8
JUDGED = 0
"""The fold that is judged."""


@dataclass(frozen=True, slots=True)
class Learning:
    """What contracts from so many workflows do."""

    workflows: int
    caught: Share
    """Of corrupted results."""
    flagged: Share
    """Of clean results."""


def learning_curve(
    calls: Sequence[Call],
    outcomes: Sequence[Comparison],
    learned: DemoContracts,
    settings: DemoSettings,
    progress: DemoProgress,
) -> Iterator[Learning]:
    """Yield a point for 8 workflows and each fourfold of that, up to all the workflows that may be learned from."""
    folds = learned.folds
    clean = [call for call in calls if folds[call.task or ""] == JUDGED]
    wrong = [outcome for outcome in outcomes if folds[outcome.case.workflow.task_id] == JUDGED]
    tasks = [task for task, fold in folds.items() if fold != JUDGED]
    for size in progress(list(_sizes(len(tasks))), "training size"):
        some = set(tasks[:size])
        monitor = (
            learned.monitors[JUDGED]
            if size == len(tasks)
            else Monitor(mine((call for call in calls if call.task in some), settings.profile))
        )
        yield Learning(size, _caught(monitor, wrong), _flagged(monitor, clean))


def _sizes(most: int) -> Iterator[int]:
    size = FEWEST
    while size < most:
        yield size
        size *= 4
    yield most


def _caught(monitor: Monitor, outcomes: Sequence[Comparison]) -> Share:
    given = ((o.call.result, advised(monitor, o.before, o.call)) for o in outcomes)
    return Share(sum(seen is not result for result, seen in given), len(outcomes))


def _flagged(monitor: Monitor, calls: Sequence[Call]) -> Share:
    return Share(sum(1 for _ in flagged(calls, lambda _: monitor)), len(calls))
