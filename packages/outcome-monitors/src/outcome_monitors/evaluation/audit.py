"""Cross-validation on clean traces: recall on injected silent faults, and false alarms, on tasks that were not learned from."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from outcome_monitors.alerting.policy import alert_never
from outcome_monitors.checking.failures import quiet
from outcome_monitors.checking.monitor import Monitor
from outcome_monitors.checking.replay import Replay
from outcome_monitors.contracts.registry import Registry
from outcome_monitors.exceptions import TraceError
from outcome_monitors.features.walk import fold_of, task_name
from outcome_monitors.mining.observations import Observations
from outcome_monitors.mining.parallel import each_part
from outcome_monitors.model import Call, Outcome

from .cases import Case, Corrupted, Settings, Ticker, make_cases, unwatched
from .faults import faults
from .figures import Figures, audit_figures
from .records import Fold, Judged

JudgedCase = tuple[Case, Outcome, list[tuple[Corrupted, Outcome]]]
"""A case, and the outcomes of its clean result and of its corrupted ones."""


def audit(
    calls: Iterable[Call],
    settings: Settings,
    *,
    traces: Sequence[str] = (),
    jobs: int = 1,
    watch: Ticker = unwatched,
) -> Figures:
    """Cross-fit contracts on clean calls and return the figures; they do not depend on `jobs`. `traces` names the files.

    Calls that failed openly are left out. Raises TraceError where the tasks are too few to be dealt into folds.
    """
    wanted = faults(settings.suites)
    given = list(calls)
    clean = [call for call in given if not call.error]
    _refuse_few_tasks(clean, settings.folds)
    cases = make_cases(clean, wanted, settings.folds, settings.limit, watch)
    with each_part(lambda fold: evaluate_fold(cases, settings, fold), settings.folds, jobs) as judged:
        folds = list(watch(judged, "fold"))
    return audit_figures(wanted, folds, settings, traces, len(given) - len(clean))


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


def evaluate_fold(cases: Sequence[Case], settings: Settings, fold: int) -> Fold:
    """Learn from the cases of other folds, and judge those of this one."""
    observations = Observations(settings.profile, settings.budget)
    learned = [case.call for case in cases if case.fold != fold]
    observations.add_all(learned)
    left_out = [case for case in cases if case.fold == fold]
    if not left_out:
        return Fold(0, ())
    registry = observations.contracts(again=learned).registry
    clauses = sum(len(contract.clauses) for contract in registry.contracts.values())
    by_both = zip(judge_cases(left_out, registry), judge_cases(left_out, Registry()), strict=True)
    return Fold(clauses, tuple(one for judged, bare in by_both for one in _records(judged, bare)))


def _records(judged: JudgedCase, bare: JudgedCase) -> Iterator[Judged]:
    """Yield the records of a case, as contracts judge it and as built-in rules alone do."""
    (case, outcome, corrupted), (_, bare_outcome, bare_corrupted) = judged, bare
    yield Judged.of(case.call, outcome, built_in=bool(bare_outcome.broken))
    for (one, other), (_, bare_other) in zip(corrupted, bare_corrupted, strict=True):
        anyway, built_in = bool(outcome.broken), bool(bare_other.broken)
        yield Judged.of(case.call, other, one.fault, anyway=anyway, built_in=built_in)


def judge_cases(cases: Iterable[Case], registry: Registry) -> Iterator[JudgedCase]:
    """Yield each case with the outcomes of its clean result and of its corrupted ones.

    The corrupted results are judged first and leave no trace: the session goes on from the clean one.
    """
    replay = Replay(Monitor(registry))
    with quiet():
        for case in cases:
            call = case.call
            judge = partial(replay.session(call).judge, call.tool, call.arguments, policies=alert_never)
            corrupted = [(one, judge(one.result, remember=False)) for one in case.corrupted]
            yield case, judge(call.result, remember=True), corrupted
