"""One HTML page for a team, of recorded events: what its tools answer, which alerts there were, and what agents did next.

What is kept of events is bounded, and so is the page: where something is left out, the page says how much.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from outcome_monitors.contracts.identity import address
from outcome_monitors.contracts.registry import Registry
from outcome_monitors.events import CLEAN, FAILED, FLAGGED, NOT_CHECKED
from outcome_monitors.events.reader import read_events, read_last
from outcome_monitors.events.summary import EventCounts, EventSummary
from outcome_monitors.jsonvalue.display import clip
from outcome_monitors.model import Json
from outcome_monitors.reports import ChartColumn, Markup, Share, columns, count, meter, percent
from outcome_monitors.reports.page import style
from outcome_monitors.rules import explain
from outcome_monitors.storage.storage import EventTable

from .followups import DEEDS, NOTHING, UNKNOWN, Followups, Next
from .history import time_steps
from .pages import name, render

MOST_CODES = 25
MOST_RECEIPTS = 25
MOST_SORTS = 1000
MOST_TOOLS = 60
MOST_VIOLATIONS = 4
MOST_CONTRACTS, MOST_CLAUSES = 40, 30
LONGEST_SAMPLE = 1200
ALL_EVENTS = 10**9

_WHO = {True: "Agents that saw the receipt", False: "Agents that saw the result alone"}
_RECEIPT = {True: "Receipt", False: "Receipt (the agent did not see it)"}

Sides = Callable[[Mapping[str, Any]], Mapping[str, Json]]
"""Returns the arguments and the result of an event, where they are known."""
Key = tuple[str, str, str]
"""A sort of alert: the tool, and the code and the path of its first violation."""


@dataclass(frozen=True, slots=True)
class TeamReport:
    """What the page is made of."""

    events: EventTable
    registry: Registry
    named: str
    """What was read."""
    contracts: str
    sides: Sides = lambda event: {side: event[side] for side in ("arguments", "result") if side in event}
    live: bool = True
    """The events are of results that were checked on their way to agents, not of traces that were checked now."""
    skipped: int = 0
    """Lines that are no call."""


@dataclass(slots=True)
class AlarmSort:
    """Flagged results of one sort: the number of the first, what followed it, how many there were, and when the last was."""

    first: int
    next: Next
    number: int = 0
    last: str = ""


@dataclass(slots=True)
class Alarms:
    """The flagged results."""

    codes: Counter[str] = field(default_factory=Counter)
    """Flagged results that bear each violation code."""
    sorts: dict[Key, AlarmSort] = field(default_factory=dict)
    followups: Followups = field(default_factory=Followups)

    def add(self, event: dict[str, Any]) -> None:
        """Count an event."""
        coming = self.followups.add(event)
        if coming is None:
            return
        violations = event.get("violations", [])
        # The codes of traces are few; events may come from elsewhere, and name any.
        codes = {str(one.get("code")) for one in violations}
        self.codes.update(code for code in codes if code in self.codes or len(self.codes) < MOST_SORTS)
        first = violations[0] if violations else {}
        key = event["tool"], str(first.get("code", "")), str(first.get("path", ""))
        if key in self.sorts or len(self.sorts) < MOST_SORTS:
            sort = self.sorts.setdefault(key, AlarmSort(event["event"], coming))
            sort.number, sort.last = sort.number + 1, event["time"]


def as_html(report: TeamReport, summary: EventSummary) -> str:
    """Return the page: the same bytes for the same events."""
    alarms, total, contracts = Alarms(), summary.total, report.registry.contracts
    for event in read_events(report.events):
        alarms.add(event)
    clauses = sum(len(contract.clauses) for contract in contracts.values())
    flagged = total.outcomes[FLAGGED]
    covered = Share(total.checked + total.outcomes[FAILED], total.results - total.outcomes[NOT_CHECKED])
    codes = sorted(alarms.codes.items(), key=lambda item: (-item[1], item[0]))
    sorts = sorted(alarms.sorts.items(), key=lambda item: (-item[1].number, item[0]))[:MOST_RECEIPTS]
    ranked = sorted(
        summary.tools, key=lambda tool: (-summary.tools[tool].outcomes[FLAGGED], -_calls(summary, tool), tool)
    )
    page = render(
        "report.html",
        style=Markup(style()),
        report=report,
        figures=[
            (f"{total.results:,}", f"calls of {count(len(summary.tools), 'tool')}"),
            (percent(covered.value), f"of results are held against a contract ({covered})"),
            (
                f"{flagged:,}",
                f"results flagged, {percent(Share(flagged, total.checked).value)} of those checked",
            ),
            (f"{clauses:,}", f"clauses for {count(len(contracts), 'tool')}"),
        ],
        flagged=flagged,
        time=_over_time(report.events),
        codes=[(name(code), f"{number:,}", meter(number / flagged)) for code, number in codes[:MOST_CODES]],
        all_codes=len(codes),
        sorts=[_sort(key, sort, report) for key, sort in sorts],
        rest=flagged - sum(sort.number for _, sort in sorts),
        next=[*_next_steps(alarms.followups)],
        tools=[_tool(tool, summary.tools[tool], report.registry) for tool in ranked[:MOST_TOOLS]],
        all_tools=len(ranked),
        unused=sum(tool not in summary.tools for tool in contracts),
        contracts=[*_contracts(report.registry, summary)],
        unchecked=[*_unchecked(report, total)],
    )
    return f"{page.strip()}\n"


def _calls(summary: EventSummary, tool: str) -> int:
    return summary.tools[tool].results if tool in summary.tools else 0


def _over_time(events: EventTable) -> dict[str, Any] | None:
    """Return the chart of flagged results over time, and its figures; None where no event has a time."""
    unit, history = time_steps(events, ALL_EVENTS)
    seen, flagged = Counter[float](), Counter[float]()
    for step in (step for steps in history.values() for step in steps):
        seen[step.begin] += step.seen
        flagged[step.begin] += step.flagged
    if not seen:
        return None
    first, last = min(seen), max(seen)
    begins = [first + place * unit for place in range(round((last - first) / unit) + 1)]
    form = "%d %b %Y" if unit >= 86400 else "%d %b %H:%M"
    when = {begin: f"{datetime.fromtimestamp(begin, UTC):{form}}" for begin in begins}
    most = max(begins, key=lambda begin: flagged[begin])
    drawn = columns(
        f"Flagged results: {when[first]} to {when[last]}, at most {flagged[most]:,} ({when[most]})",
        [
            ChartColumn(
                when[one],
                flagged[one],
                f"{when[one]}: {flagged[one]:,} of {count(seen[one], 'result')} flagged",
            )
            for one in begins
        ],
    )
    rows = [
        (when[one], f"{seen[one]:,}", f"{flagged[one]:,}", percent(Share(flagged[one], seen[one]).value))
        for one in begins
    ]
    return {"drawn": drawn, "rows": rows}


def _sort(key: Key, sort: AlarmSort, report: TeamReport) -> dict[str, Any]:
    """Return a sort of alert: what was broken, and the first result with its receipt."""
    tool, code, path = key
    [event] = read_last(report.events, 1, after=sort.first - 1, before=sort.first + 1)
    broken = event.get("violations", [])
    words = [_words(one) for one in broken[:MOST_VIOLATIONS]]
    if len(broken) > MOST_VIOLATIONS:
        words.append(f"And {count(len(broken) - MOST_VIOLATIONS, 'more violation')}.")
    said = [f"First at {name(event['why'], 200)}."] if event.get("why") else []
    if not event["time"].startswith("1970-01-01"):
        said.append(f"First seen {event['time'][:16]}, last {sort.last[:16]} UTC.")
    return {
        "heading": f"{name(tool)}: {name(code)} at {name(path) if path else 'the result itself'} ({count(sort.number, 'alert')})",
        "broken": words,
        "sides": [(side.capitalize(), _sample(value)) for side, value in report.sides(event).items()],
        "caption": _RECEIPT[bool(event["told"])],
        "receipt": _sample(event.get("receipt")),
        "said": " ".join([*said, f"Next, after the first: {_deed(sort.next)}."]),
    }


def _words(violation: Mapping[str, Any]) -> str:
    said = f"{name(str(violation.get('detail') or violation.get('code') or ''), 300)}."
    clause = violation.get("clause")
    return f"{said} [{name(str(clause), 200)}]" if clause else said


def _sample(value: Json) -> str:
    """Write the beginning of a JSON value; one too deep to be written is named by its size."""
    try:
        text = json.dumps(value, indent=2, ensure_ascii=False)
    except (RecursionError, ValueError):
        return str(clip(value))
    return text if len(text) <= LONGEST_SAMPLE else f"{text[:LONGEST_SAMPLE]}…"


def _deed(following: Next) -> str:
    if following.deed == UNKNOWN:
        return DEEDS[UNKNOWN]
    if following.deed == NOTHING:
        return f"the agent {DEEDS[NOTHING]}"
    outcome = following.outcome.replace("_", " ")
    return f"the agent {DEEDS[following.deed]} ({name(following.tool)}), and that result was {outcome}"


def _next_steps(followups: Followups) -> Iterator[tuple[str, list[tuple[str, ...]]]]:
    """Yield what agents did after alerts: those who saw the receipt apart from the others."""
    for told, heading in _WHO.items():
        counts, outcomes = followups.counts[told], followups.outcomes
        rows = list[tuple[str, ...]]()
        for deed, words in DEEDS.items():
            clean = outcomes[told, deed, CLEAN]
            checked = clean + outcomes[told, deed, FLAGGED]
            if counts.total() and (counts[deed] or deed != UNKNOWN):
                share = meter(counts[deed] / counts.total())
                rows.append(
                    (words, f"{counts[deed]:,}", share, f"{clean:,} of {checked:,}" if checked else "")
                )
        if rows:
            yield f"{heading}: {count(counts.total(), 'alert')}", rows


def _tool(tool: str, counts: EventCounts, registry: Registry) -> tuple[str, ...]:
    """Return what became of a tool's results."""
    flagged, contract = counts.outcomes[FLAGGED], registry.contracts.get(tool)
    return (
        name(tool),
        f"{counts.results:,}",
        f"{counts.checked:,}",
        percent(counts.checked / counts.results),
        f"{flagged:,}",
        percent(Share(flagged, counts.checked).value),
        "no contract" if contract is None else f"{len(contract.clauses):,}",
        "; ".join(f"{name(why)}: {number:,}" for why, number in counts.why_not().items()),
    )


def _contracts(registry: Registry, summary: EventSummary) -> Iterator[tuple[str, int, list[tuple[str, ...]]]]:
    """Yield what is demanded of each tool's results in words, and how much speaks for it."""
    ranked = sorted(registry.contracts, key=lambda tool: (-_calls(summary, tool), tool))
    for tool in ranked[:MOST_CONTRACTS]:
        clauses = registry.contracts[tool].clauses
        # The sort is stable: among equals the order of the contract file stays.
        best = sorted(clauses, key=lambda clause: -clause.tasks)[:MOST_CLAUSES]
        rows: list[tuple[str, ...]] = [
            (
                name(explain(clause), 240),
                f"{clause.tasks:,}" if clause.samples else "",
                f"{clause.samples:,}" if clause.samples else "",
                name(clause.source),
                name(address(tool, clause), 240),
            )
            for clause in best
        ]
        yield name(tool), len(clauses), rows


def _unchecked(report: TeamReport, total: EventCounts) -> Iterator[str]:
    for number, noun, words in (
        (total.outcomes[NOT_CHECKED], "call", "failed openly, or had nothing that could be checked"),
        (total.outcomes[FAILED], "check", "had an internal error"),
        (report.skipped, "line", "of the traces could not be read"),
    ):
        if number:
            yield f"{count(number, noun)} {words}"
