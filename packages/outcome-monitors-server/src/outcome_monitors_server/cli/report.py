"""`report`: one HTML page for a team, of the calls that it checks, or of what a state has on record."""

from collections.abc import Iterable
from contextlib import closing
from dataclasses import replace
from itertools import islice

import click

from outcome_monitors.cli._inputs import (
    TraceInputs,
    refuse_output,
    required,
    trace_files,
    trace_report,
)
from outcome_monitors.cli._output import count, printable, progress, write
from outcome_monitors.cli.check import Checked, CheckTally, check_all, monitor_of
from outcome_monitors.contracts.identity import name_clause
from outcome_monitors.contracts.loading import load_contracts
from outcome_monitors.contracts.registry import Registry
from outcome_monitors.events import FLAGGED, events_at, read_events
from outcome_monitors.files import write_atomically
from outcome_monitors.learning.folder import StateFolder
from outcome_monitors.model import Call
from outcome_monitors.recovery.relations import Relations
from outcome_monitors.storage.address import shown
from outcome_monitors.storage.layout import recorded
from outcome_monitors.storage.opening import is_state
from outcome_monitors_server.report import Observation, TeamReport, TeamTally, as_html, from_event, read_audit
from outcome_monitors_server.report.tally import read_time

__all__ = ["command"]

MOST_RESULTS = 20_000
"""Flagged results of the traces that are looked for among the events; of each sort of alarm the page shows one."""
NEAR = 5.0
"""Seconds between an event and the trace line of the same call, at most."""

EPILOG = """\b
Example:
  outcome-monitors report today.jsonl --contracts contracts.json -o report.html

Exit status: 0 nothing was flagged, 1 something was, 2 the work could not be done."""


@click.command("report", epilog=EPILOG)
@click.argument("traces", nargs=-1)
@click.option("--contracts", metavar="FILE", help="A contract file; not needed for a state folder.")
@click.option("--relations", metavar="FILE", help="Recovery relations.")
@click.option("--events", metavar="FILE", help="An event store.")
@click.option("--audit", metavar="FILE", help="Figures of `audit --json`.")
@click.option("-o", "--output", metavar="FILE", default="report.html", help="The page to write.")
@click.option("--strict", is_flag=True, help="Fail on the first bad line.")
def command(
    traces: tuple[str, ...],
    contracts: str | None,
    relations: str | None,
    events: str | None,
    audit: str | None,
    output: str,
    strict: bool,
) -> int:
    """Write one HTML page: tools, coverage, contracts, alerts over time, receipts, and what agents did next.

    TRACES may be a state folder, which needs no other argument.
    """
    given = {"relations": relations, "events": events, "audit": audit}
    made_from = {what: shown(file) for what, file in given.items() if file is not None}
    figures = read_audit(audit) if audit is not None else None
    substitutes = Relations.load(relations) if relations is not None else None
    if len(traces) == 1 and is_state(traces[0]):
        refuse_output(output, (*made_from.values(), *([contracts] if contracts else [])))
        registry = load_contracts(contracts) if contracts is not None else None
        live = _of_state(traces[0], events, registry)
        return _written(output, replace(live, relations=substitutes, audit=figures, made_from=made_from))
    inputs = required(trace_files(traces))
    if contracts is None:
        raise click.UsageError(
            "Missing option '--contracts'; a folder that a proxy learns in needs none, a file does"
        )
    refuse_output(output, (*traces, contracts, *made_from.values()))
    registry = load_contracts(contracts)
    recorded = _tallied(map(from_event, read_events(events))) if events is not None else None
    lines = trace_report(strict)
    calls_read = TraceInputs(inputs, strict).located(lines)
    checked = check_all(calls_read, monitor_of(contracts, substitutes), CheckTally())
    calls = _tallied(map(_observed, checked))
    return _written(
        output,
        TeamReport(
            registry, calls, substitutes, recorded, figures, lines.files, contracts, lines.skipped, made_from
        ),
    )


def _of_state(place: str, events: str | None, registry: Registry | None) -> TeamReport:
    """Return the report on a state: its events are what happened, its traces what the flagged results were."""
    with closing(StateFolder.at(place)) as state:
        flagged: dict[tuple[str, str | None, str], list[Call]] = {}
        for call in islice(
            (call for call in state.calls() if call.extra.get("flagged") is True), MOST_RESULTS
        ):
            findings = call.extra.get("findings")
            broken = str(findings[0][0]) if isinstance(findings, list) and findings and findings[0] else ""
            flagged.setdefault((call.tool, call.session, broken), []).append(call)

        def with_result(seen: Observation) -> Observation:
            if seen.outcome != FLAGGED or seen.payload or not seen.clauses or seen.time is None:
                return seen
            for call in flagged.get((seen.tool, seen.session, seen.clauses[0]), ()):
                time = read_time(call.extra.get("time"))
                if time is not None and abs((time - seen.time).total_seconds()) <= NEAR:
                    return seen._replace(payload={"arguments": dict(call.arguments), "result": call.result})
            return seen

        store = events_at(events or state.events)
        tally = _tallied(with_result(from_event(event)) for event in progress(read_events(store), "event"))
        files = [str(store), *map(str, recorded(state.path))]
        known = state.registry() if registry is None else registry
        return TeamReport(known, tally, traces=files, contracts=state.name, live=True)


def _written(output: str, report: TeamReport) -> int:
    calls, events = report.calls, report.events
    write_atomically(output, as_html(report))
    write(printable(f"{output}: {count(calls.seen, 'call')}, {calls.flagged:,} flagged") + "\n")
    return int(bool(calls.flagged or (events and events.flagged)))


def _tallied(observations: Iterable[Observation]) -> TeamTally:
    tally = TeamTally()
    for seen in observations:
        tally.add(seen)
    return tally


def _observed(checked: Checked) -> Observation:
    """Return what was made of a call."""
    file, line, call = checked.located
    outcome = checked.outcome
    why = {"an open failure": "the call failed openly", "no clause": "its contract has no clause"}
    return Observation(
        tool=call.tool,
        outcome=outcome.verdict,
        time=read_time(call.extra.get("time")),
        session=call.session,
        violations=outcome.violations,
        receipt=outcome.receipt,
        listed=outcome.recovery,
        where=f"{file}:{line}",
        payload={"arguments": dict(call.arguments), "result": call.result} if outcome.broken else None,
        why=why.get(outcome.why, outcome.why),
        clauses=[name_clause(call.tool, clause).address for clause, _ in outcome.broken],
    )
