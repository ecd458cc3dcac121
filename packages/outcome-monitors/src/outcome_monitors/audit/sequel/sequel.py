"""The sequel itself: learn, make faults, run."""

from collections.abc import Iterable, Sequence
from functools import partial
from math import ceil

from outcome_monitors.audit.audit import Settings
from outcome_monitors.audit.cases import Case, make_cases
from outcome_monitors.audit.faults import faults
from outcome_monitors.audit.progress import Ticker, unwatched
from outcome_monitors.audit.trials import with_dirt
from outcome_monitors.audit.workers import run_each
from outcome_monitors.contracts.registry import Registry
from outcome_monitors.exceptions import TraceError
from outcome_monitors.mining.observations import Observations
from outcome_monitors.model import Call
from outcome_monitors.records.witness import task_name

from .figures import Sequel, sequel_figures
from .runs import AS_THEY_ARE, FAULTS_IN, Traffic, examine_draw

__all__ = ["number_of_draws", "sequel"]

FEWEST_DRAWS, MOST_DRAWS = 3, 20
WRONG_RESULTS = 300
"""There are so many draws that about so many wrong results are seen."""


def sequel(
    earlier: Iterable[Call],
    later: Iterable[Call],
    settings: Settings,
    *,
    jobs: int = 1,
    watch: Ticker = unwatched,
) -> Sequel:
    """Learn contracts from earlier calls, look at later ones in order, and return the figures; they do not depend on `jobs`.

    Calls that failed openly are not learned from, and not judged. Raises TraceError where there is nothing to look at. With
    more than one job, a script must have the `if __name__ == "__main__"` that multiprocessing asks for.
    """
    wanted = faults(settings.suites)
    registry = _learn(earlier, settings)
    cases = _cases(list(later), settings, watch)
    traffic = Traffic(cases, registry, settings.budget)
    draws = range(AS_THEY_ARE, number_of_draws(sum(not case.call.error for case in cases)) + 1)
    first, *others = watch(run_each(partial(examine_draw, traffic), draws, jobs), "run")
    return sequel_figures(wanted, registry, first, others)


def number_of_draws(results: int) -> int:
    """Return how often faults are drawn into so many results: the fewer there are, the more often."""
    return min(MOST_DRAWS, max(FEWEST_DRAWS, ceil(WRONG_RESULTS / max(1.0, FAULTS_IN * results))))


def _learn(calls: Iterable[Call], settings: Settings) -> Registry:
    clean: Iterable[Call] = (call for call in calls if not call.error)
    if settings.dirt:
        cases = make_cases(list(clean), faults(settings.suites), 1, settings.limit)
        clean = with_dirt(cases, settings.dirt)
    observations = Observations(settings.profile, settings.budget)
    for call in clean:
        observations.add(call)
    return observations.contracts().registry


def _cases(calls: Sequence[Call], settings: Settings, watch: Ticker) -> list[Case]:
    """Return all later calls in order, with what faults make of those that did not fail openly."""
    clean = [call for call in calls if not call.error]
    if not clean:
        raise TraceError(
            "no clean calls among the later ones: there is nothing to look at; add traces of calls that went well"
        )
    made = iter(make_cases(clean, faults(settings.suites), 1, settings.limit, watch))
    return [Case(call, task_name(call), 0, ()) if call.error else next(made) for call in calls]
