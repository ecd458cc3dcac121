"""The alarms: when they were, which there are, the receipts themselves, and what agents did next."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import zip_longest

from outcome_monitors.model import Violation
from outcome_monitors.reports import (
    ChartColumn,
    Markup,
    code,
    columns,
    element,
    folded,
    meter,
    paragraph,
    percent,
    table,
)

from .followups import DEEDS, NOTHING, UNKNOWN, Next
from .tally import AlarmSort, Key, TeamTally
from .timeline import TimeStep, Unit
from .words import count, left_out, name, note, sample

__all__ = ["kinds", "next_steps", "over_time", "receipts"]

MOST_CODES = 25
MOST_RECEIPTS = 25
UNFOLDED = 2

WHO = {
    True: "Agents that saw the receipt",
    False: "Agents that saw the result alone",
    None: "Agents of whom it is not known whether they saw a receipt",
}
RECEIPT = {
    True: "Receipt",
    False: "Receipt (the agent did not see it)",
    None: "Receipt, as a monitor gives it",
}


def over_time(tally: TeamTally) -> Iterator[Markup]:
    """Draw the alarms over time, and write the figures below."""
    unit, steps, outside = tally.timeline.steps()
    if not steps:
        yield paragraph("No call says when it was: a trace line has the time of the call as `time`.")
        return
    yield paragraph(f"Results that broke their contract, by {unit.name}, in UTC.")
    yield columns(
        f"Flagged results by {unit.name}: {_range(unit, steps)}",
        [ChartColumn(_written(unit, step), step.flagged, _hint(unit, step)) for step in steps],
    )
    if outside or tally.timeline.without_time:
        yield element(
            "p",
            f"Not shown: {count(outside, 'result')} from long before or after,"
            f" {count(tally.timeline.without_time, 'result')} without a time.",
            class_="note",
        )
    yield folded(
        "The figures",
        table(
            (unit.name, ">results", ">flagged", ">share"),
            [
                (_written(unit, step), f"{step.seen:,}", f"{step.flagged:,}", _share(step.flagged, step.seen))
                for step in steps
            ],
        ),
    )


def kinds(tally: TeamTally) -> Iterator[Markup]:
    """Write how many results bear each violation code."""
    if not tally.flagged:
        return
    shown = sorted(tally.codes.items(), key=lambda item: (-item[1], item[0]))[:MOST_CODES]
    yield table(
        ("violation", ">results", "share of alarms"),
        [(name(code_), f"{number:,}", meter(number / tally.flagged)) for code_, number in shown],
        stacked=True,
    )
    yield from note(left_out(len(shown), len(tally.codes), "violation code"))


def receipts(tally: TeamTally) -> Iterator[Markup]:
    """Show the first receipt of each sort of alarm, the most frequent sorts first."""
    if not tally.flagged:
        yield paragraph("No result broke its contract.")
        return
    yield paragraph(
        "Alarms for the same tool, violation and place are one sort. Of each, its first result and the receipt for it."
    )
    ranked = sorted(tally.sorts.items(), key=lambda item: (-item[1].count, item[0]))
    for place, (key, sort) in enumerate(ranked[:MOST_RECEIPTS]):
        yield _receipt(key, sort, unfolded=place < UNFOLDED)
    shown = sum(sort.count for _, sort in ranked[:MOST_RECEIPTS])
    yield from note(
        f"Of rarer sorts, not shown: {count(tally.flagged - shown, 'alarm')}."
        if shown < tally.flagged
        else ""
    )


def next_steps(tally: TeamTally) -> Iterator[Markup]:
    """Write what agents did after alarms: those who saw the receipt apart from the others."""
    for told, heading in WHO.items():
        counts = tally.followups.counts[told]
        whole = counts.total()
        if not whole:
            continue
        yield element("h3", f"{heading}: {count(whole, 'alarm')}")
        yield table(
            ("next, the agent", ">alarms", "share", "next result clean"),
            [
                (words, f"{counts[deed]:,}", meter(counts[deed] / whole), _clean(tally, told, deed))
                for deed, words in DEEDS.items()
                if counts[deed] or deed != UNKNOWN
            ],
            stacked=True,
        )
    if tally.flagged:
        yield element(
            "p",
            "The next call is the next one of the same session. Where an agent calls tools at the same time, that is not"
            " always an answer to the alarm.",
            class_="note",
        )


def _receipt(key: Key, sort: AlarmSort, *, unfolded: bool) -> Markup:
    tool, violated, path = key
    alarm = sort.example
    parts = [code(str(text), side.capitalize()) for side, text in (alarm.payload or {}).items()]
    return folded(
        f"{name(tool)}: {name(violated)} at {name(path) if path else 'the result itself'} ({count(sort.count, 'alarm')})",
        element("ul", *(element("li", words) for words in _violations(sort))),
        element(
            "div",
            *([element("div", *parts)] if parts else []),
            code(str(alarm.receipt), RECEIPT[alarm.told]),
            class_="pair",
        ),
        element("p", " ".join(_circumstances(sort)), class_="note"),
        unfolded=unfolded,
    )


def _violations(sort: AlarmSort) -> Iterator[str]:
    named = sort.example.clauses
    for violation, clause in zip_longest(sort.example.violations, named[: len(sort.example.violations)]):
        yield f"{_words(violation)} [{name(clause, 200)}]" if clause else _words(violation)
    if sort.more:
        yield f"And {count(sort.more, 'more violation')}."


def _words(violation: Violation) -> str:
    support = f" This held in {count(violation.tasks, 'task')}." if violation.tasks else ""
    closest = "" if violation.closest is None else f" Closest clean value: {name(sample(violation.closest))}."
    return f"{name(violation.detail or violation.code, 300)}.{support}{closest}"


def _circumstances(sort: AlarmSort) -> Iterator[str]:
    alarm = sort.example
    if alarm.where:
        yield f"First at {name(alarm.where, 200)}."
    if alarm.time is not None:
        last = f", last {_moment(sort.last)}" if sort.last is not None else ""
        yield f"First seen {_moment(alarm.time)}{last}."
    yield f"Next, after the first: {_deed(sort.next)}."


def _deed(following: Next) -> str:
    if following.deed in (NOTHING, UNKNOWN):
        return f"the agent {DEEDS[following.deed]}" if following.deed == NOTHING else DEEDS[UNKNOWN]
    return (
        f"the agent {DEEDS[following.deed]} ({name(following.tool)}), and that result was"
        f" {following.outcome.replace('_', ' ')}"
    )


def _clean(tally: TeamTally, told: bool | None, deed: str) -> str:
    clean, checked = tally.followups.clean_after(told, deed)
    return f"{clean:,} of {checked:,}" if checked else ""


def _share(part: int, whole: int) -> str:
    return percent(part / whole if whole else None)


def _moment(time: datetime) -> str:
    return f"{time:%Y-%m-%d %H:%M} UTC"


def _written(unit: Unit, step: TimeStep) -> str:
    return step.begin.strftime(unit.form)


def _range(unit: Unit, steps: Sequence[TimeStep]) -> str:
    most = max(steps, key=lambda step: step.flagged)
    return f"{_written(unit, steps[0])} to {_written(unit, steps[-1])}, at most {most.flagged:,} ({_written(unit, most)})"


def _hint(unit: Unit, step: TimeStep) -> str:
    return f"{_written(unit, step)}: {step.flagged:,} of {count(step.seen, 'result')} flagged"
