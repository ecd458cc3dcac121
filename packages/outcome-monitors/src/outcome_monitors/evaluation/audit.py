"""Cross-validation on one"s own clean traces: recall on injected silent faults, and false alarms, on tasks that were not learned from."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from outcome_monitors.alerting.policy import alert_never
from outcome_monitors.checking.failures import quiet
from outcome_monitors.checking.monitor import Monitor
from outcome_monitors.checking.replay import Replay
from outcome_monitors.contracts.folds import fold_of
from outcome_monitors.contracts.registry import Registry
from outcome_monitors.exceptions import TraceError
from outcome_monitors.features.walk import task_name
from outcome_monitors.jsonvalue.text import stable_hash
from outcome_monitors.mining.observations import Observations
from outcome_monitors.mining.parallel import each_part
from outcome_monitors.model import Call, Outcome

from .cases import Case, Corrupted, Settings, Ticker, make_cases, unwatched
from .counts import FIRST, AuditCounts, Flags
from .faults import faults
from .figures import Audit, figures, point

__all__ = ["CURVE", "FoldTrial", "audit", "evaluate_fold", "judge_cases", "with_label_noise"]

CURVE = (0.001, 0.003, 0.01, 0.03, 0.1)
"""The budgets that are tried beside the one asked for."""


def audit(calls: Iterable[Call], settings: Settings, *, jobs: int = 1, watch: Ticker = unwatched) -> Audit:
    """Cross-fit contracts on clean calls and return the figures; they do not depend on `jobs`.

    Calls that failed openly are left out. Raises TraceError where the tasks are too few to be dealt into folds.
    """
    wanted = faults(settings.suites)
    clean = [call for call in calls if not call.error]
    _refuse_few_tasks(clean, settings.folds)
    cases = make_cases(clean, wanted, settings.folds, settings.limit, watch)
    trials = [
        # The budget asked for is tried in full, the others on a part that compares them.
        FoldTrial(fold, budget, budget == settings.budget, settings.label_noise)
        for budget in _budgets(settings)
        for fold in range(settings.folds)
    ]
    by_budget: dict[float, list[AuditCounts]] = {}
    with each_part(
        lambda index: evaluate_fold(cases, settings.profile, trials[index]), len(trials), jobs
    ) as tallies:
        for trial, tally in zip(trials, watch(tallies, "trial"), strict=True):
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


class FoldTrial(NamedTuple):
    """Which fold is left out of mining, and what budget mining is given."""

    fold: int
    budget: float
    every: bool
    """Try every corrupted result, or the first ones of each fault alone."""
    label_noise: float = 0.0
    """The share of the calls learned from that are given a fault."""


def evaluate_fold(cases: Sequence[Case], profile: str, trial: FoldTrial) -> AuditCounts:
    """Learn from the cases of other folds, and count what happens to those of this one."""
    observations = Observations(profile, trial.budget)
    for call in with_label_noise([case for case in cases if case.fold != trial.fold], trial.label_noise):
        observations.add(call)
    left_out = [case for case in cases if case.fold == trial.fold]
    tally = AuditCounts()
    if not left_out:
        return tally
    registry = observations.contracts().registry
    tally.clauses.update({tool: len(contract.clauses) for tool, contract in registry.contracts.items()})
    for case, outcome, corrupted in judge_cases(left_out, registry, every=trial.every):
        clean = Flags.of(outcome)
        failures = sum(len(one.failures) for one in (outcome, *(other for _, other in corrupted)))
        tally.failed[case.call.tool] += failures
        tally.count_clean(case, clean, covered=outcome.why != "no contract")
        for one, other in corrupted:
            tally.count_corrupted(case, one, Flags.of(other), flagged_anyway=bool(clean.codes))
    if trial.every:
        for case, outcome, corrupted in judge_cases(left_out, Registry()):
            tally.built_in_flagged[case.call.tool] += bool(outcome.broken)
            tally.built_in_caught.update(one.fault for one, other in corrupted if other.broken)
    return tally


def judge_cases(
    cases: Iterable[Case], registry: Registry, *, every: bool = True
) -> Iterator[tuple[Case, Outcome, list[tuple[Corrupted, Outcome]]]]:
    """Yield each case with the outcomes of its clean result and of its corrupted ones, all or the first of each fault.

    The corrupted results are judged first and leave no trace: the session goes on from the clean one.
    """
    replay = Replay(Monitor(registry))
    with quiet():
        for case in cases:
            call = case.call
            judge = partial(replay.session(call).judge, call.tool, call.arguments, policies=alert_never)
            corrupted = [
                (one, judge(one.result, remember=False))
                for one in case.corrupted
                if every or one.rank < FIRST
            ]
            yield case, judge(call.result, remember=True), corrupted


def with_label_noise(cases: Sequence[Case], share: float) -> list[Call]:
    """Return the calls of cases, in order, a share of them with one of their faults; fewer where no fault suits so many."""
    calls = [case.call for case in cases]
    faulted = [index for index, case in enumerate(cases) if case.corrupted]
    faulted.sort(key=lambda index: stable_hash(f"{cases[index].task}\0{index}"))
    for index in faulted[: round(share * len(cases))]:
        found = cases[index].corrupted
        calls[index] = replace(calls[index], result=found[stable_hash(str(index)) % len(found)].result)
    return calls
