"""The page: its parts in order, and what it says of itself."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from outcome_monitors.contracts.registry import Registry
from outcome_monitors.events import FAILED, NOT_CHECKED
from outcome_monitors.model import Json
from outcome_monitors.recovery.relations import Relations
from outcome_monitors.reports import Markup, Share, contents, page, paragraph, percent, section, tiles

from .alarms import kinds, next_steps, over_time, receipts
from .audit import told
from .relations import related
from .tally import TeamTally
from .tools import contracts, outcomes, tools
from .words import count, name

__all__ = ["TeamReport", "as_html"]

MOST_FILES = 5
NOTHING_TO_CHECK = {
    False: "failed openly, and had no result to check",
    True: "failed openly, or had nothing that could be checked",
}


@dataclass(frozen=True, slots=True)
class TeamReport:
    """All that the page is made of."""

    registry: Registry
    calls: TeamTally
    """What the contracts find in the traces."""
    relations: Relations | None = None
    events: TeamTally | None = None
    """What was recorded when results were checked on their way to agents."""
    audit: dict[str, Json] | None = None
    traces: Sequence[str] = ()
    """The names of the files."""
    contracts: str = "contracts"
    skipped: int = 0
    """Lines that are no call."""
    made_from: dict[str, str] = field(default_factory=dict)
    """The other files, by what they hold."""
    live: bool = False
    """The calls are what was recorded when results were checked on their way to agents, not traces that are checked now."""


class _PagePart(NamedTuple):
    anchor: str
    heading: str
    content: Iterator[Markup]


def as_html(report: TeamReport) -> str:
    """Return the page: the same bytes for the same report."""
    parts = list(_parts(report))
    return page(
        "How the tools are doing",
        f"{_files(report.traces)}, held against {name(report.contracts)}.",
        tiles(_tiles(report)),
        contents((part.anchor, part.heading) for part in parts),
        *(section(part.heading, *part.content, anchor=part.anchor) for part in parts),
    )


def _parts(report: TeamReport) -> Iterator[_PagePart]:
    calls = report.calls
    yield _PagePart("time", "Alarms over time", over_time(calls))
    yield _PagePart("receipts", "Alarms and receipts", _alarms(calls))
    if calls.flagged:
        yield _PagePart("next", "What agents did next", next_steps(calls))
    yield _PagePart("tools", "Tools and coverage", tools(calls, report.registry))
    yield _PagePart("contracts", "What the contracts demand", contracts(calls, report.registry))
    if report.events is not None:
        yield _PagePart("events", "On the way to agents", _events(report.events))
    if report.audit is not None:
        yield _PagePart("audit", "False alarms, and what would be caught", told(report.audit))
    if report.relations is not None:
        yield _PagePart("relations", "Which tools can stand in", related(report.relations, calls))
    yield _PagePart("method", "How to read this page", _method(report))


def _tiles(report: TeamReport) -> Iterator[tuple[str, str]]:
    calls = report.calls
    covered = Share(calls.covered, calls.seen - calls.outcomes[NOT_CHECKED])
    clauses = sum(len(contract.clauses) for contract in report.registry.contracts.values())
    yield f"{calls.seen:,}", f"calls of {count(len(calls.tools), 'tool')}"
    yield percent(covered.value), f"of results are held against a contract ({covered})"
    yield (
        f"{calls.flagged:,}",
        f"results flagged, {percent(Share(calls.flagged, calls.checked).value)} of those checked",
    )
    yield f"{clauses:,}", f"clauses for {count(len(report.registry.contracts), 'tool')}"


def _alarms(tally: TeamTally) -> Iterator[Markup]:
    yield from kinds(tally)
    yield from receipts(tally)


def _events(events: TeamTally) -> Iterator[Markup]:
    yield paragraph(
        f"What proxies and adapters recorded: {count(events.seen, 'result')}, {events.flagged:,} of them flagged."
    )
    yield from outcomes(events)
    yield from over_time(events)
    if events.flagged:
        yield from _alarms(events)
        yield from next_steps(events)


def _method(report: TeamReport) -> Iterator[Markup]:
    calls = report.calls
    yield paragraph(
        "The figures are those of the events: every result was checked when it came, by the contracts of that time. A flagged"
        " result breaks at least one clause; it may still be right, and agents are told only of what is proven and likely wrong."
        if report.live
        else "Every result of the traces was checked now, calls of one session in order. A flagged result breaks at least one"
        " clause; it may still be right. Contracts that were learned from these very calls flag fewer of them than of new"
        " ones: for a fair figure, see an audit."
    )
    others = (
        (calls.outcomes[NOT_CHECKED], "call", NOTHING_TO_CHECK[report.live]),
        (calls.outcomes[FAILED], "check", "went wrong inside"),
        (report.skipped, "line", "of the traces could not be read"),
    )
    said = [f"{count(number, noun)} {words}" for number, noun, words in others if number]
    if said:
        yield paragraph(f"{'; '.join(said)}.")
    if report.made_from:
        files = (f"{what} {name(file, 200)}" for what, file in report.made_from.items())
        yield paragraph(f"Also read: {'; '.join(files)}.")


def _files(names: Sequence[str]) -> str:
    shown = ", ".join(name(each) for each in names[:MOST_FILES]) or "Traces"
    return f"{shown} and {count(len(names) - MOST_FILES, 'other file')}" if len(names) > MOST_FILES else shown
