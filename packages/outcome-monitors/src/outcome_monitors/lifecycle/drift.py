"""Drift: do today's results still match the contract? Each clause is tested for significance, and drift is distinguished from faults.

Three questions are asked of each clause. *Is it significant?* So many of today's tasks violate it; the contract allows few
(`budget`) and held in so many tasks. A violation is significant where both are contradicted, adjusted for the number of clauses
(`statistics`). *Does it persist?* After a change point nearly all results violate it: the tool has changed. *Is it always the
same?* Many tasks show one new value, or a number beyond the bounds, in results that are otherwise normal: the data has changed.
Whether that lasts to the end is decided by the live change test (`alerting.changes`). Everything else is a fault: faults come
and go.

The change point is the split of a clause's calls that separates violations best.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from math import inf

from outcome_monitors.contracts.identity import identify
from outcome_monitors.contracts.registry import Registry
from outcome_monitors.jsonvalue.display import clip_text
from outcome_monitors.mining.budget import BUDGET
from outcome_monitors.model import Call, Clause
from outcome_monitors.reports import count, percent
from outcome_monitors.rules import KINDS
from outcome_monitors.rules.base.traits import Drift

from .clause_record import BROKEN, HELD, SILENT, ClauseRecord, ToolRecord, records
from .lint import LEAST_TASKS
from .statistics import all_in_new, at_least, becomes_usual, benjamini_hochberg, turning_point

__all__ = ["LEVEL", "ClauseDrift", "ToolDrift", "drift"]

LEVEL = 0.01
"""The share of the clauses called drift that may be chance."""
STAYS = 0.8
"""The share of calls after the turn that must break a clause for it to stay broken."""
SCATTERED = 0.08
"""The share of calls that may have the same news without being a change."""
NEW_VALUE = 0.1
"""The share of tasks after the turn that must show one and the same new value,"""
BEYOND = 0.2
"""or lie beyond what was seen."""
MOST_BESIDE = 1.0
"""Other places that are broken in the same result, on average: a fault breaks many."""
MOST_NAMED = 3
AFTERWARDS = 5
"""So many clean calls after the last broken one say that it is over."""


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
        _at_call(record, min(clause.start for clause in drifting)) if drifting else "",
        _sentence(record, clauses, drifting),
        tuple(clauses),
    )


def _sentence(record: ToolRecord, clauses: Sequence[ClauseDrift], drifting: Sequence[ClauseDrift]) -> str:
    """Say of a tool whether it is as its contract says, has faults, or drifts."""
    if not record.calls:
        return "It was not called, and so nothing can be said."
    if drifting:
        said = _drifts(record, clauses, drifting)
        return f"{said}. If that is right, mine it again from traces of that time; if not, mend the tool."
    if record.flagged:
        return _faults(record, clauses)
    return f"It is as its contract says: {_calls(record)}, {count(len(clauses), 'clause')}, none broken."


def _drifts(record: ToolRecord, clauses: Sequence[ClauseDrift], drifting: Sequence[ClauseDrift]) -> str:
    staying = [clause for clause in drifting if clause.stays]
    if not staying:
        # What is new, the most common first.
        ranked = sorted(drifting, key=lambda clause: (-clause.broken, clause.id))
        more = f" and {count(len(ranked) - MOST_NAMED, 'more clause')}" if len(ranked) > MOST_NAMED else ""
        said = ", ".join(map(_new, ranked[:MOST_NAMED]))
        return f"Most of it still holds, but {said}{more}: its data has changed"
    # The call at which most clauses turn, the first of those.
    starts = Counter(clause.start for clause in staying)
    start = min(starts, key=lambda place: (-starts[place], place))
    since = "From the first of these calls on" if start == 0 else f"Since {_at_call(record, start)}"
    broken, judged = (
        sum(place >= start for place in _places(record, staying, states))
        for states in ({BROKEN}, {HELD, BROKEN})
    )
    what = (
        "its data has"
        if all(KINDS[one.clause.kind].traits.of_the_data for one in staying)
        else "the tool has"
    )
    return (
        f"{since} {len(staying)} of its {count(len(clauses), 'clause')} {'breaks' if len(staying) == 1 else 'break'}"
        f" in {percent(broken / judged)} of the calls that can show it, to the end: {what} changed"
    )


def _new(clause: ClauseDrift) -> str:
    where = clause.clause.path or "the result"
    if clause.alike == clause.broken or clause.alike >= AFTERWARDS:
        return f"{where} ({clause.clause.kind}) is {clip_text(clause.observed)!r} in {count(clause.alike, 'task')}"
    return f"{where} is beyond its {clause.clause.kind} in {clause.broken} of {count(clause.tasks, 'task')}"


def _faults(record: ToolRecord, clauses: Sequence[ClauseDrift]) -> str:
    broken = [clause for clause in clauses if clause.broken]
    places, last = sorted(_places(record, broken, {BROKEN})), len(record.tasks) - 1
    breaks = "breaks" if record.flagged == 1 else "break"
    broke = f"{record.flagged} of {_calls(record)} {breaks} {count(len(broken), 'clause')}"
    if (
        places
        and last - places[-1] >= AFTERWARDS <= len(places)
        and len(places) > 0.8 * (places[-1] - places[0])
    ):
        first, end = _at_call(record, places[0]), _at_call(record, places[-1])
        return f"{broke}, all from {first} to {end} and none since: faults that have passed."
    if places and places[-2:] == [last - 1, last]:
        return f"{broke}, and so do the last ones: too few yet to tell drift from faults."
    return f"{broke}, and not in a way that stays or spreads: faults, no drift."


def _places(record: ToolRecord, clauses: Sequence[ClauseDrift], states: Collection[int]) -> set[int]:
    """Return the calls that did one of these things to one of the clauses."""
    wanted = {id(clause.clause) for clause in clauses}
    return {
        place
        for found in record.clauses
        if id(found.clause) in wanted
        for place, state in enumerate(found.states)
        if state in states
    }


def _at_call(record: ToolRecord, place: int) -> str:
    """Name a call by its time, or by its number where the traces have no times."""
    return record.times[place] or f"call {record.numbers[place] + 1}"


def _calls(record: ToolRecord) -> str:
    calls = f"{count(record.calls, 'call')} in {count(record.number_of_tasks(), 'task')}"
    looked = len(record.tasks)
    return calls if looked == record.calls else f"{calls} ({looked:,} calls looked at)"
