"""The page of a team: what its template needs, from what was counted."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from pathlib import Path
from typing import Any

from outcome_monitors.contracts.identity import address
from outcome_monitors.contracts.registry import Registry
from outcome_monitors.evaluation.figures import FORMAT, VERSION
from outcome_monitors.events import CLEAN, FAILED, FLAGGED, NOT_CHECKED, NOT_COVERED
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.files import FilePath
from outcome_monitors.model import Json, Violation
from outcome_monitors.recovery.relations import Relations
from outcome_monitors.reports import ChartColumn, Markup, Share, columns, meter, percent, span
from outcome_monitors.reports.charts import NARROW
from outcome_monitors.reports.page import style
from outcome_monitors.reports.relation_graph import arcs
from outcome_monitors.rules import explain
from outcome_monitors_server.pages import count, name, render

from .tally import DEEDS, NOTHING, UNKNOWN, AlarmSort, Key, Next, TeamTally, sample

__all__ = ["TeamReport", "as_html", "read_audit"]

MOST_FILES = 5
MOST_CODES = 25
MOST_RECEIPTS = 25
MOST_TOOLS = 60
MOST_CONTRACTS, MOST_CLAUSES = 40, 30
MOST_ROWS = 40
MOST_DRAWN, MOST_EACH, MOST_RELATIONS = 24, 3, 80
LARGEST_AUDIT = 64 * 2**20

_WHO = {
    True: "Agents that saw the receipt",
    False: "Agents that saw the result alone",
    None: "Agents of whom it is not known whether they saw a receipt",
}
_RECEIPT = {
    True: "Receipt",
    False: "Receipt (the agent did not see it)",
    None: "Receipt, as a monitor gives it",
}
_TIME = "%Y-%m-%d %H:%M UTC"


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


def as_html(report: TeamReport) -> str:
    """Return the page: the same bytes for the same report."""
    calls, registry = report.calls, report.registry
    shown = [name(file) for file in report.traces[:MOST_FILES]]
    more = len(report.traces) - len(shown)
    files = ", ".join(shown) or "Traces"
    clauses = sum(len(contract.clauses) for contract in registry.contracts.values())
    covered = Share(calls.covered, calls.seen - calls.outcomes[NOT_CHECKED])
    page = render(
        "report/report.html",
        style=Markup(style()),
        files=f"{files} and {count(more, 'other file')}" if more > 0 else files,
        report=report,
        figures=[
            (f"{calls.seen:,}", f"calls of {count(len(calls.tools), 'tool')}"),
            (percent(covered.value), f"of results are held against a contract ({covered})"),
            (
                f"{calls.flagged:,}",
                f"results flagged, {percent(Share(calls.flagged, calls.checked).value)} of those checked",
            ),
            (f"{clauses:,}", f"clauses for {count(len(registry.contracts), 'tool')}"),
        ],
        calls=_stream(calls),
        events=None if report.events is None else _stream(report.events),
        tools=[*_tools(calls, registry)],
        unused=sum(tool not in calls.tools for tool in registry.contracts),
        contracts=[*_contracts(calls, registry)],
        audit=None if report.audit is None else _audit(report.audit),
        relations=None if report.relations is None else _relations(report.relations, calls),
        untold=[*_unchecked(report)],
    )
    return f"{page.strip()}\n"


def _unchecked(report: TeamReport) -> Iterator[str]:
    nothing = "or had nothing that could be checked" if report.live else "and had no result to check"
    outcomes = report.calls.outcomes
    for number, noun, words in (
        (outcomes[NOT_CHECKED], "call", f"failed openly, {nothing}"),
        (outcomes[FAILED], "check", "went wrong inside"),
        (report.skipped, "line", "of the traces could not be read"),
    ):
        if number:
            yield f"{count(number, noun)} {words}"


def _stream(tally: TeamTally) -> dict[str, Any]:
    """Return what the page says of traces, and of events alike."""
    codes = sorted(tally.codes.items(), key=lambda item: (-item[1], item[0]))[:MOST_CODES]
    sorts = sorted(tally.sorts.items(), key=lambda item: (-item[1].count, item[0]))[:MOST_RECEIPTS]
    return {
        "tally": tally,
        "time": _over_time(tally),
        "codes": [(name(code), f"{number:,}", meter(number / tally.flagged)) for code, number in codes],
        "sorts": [_sort(key, sort) for key, sort in sorts],
        "rest": tally.flagged - sum(sort.count for _, sort in sorts),
        "next": [*_next_steps(tally)],
        "outcomes": [*_outcomes(tally)],
    }


def _over_time(tally: TeamTally) -> dict[str, Any] | None:
    unit, steps, outside = tally.timeline.steps()
    if not steps:
        return None

    def when(place: int) -> str:
        return steps[place].begin.strftime(unit.form)

    most = max(range(len(steps)), key=lambda place: steps[place].flagged)
    drawn = columns(
        f"Flagged results by {unit.name}: {when(0)} to {when(-1)}, at most {steps[most].flagged:,} ({when(most)})",
        [
            ChartColumn(
                when(place),
                step.flagged,
                f"{when(place)}: {step.flagged:,} of {count(step.seen, 'result')} flagged",
            )
            for place, step in enumerate(steps)
        ],
    )
    rows = [
        (when(place), f"{step.seen:,}", f"{step.flagged:,}", percent(Share(step.flagged, step.seen).value))
        for place, step in enumerate(steps)
    ]
    return {"unit": unit.name, "drawn": drawn, "outside": outside, "rows": rows}


def _sort(key: Key, sort: AlarmSort) -> dict[str, Any]:
    """Return a sort of alarm: what was broken, and the first result with its receipt."""
    tool, violated, path = key
    alarm = sort.example
    place = name(path) if path else "the result itself"
    broken = [
        f"{_words(violation)} [{name(clause, 200)}]" if clause else _words(violation)
        for violation, clause in zip_longest(alarm.violations, alarm.clauses[: len(alarm.violations)])
    ]
    if sort.more:
        broken.append(f"And {count(sort.more, 'more violation')}.")
    said = [f"First at {name(alarm.where, 200)}."] if alarm.where else []
    if alarm.time is not None:
        last = f", last {sort.last:{_TIME}}" if sort.last is not None else ""
        said.append(f"First seen {alarm.time:{_TIME}}{last}.")
    return {
        "heading": f"{name(tool)}: {name(violated)} at {place} ({count(sort.count, 'alert')})",
        "broken": broken,
        "sides": [(side.capitalize(), str(text)) for side, text in (alarm.payload or {}).items()],
        "caption": _RECEIPT[alarm.told],
        "receipt": str(alarm.receipt),
        "said": " ".join([*said, f"Next, after the first: {_deed(sort.next)}."]),
    }


def _words(violation: Violation) -> str:
    support = f" This held in {count(violation.tasks, 'task')}." if violation.tasks else ""
    closest = "" if violation.closest is None else f" Closest clean value: {name(sample(violation.closest))}."
    return f"{name(violation.detail or violation.code, 300)}.{support}{closest}"


def _deed(following: Next) -> str:
    if following.deed == UNKNOWN:
        return DEEDS[UNKNOWN]
    if following.deed == NOTHING:
        return f"the agent {DEEDS[NOTHING]}"
    outcome = following.outcome.replace("_", " ")
    return f"the agent {DEEDS[following.deed]} ({name(following.tool)}), and that result was {outcome}"


def _next_steps(tally: TeamTally) -> Iterator[tuple[str, list[tuple[str, ...]]]]:
    """Yield what agents did after alarms: those who saw the receipt apart from the others."""
    for told, heading in _WHO.items():
        counts, outcomes = tally.followups.counts[told], tally.followups.outcomes
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


def _ranked(tally: TeamTally) -> list[str]:
    found = tally.tools
    return sorted(found, key=lambda tool: (-found[tool][FLAGGED], -found[tool].total(), tool))


def _tools(tally: TeamTally, registry: Registry) -> Iterator[tuple[str, ...]]:
    """Yield what became of each tool's results, those with most alarms first."""
    for tool in _ranked(tally)[:MOST_TOOLS]:
        found, contract = tally.tools[tool], registry.contracts.get(tool)
        checked = found[CLEAN] + found[FLAGGED]
        yield (
            name(tool),
            f"{found.total():,}",
            f"{checked:,}",
            percent(checked / found.total()),
            f"{found[FLAGGED]:,}",
            percent(Share(found[FLAGGED], checked).value),
            "no contract" if contract is None else f"{len(contract.clauses):,}",
            _rest(tally, tool),
        )


def _outcomes(tally: TeamTally) -> Iterator[tuple[str, ...]]:
    """Yield the outcomes of each tool's results, those with most alarms first."""
    for tool in _ranked(tally)[:MOST_TOOLS]:
        found = tally.tools[tool]
        every = (f"{found[outcome]:,}" for outcome in (CLEAN, FLAGGED, NOT_COVERED, NOT_CHECKED, FAILED))
        share = percent((found[CLEAN] + found[FLAGGED]) / found.total())
        yield name(tool), *every, share, _rest(tally, tool)


def _rest(tally: TeamTally, tool: str) -> str:
    """Say why results of a tool were not checked, the commonest reason first; empty where all were."""
    reasons = tally.reasons.get(tool, Counter()).most_common()
    return "; ".join(f"{name(why)}: {number:,}" for why, number in reasons)


def _contracts(tally: TeamTally, registry: Registry) -> Iterator[tuple[str, int, list[tuple[str, ...]]]]:
    """Yield what is demanded of each tool's results in words, and how much speaks for it."""
    nothing = Counter[str]()

    def rank(tool: str) -> tuple[int, int, str]:
        found = tally.tools.get(tool, nothing)
        return -found[FLAGGED], -found.total(), tool

    for tool in sorted(registry.contracts, key=rank)[:MOST_CONTRACTS]:
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


def _relations(relations: Relations, tally: TeamTally) -> dict[str, Any]:
    """Return which tools can stand in for which, the tools that are called most first, and why."""
    ranked = sorted(
        relations, key=lambda tool: (-tally.tools[tool].total() if tool in tally.tools else 0, tool)
    )
    drawn = {
        name(tool): [replace(found, tool=name(found.tool)) for found in relations[tool][:MOST_EACH]]
        for tool in ranked[:MOST_DRAWN]
    }
    rows = [
        (name(tool), name(found.tool), f"{found.confidence:.2f}", name(found.source), name(found.why, 200))
        for tool in ranked
        for found in relations[tool]
    ]
    return {
        "tools": len(ranked),
        "drawn": arcs(Relations(drawn), width=NARROW, left=196, longest=29, kind="chart narrow"),
        "rows": rows[:MOST_RELATIONS],
        "number": len(rows),
    }


def _audit(audit: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the contracts flag in vain, and what they catch."""
    clean, tasks = (
        Share(int(found["flagged"]), int(found[whole]))
        for found, whole in ((audit["clean"], "calls"), (audit["clean"]["tasks"], "tasks"))
    )
    rate = "-" if clean.value is None else f"{clean.value:.2%}"
    settings = audit["settings"]
    codes = sorted(
        audit["codes"].items(), key=lambda item: (-int(item[1]["clean"]), -int(item[1]["faulted"]), item[0])
    )
    faults = [fault for fault in audit["faults"] if int(fault["n"])]
    figures = ("clean", "clean_alone", "faulted", "faulted_alone")
    return {
        "method": (
            f"Contracts were judged on tasks that they were not learned from ({int(settings['folds'])} folds, profile"
            f" {name(settings['profile'])}). Of {clean.whole:,} clean results {clean.part:,} were flagged,"
            f" {rate} (95% interval {span(clean.interval)}; budget {float(settings['budget']):.2%}), in {tasks} tasks."
        ),
        "advice": name(str(audit["advice"]), 600),
        "codes": [
            (name(code), *(f"{int(found[figure]):,}" for figure in figures))
            for code, found in codes[:MOST_ROWS]
        ],
        "all_codes": len(codes),
        "faults": [
            (
                name(fault["fault"]),
                name(fault["suite"]),
                f"{int(fault['n']):,}",
                meter(int(fault["caught"]) / int(fault["n"])),
            )
            for fault in faults[:MOST_ROWS]
        ],
        "all_faults": len(faults),
    }


def read_audit(path: FilePath) -> dict[str, Json]:
    """Read the figures of an audit; raise OutcomeMonitorsError where the file does not hold them."""
    hint = "name the file that `audit --json` wrote"
    try:
        if Path(path).stat().st_size > LARGEST_AUDIT:
            raise OutcomeMonitorsError(f"{path} is too large to be an audit; {hint}")
        document = json.loads(Path(path).read_bytes())
    except OSError as error:
        raise OutcomeMonitorsError(f"cannot read {path}: {error.strerror or error}") from None
    except (ValueError, RecursionError):
        raise OutcomeMonitorsError(f"{path} is not JSON; {hint}") from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise OutcomeMonitorsError(f"{path} is not an audit; {hint}")
    if document.get("version") != VERSION:
        raise OutcomeMonitorsError(f"{path} is an audit of another version; run `audit --json` again")
    try:
        # Every figure is taken once here, so that a broken file is refused before the page is made.
        _audit(document)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise OutcomeMonitorsError(
            f"{path} is a broken audit ({type(error).__name__}: {error}); run `audit --json` again"
        ) from None
    return document
