"""The audit itself: cases, trials, figures."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from outcome_monitors.contracts.folds import fold_of
from outcome_monitors.exceptions import TraceError
from outcome_monitors.mining.budget import BUDGET
from outcome_monitors.mining.observations import DEFAULT_PROFILE
from outcome_monitors.model import Call
from outcome_monitors.records.witness import task_name

from .cases import make_cases
from .faults import SUITES, faults
from .figures import Audit, figures, point
from .progress import Ticker, unwatched
from .tally import AuditTally
from .trials import AuditTrial, examine
from .workers import run_each

__all__ = ["CURVE", "Settings", "audit"]

CURVE = (0.001, 0.003, 0.01, 0.03, 0.1)
"""The budgets that are tried beside the one asked for."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What an audit is asked for; the same settings and traces give the same figures."""

    folds: int = 5
    suites: tuple[str, ...] = tuple(SUITES)
    profile: str = DEFAULT_PROFILE
    budget: float = BUDGET
    """The share of clean results that may be flagged; mining in profile `full` keeps to it."""
    limit: int = 400
    """Corrupted results of each kind of fault, at most; 0 is no limit."""
    curve: bool = False
    """Mine under other budgets too; they change nothing in profile `paper`, where this is passed over."""
    dirt: float = 0.0
    """The share of the calls learned from that are given a fault: what wrong results among the clean ones cost."""


def audit(calls: Iterable[Call], settings: Settings, *, jobs: int = 1, watch: Ticker = unwatched) -> Audit:
    """Cross-fit contracts on clean calls and return the figures; they do not depend on `jobs`.

    Calls that failed openly are left out. Raises TraceError where the tasks are too few to be dealt into folds. With more
    than one job, a script must have the `if __name__ == "__main__"` that multiprocessing asks for.
    """
    wanted = faults(settings.suites)
    clean = [call for call in calls if not call.error]
    _refuse_few_tasks(clean, settings.folds)
    cases = make_cases(clean, wanted, settings.folds, settings.limit, watch)
    trials = [
        # The budget asked for is tried in full, the others on a part that compares them.
        AuditTrial(fold, budget, budget == settings.budget, settings.dirt)
        for budget in _budgets(settings)
        for fold in range(settings.folds)
    ]
    by_budget: dict[float, list[AuditTally]] = {}
    tallies = watch(run_each(partial(examine, cases, settings.profile), trials, jobs), "trial")
    for trial, tally in zip(trials, tallies, strict=True):
        by_budget.setdefault(trial.budget, []).append(tally)
    curve = [point(wanted, budget, folds) for budget, folds in sorted(by_budget.items())]
    return figures(wanted, by_budget[settings.budget], curve if len(curve) > 1 else ())


def _refuse_few_tasks(calls: Sequence[Call], folds: int) -> None:
    tasks = {task_name(call): fold_of(call, folds) for call in calls}
    if len(tasks) < folds:
        raise TraceError(
            f"{len(tasks)} task{'' if len(tasks) == 1 else 's'} cannot be dealt into {folds} folds:"
            " use fewer folds, or add `task` to the calls, or traces of more tasks"
        )
    if len(set(tasks.values())) < 2:
        raise TraceError(
            f"all {len(tasks)} tasks fall into one of the {folds} folds, so there is nothing to learn from:"
            " use another number of folds, or add traces of more tasks"
        )


def _budgets(settings: Settings) -> tuple[float, ...]:
    # The published way of mining knows no budget: all points would be the same.
    others = CURVE if settings.curve and settings.profile != "paper" else ()
    return tuple(dict.fromkeys((settings.budget, *others)))
