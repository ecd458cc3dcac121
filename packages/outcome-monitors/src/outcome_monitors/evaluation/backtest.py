"""A backtest: what contracts learned from one set of traces do on another, later one, replayed in order under the alert policy.

Once as it is, and in several draws with silent faults in some of the results. Which results are wrong in a draw, and in what way, is
settled by a stable hash: a fault first, each as likely as any other, then one of the results that it suits.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import ceil
from typing import NamedTuple

from outcome_monitors.alerting.alert_policy import alert_policies, default_policies
from outcome_monitors.checking.failures import quiet
from outcome_monitors.checking.monitor import Monitor
from outcome_monitors.checking.replay import Replay
from outcome_monitors.contracts.registry import Registry
from outcome_monitors.exceptions import TraceError
from outcome_monitors.features.walk import task_name
from outcome_monitors.jsonvalue.text import stable_hash
from outcome_monitors.mining.observations import Observations
from outcome_monitors.mining.parallel import each_part
from outcome_monitors.model import Call

from .cases import TRIES, Case, Corrupted, Settings, Ticker, make_cases, unwatched
from .faults import faults
from .figures import FAULTS_IN, LEAST, Figures, backtest_figures
from .records import Draw, Judged

AS_THEY_ARE = 0
"""The draw without faults."""


class Traffic(NamedTuple):
    """What is looked at, and by what."""

    cases: Sequence[Case]
    """The later calls, in order; those that failed openly have no faults."""
    registry: Registry
    budget: float


def replay_draw(traffic: Traffic, draw: int) -> Draw:
    """Look at all results of a draw, in order."""
    wrong = {} if draw == AS_THEY_ARE else draw_faults(traffic.cases, draw)
    policies = default_policies(traffic.registry.profile, budget=traffic.budget)
    replay, results = Replay(Monitor(traffic.registry)), list[Judged]()
    with quiet():
        for place, case in enumerate(traffic.cases):
            fault = wrong.get(place)
            call = case.call if fault is None else replace(case.call, result=fault.result)
            outcome = replay.judge(call, policies)
            if not call.error:
                late = 2 * place >= len(traffic.cases)
                results.append(Judged.of(call, outcome, "" if fault is None else fault.fault, late=late))
    changes = (change.sentence() for one in alert_policies(policies) for change in one.changes.changes())
    return Draw(tuple(results), tuple(dict.fromkeys(changes)))


def draw_faults(cases: Sequence[Case], draw: int, share: float = FAULTS_IN) -> dict[int, Corrupted]:
    """Return which results a draw makes wrong, and how; fewer where faults suit few."""
    kinds: dict[str, list[tuple[int, Corrupted]]] = {}
    for place, case in enumerate(cases):
        for corrupted in case.corrupted:
            kinds.setdefault(corrupted.fault, []).append((place, corrupted))
    suiting = [kinds[name] for name in sorted(kinds) if len(kinds[name]) >= LEAST]
    wanted = ceil(share * sum(not case.call.error for case in cases))
    wrong: dict[int, Corrupted] = {}
    for attempt in range(TRIES * wanted if suiting else 0):
        if len(wrong) == wanted:
            break
        kind = suiting[stable_hash(f"kind\0{draw}\0{attempt}") % len(suiting)]
        place, corrupted = kind[stable_hash(f"place\0{draw}\0{attempt}") % len(kind)]
        wrong.setdefault(place, corrupted)
    return wrong


FEWEST_DRAWS, MOST_DRAWS = 3, 20
WRONG_RESULTS = 300
"""There are so many draws that about so many wrong results are seen."""


def backtest(
    earlier: Iterable[Call],
    later: Iterable[Call],
    settings: Settings,
    *,
    traces: Sequence[str] = (),
    then: Sequence[str] = (),
    jobs: int = 1,
    watch: Ticker = unwatched,
) -> Figures:
    """Learn contracts from earlier calls, replay later ones in order, and return the figures; they do not depend on `jobs`.

    Calls that failed openly are not learned from, and not judged. Raises TraceError where no later call is clean. `traces` and
    `then` name the files.
    """
    wanted = faults(settings.suites)
    registry = _learn(earlier, settings)
    cases = _cases(list(later), settings, watch)
    traffic = Traffic(cases, registry, settings.budget)
    draws = number_of_draws(sum(not case.call.error for case in cases))
    with each_part(lambda draw: replay_draw(traffic, draw), draws + 1, jobs) as runs:
        first, *others = watch(runs, "run")
    return backtest_figures(wanted, registry, first, others, settings, traces, then)


def number_of_draws(results: int) -> int:
    """Return how often faults are drawn into so many results: the fewer there are, the more often."""
    return min(MOST_DRAWS, max(FEWEST_DRAWS, ceil(WRONG_RESULTS / max(1.0, FAULTS_IN * results))))


def _learn(calls: Iterable[Call], settings: Settings) -> Registry:
    observations = Observations(settings.profile, settings.budget)
    learned = [*calls]
    observations.add_all(learned)
    return observations.contracts(again=learned).registry


def _cases(calls: Sequence[Call], settings: Settings, watch: Ticker) -> list[Case]:
    """Return all later calls in order, with what faults make of those that did not fail openly."""
    clean = [call for call in calls if not call.error]
    if not clean:
        raise TraceError(
            "no clean calls among the later ones: there is nothing to look at; add traces of calls that went well"
        )
    made = iter(make_cases(clean, faults(settings.suites), 1, settings.limit, watch))
    return [Case(call, task_name(call), 0, ()) if call.error else next(made) for call in calls]
