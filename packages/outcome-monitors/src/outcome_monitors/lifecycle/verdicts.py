"""One sentence a tool: what today's results say about its contract, and what to do."""

from collections import Counter
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from outcome_monitors.jsonvalue.display import clip_text
from outcome_monitors.reports import percent
from outcome_monitors.rules import KINDS

from .clause_record import BROKEN, HELD, ToolRecord

if TYPE_CHECKING:
    from .drift import ClauseDrift

__all__ = ["at_call", "sentence"]

MOST_NAMED = 3
AFTERWARDS = 5
"""So many clean calls after the last broken one say that it is over."""


def sentence(record: ToolRecord, clauses: Sequence["ClauseDrift"], drifting: Sequence["ClauseDrift"]) -> str:
    """Say of a tool whether it is as its contract says, has faults, or drifts."""
    if not record.calls:
        return "It was not called, and so nothing can be said."
    if drifting:
        said = _drifts(record, clauses, drifting)
        return f"{said}. If that is right, mine it again from traces of that time; if not, mend the tool."
    if record.flagged:
        return _faults(record, clauses)
    return f"It is as its contract says: {_calls(record)}, {_many(len(clauses), 'clause')}, none broken."


def _drifts(record: ToolRecord, clauses: Sequence["ClauseDrift"], drifting: Sequence["ClauseDrift"]) -> str:
    staying = [clause for clause in drifting if clause.stays]
    if not staying:
        # What is new, the most common first.
        ranked = sorted(drifting, key=lambda clause: (-clause.broken, clause.id))
        more = f" and {_many(len(ranked) - MOST_NAMED, 'more clause')}" if len(ranked) > MOST_NAMED else ""
        said = ", ".join(map(_new, ranked[:MOST_NAMED]))
        return f"Most of it still holds, but {said}{more}: its data has changed"
    # The call at which most clauses turn, the first of those.
    starts = Counter(clause.start for clause in staying)
    start = min(starts, key=lambda place: (-starts[place], place))
    since = "From the first of these calls on" if start == 0 else f"Since {at_call(record, start)}"
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
        f"{since} {len(staying)} of its {_many(len(clauses), 'clause')} {'breaks' if len(staying) == 1 else 'break'}"
        f" in {percent(broken / judged)} of the calls that can show it, to the end: {what} changed"
    )


def _new(clause: "ClauseDrift") -> str:
    where = clause.clause.path or "the result"
    if clause.alike == clause.broken or clause.alike >= AFTERWARDS:
        return f"{where} ({clause.clause.kind}) is {clip_text(clause.observed)!r} in {_many(clause.alike, 'task')}"
    return f"{where} is beyond its {clause.clause.kind} in {clause.broken} of {_many(clause.tasks, 'task')}"


def _faults(record: ToolRecord, clauses: Sequence["ClauseDrift"]) -> str:
    broken = [clause for clause in clauses if clause.broken]
    places, looked_at = sorted(_places(record, broken, {BROKEN})), len(record.tasks)
    breaks = "breaks" if record.flagged == 1 else "break"
    told = f"{record.flagged} of {_calls(record)} {breaks} {_many(len(broken), 'clause')}"
    if not places:
        none = "none of those looked at: faults, no drift"
        return f"{told}, and {none}." if looked_at < record.calls else f"{told}: another tool's results."
    first, last = places[0], places[-1]
    if looked_at - 1 - last >= AFTERWARDS and len(places) >= max(AFTERWARDS, 0.8 * (last - first + 1)):
        return f"{told}, all from {at_call(record, first)} to {at_call(record, last)} and none since: faults that have passed."
    at_the_end = next((n for n in range(looked_at) if looked_at - 1 - n not in places), looked_at)
    if at_the_end > 1:
        return f"{told}, and so do the last {at_the_end}: too few yet to tell drift from faults."
    if len(places) > looked_at // 2:
        return f"{told}: too few tasks, or too little in common, to tell drift from faults; look at them with `check`."
    return f"{told}, here and there, and the others are as the contract says: faults, no drift."


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


def at_call(record: ToolRecord, place: int) -> str:
    """Name a call by its time, or by its number where the traces have no times."""
    return record.times[place] or f"call {record.numbers[place] + 1}"


def _calls(record: ToolRecord) -> str:
    told = f"{_many(record.calls, 'call')} in {_many(record.number_of_tasks(), 'task')}"
    looked = len(record.tasks)
    return told if looked == record.calls else f"{told} ({looked:,} calls looked at)"


def _many(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
