"""Do today's results still look like the contract? Clause by clause, against chance, and told apart from faults.

Three questions are asked of each clause. *Is it chance?* Of so many tasks today so many break it; the contract promises that few
do (`budget`) and saw it hold in so many. It is no chance where both promises are broken, with all clauses of the file counted
as attempts (`statistics`). *Does it stay?* From a point in time on nearly all results break it: the tool has changed. *Is it the
same every time?* One new value, or a number beyond the bounds, that many tasks show while the rest of the result is as ever: the world
has changed. Whether that is so up to the end is for the test that decides live what is told no more (`alerting.changes`). What is
neither is a fault: it comes, and it goes.

From when on a clause is broken is told by the split of its calls that tells them apart best.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import inf

from outcome_monitors.contracts.identity import identify
from outcome_monitors.contracts.registry import Registry
from outcome_monitors.mining.budget import BUDGET
from outcome_monitors.model import Call, Clause
from outcome_monitors.rules import KINDS
from outcome_monitors.rules.base.traits import Drift

from .clause_record import BROKEN, SILENT, ClauseRecord, ToolRecord, records
from .statistics import all_in_new, at_least, becomes_usual, benjamini_hochberg, turning_point
from .verdicts import at_call, sentence

__all__ = ["LEVEL", "ClauseDrift", "ToolDrift", "drift"]

LEVEL = 0.01
"""The share of the clauses called drift that may be chance."""
STAYS = 0.8
"""The share of calls after the turn that must break a clause for it to stay broken."""
LEAST_TASKS = 5
"""Fewer tasks after the turn, or with the same new value, show nothing."""
SCATTERED = 0.08
"""The share of calls that may have the same news without being a change."""
NEW_VALUE = 0.1
"""The share of tasks after the turn that must show one and the same new value,"""
BEYOND = 0.2
"""or lie beyond what was seen."""
MOST_BESIDE = 1.0
"""Other places that are broken in the same result, on average: a fault breaks many."""


@dataclass(frozen=True, slots=True)
class ClauseDrift:
    """What today's results say about one clause."""

    id: str
    clause: Clause
    tasks: int
    """Tasks that gave it something to judge."""
    broken: int
    """Those that break it."""
    chance: float
    adjusted: float
    """The same with all clauses of the file counted as attempts."""
    verdict: str
    """`holds`, `faults` or `drift`."""
    start: int = 0
    """The call of the tool, of those looked at, from which on it is broken."""
    observed: str = ""
    """What most of the broken results have instead."""
    alike: int = 0
    """Tasks that have it."""
    stays: bool = False
    """Nearly all results break it from then on."""


@dataclass(frozen=True, slots=True)
class ToolDrift:
    """What today's results say about one tool."""

    tool: str
    calls: int
    looked_at: int
    """Calls that the clauses were asked about: all, or where there are very many, some spread evenly over them."""
    tasks: int
    flagged: int
    verdict: str
    """`drift`, `faults`, `holds`, or `not called`."""
    since: str
    """From when on it drifts: a time, or the number of a call where the traces have no times; empty where it does not."""
    sentence: str
    clauses: tuple[ClauseDrift, ...]


def drift(
    calls: Iterable[Call], registry: Registry, *, level: float = LEVEL, budget: float = BUDGET
) -> list[ToolDrift]:
    """Hold today's calls against contracts and say of each tool whether it drifts."""
    found = records(calls, registry)
    tested = [
        (record, clause, *_counts(record, clause))
        for record in found.values()
        for clause in record.clauses
        if any(state != SILENT for state in clause.states)
    ]
    chances = [_chance(clause.clause, tasks, broken, budget) for _, clause, tasks, broken in tested]
    adjusted = benjamini_hochberg(chances)
    by_tool: dict[str, list[ClauseDrift]] = {tool: [] for tool in found}
    for (record, clause, tasks, broken), chance, value in zip(tested, chances, adjusted, strict=True):
        judged = ClauseDrift(
            identify(record.tool, clause.clause), clause.clause, tasks, broken, chance, value, "holds"
        )
        by_tool[record.tool].append(_judged(judged, record, clause, level) if broken else judged)
    return [_tool(found[tool], clauses) for tool, clauses in by_tool.items()]


def _tasks(record: ToolRecord, places: Iterable[int]) -> int:
    return len({record.tasks[place] for place in places})


def _counts(record: ToolRecord, clause: ClauseRecord) -> tuple[int, int]:
    """Return how many tasks a clause could judge, and how many break it."""
    judged = (place for place, state in enumerate(clause.states) if state != SILENT)
    return _tasks(record, judged), _tasks(record, (found.place for found in clause.breaks))


def _chance(clause: Clause, tasks: int, broken: int, budget: float) -> float:
    """Return the chance of so many broken tasks under the kinder of the two promises."""
    promised = at_least(broken, tasks, budget)
    # A schema was never seen to hold: there is only the promise.
    return max(promised, all_in_new(broken, tasks, clause.tasks)) if clause.tasks else promised


def _judged(judged: ClauseDrift, record: ToolRecord, clause: ClauseRecord, level: float) -> ClauseDrift:
    """Tell of a broken clause whether it drifts or has faults."""
    places = [place for place, state in enumerate(clause.states) if state != SILENT]
    start, share = turning_point([clause.states[place] == BROKEN for place in places])
    after = places[start:]
    observed, alike = _most_common(record, clause, after[0])
    stays = share >= STAYS and _tasks(record, after) >= LEAST_TASKS
    changed = stays or _the_same_every_time(record, clause, after, alike, level)
    verdict = "drift" if judged.adjusted <= level and changed else "faults"
    return replace(judged, verdict=verdict, start=after[0], observed=observed, alike=alike, stays=stays)


def _most_common(record: ToolRecord, clause: ClauseRecord, start: int) -> tuple[str, int]:
    """Return what most tasks after the turn have instead of what is demanded, and how many tasks that is."""
    tasks: dict[str, set[int]] = {}
    for found in clause.breaks:
        if found.place >= start:
            tasks.setdefault(found.observed, set()).add(record.tasks[found.place])
    observed = min(tasks, key=lambda value: (-len(tasks[value]), value))
    return observed, len(tasks[observed])


def _the_same_every_time(
    record: ToolRecord, clause: ClauseRecord, after: Sequence[int], alike: int, level: float
) -> bool:
    """Say whether many tasks show the same news in results that are otherwise as ever, up to the end."""
    late = [found for found in clause.breaks if found.place >= after[0]]
    if sum(found.beside for found in late) > MOST_BESIDE * len(late):
        return False
    news = [(found.place, found.news) for found in clause.breaks]
    if not becomes_usual(news, record.tasks, SCATTERED, 1 / level if level else inf):
        return False
    tasks = _tasks(record, after)
    moves = KINDS[clause.clause.kind].traits.drift
    if moves is Drift.LISTED:
        return alike >= max(LEAST_TASKS, NEW_VALUE * tasks)
    broken = _tasks(record, (found.place for found in late))
    return moves is Drift.BOUNDED and broken >= max(LEAST_TASKS, BEYOND * tasks)


def _tool(record: ToolRecord, clauses: list[ClauseDrift]) -> ToolDrift:
    drifting = [clause for clause in clauses if clause.verdict == "drift"]
    verdict = "drift" if drifting else "faults" if record.flagged else "holds"
    return ToolDrift(
        record.tool,
        record.calls,
        len(record.tasks),
        record.number_of_tasks(),
        record.flagged,
        verdict if record.calls else "not called",
        at_call(record, min(clause.start for clause in drifting)) if drifting else "",
        sentence(record, clauses, drifting),
        tuple(clauses),
    )
