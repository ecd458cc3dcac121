"""One sentence a tool: what today's results say about its contract, and what to do."""

from collections import Counter
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from outcome_monitors.reports import percent
from outcome_monitors.rules import KINDS
from outcome_monitors.values.display import clip_text

from .clause_record import BROKEN, HELD, ToolRecord

if TYPE_CHECKING:
    from .drift import ClauseDrift

__all__ = ["sentence"]

MOST_NAMED = 3
AFTERWARDS = 5
"""So many clean calls after the last broken one say that it is over."""


def sentence(record: ToolRecord, clauses: Sequence["ClauseDrift"], drifting: Sequence["ClauseDrift"]) -> str:
    """Say of a tool whether it is as its contract says, has faults, or drifts."""
    if not record.calls:
        return "It was not called, and so nothing can be said."
    if drifting:
        return _drifts(record, clauses, drifting)
    if record.flagged:
        return _faults(record, clauses)
    return f"It is as its contract says: {_calls(record)}, {_many(len(clauses), 'clause')}, none broken."


def _drifts(record: ToolRecord, clauses: Sequence["ClauseDrift"], drifting: Sequence["ClauseDrift"]) -> str:
    staying = [clause for clause in drifting if clause.stays]
    if not staying:
        told = f"Most of it still holds, but {_news(drifting)}: its data has changed"
    else:
        start = _start(staying)
        verb = "breaks" if len(staying) == 1 else "break"
        what = (
            "its data has"
            if all(KINDS[clause.clause.kind].of_the_data for clause in staying)
            else "the tool has"
        )
        told = (
            f"{_since(record, start)} {len(staying)} of its {_many(len(clauses), 'clause')} {verb} in"
            f" {percent(_share_after(record, staying, start))} of the calls that can show it, to the end: {what} changed"
        )
    return f"{told}. If that is right, mine it again from traces of that time; if not, mend the tool."


def _share_after(record: ToolRecord, staying: Sequence["ClauseDrift"], start: int) -> float:
    """Return the share of calls from a place on that break one of the clauses, of those that could."""
    broken, judged = (_places(record, staying, states) for states in ({BROKEN}, {HELD, BROKEN}))
    return sum(place >= start for place in broken) / sum(place >= start for place in judged)


def _news(drifting: Sequence["ClauseDrift"]) -> str:
    """Name what is new, the most common first."""
    ranked = sorted(drifting, key=lambda clause: (-clause.broken, clause.id))
    said = [_new(clause) for clause in ranked[:MOST_NAMED]]
    more = len(ranked) - MOST_NAMED
    return ", ".join(said) + (f" and {_many(more, 'more clause')}" if more > 0 else "")


def _new(clause: "ClauseDrift") -> str:
    where = clause.clause.path or "the result"
    if clause.alike == clause.broken or clause.alike >= AFTERWARDS:
        return f"{where} ({clause.clause.kind}) is {clip_text(clause.observed)!r} in {_many(clause.alike, 'task')}"
    return f"{where} is beyond its {clause.clause.kind} in {clause.broken} of {_many(clause.tasks, 'task')}"


def _faults(record: ToolRecord, clauses: Sequence["ClauseDrift"]) -> str:
    broken = [clause for clause in clauses if clause.broken]
    places = sorted(_places(record, broken, {BROKEN}))
    told = f"{record.flagged} of {_calls(record)} {'breaks' if record.flagged == 1 else 'break'} {_many(len(broken), 'clause')}"
    if not places and len(record.tasks) < record.calls:
        return f"{told}, and none of those looked at: faults, no drift."
    if not places:
        return f"{told}: its results are those of another tool."
    first, last = places[0], places[-1]
    over = len(record.tasks) - 1 - last >= AFTERWARDS
    if over and len(places) >= AFTERWARDS and len(places) >= 0.8 * (last - first + 1):
        return f"{told}, all from {_at(record, first)} to {_at(record, last)} and none since: faults that have passed."
    at_the_end = _broken_at_the_end(places, len(record.tasks))
    if at_the_end > 1:
        return f"{told}, and so do the last {at_the_end}: too few yet to tell drift from faults."
    if len(places) > len(record.tasks) // 2:
        return f"{told}: too few tasks, or too little in common, to tell drift from faults; look at them with `check`."
    return f"{told}, here and there, and the others are as the contract says: faults, no drift."


def _broken_at_the_end(places: Collection[int], calls: int) -> int:
    """Return how many calls up to the last are broken, one after the other."""
    number = 0
    while calls - 1 - number in places:
        number += 1
    return number


def _places(record: ToolRecord, clauses: Sequence["ClauseDrift"], states: Collection[int]) -> set[int]:
    """Return the calls that did one of these things to one of the clauses."""
    wanted = {id(clause.clause) for clause in clauses}
    return {
        place
        for found in record.clauses
        if id(found.clause) in wanted
        for place, state in enumerate(found.states)
        if state in states
    }


def _start(staying: Sequence["ClauseDrift"]) -> int:
    """Return the call at which most clauses turn, the first of those."""
    starts = Counter(clause.start for clause in staying)
    return min(starts, key=lambda start: (-starts[start], start))


def _since(record: ToolRecord, start: int) -> str:
    return "From the first of these calls on" if start == 0 else f"Since {_at(record, start)}"


def _at(record: ToolRecord, place: int) -> str:
    return record.times[place] or f"call {record.numbers[place] + 1}"


def _calls(record: ToolRecord) -> str:
    told = f"{_many(record.calls, 'call')} in {_many(record.number_of_tasks(), 'task')}"
    looked = len(record.tasks)
    return told if looked == record.calls else f"{told} ({looked:,} calls looked at)"


def _many(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
