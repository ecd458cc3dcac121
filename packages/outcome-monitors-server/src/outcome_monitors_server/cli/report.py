"""`report`: one HTML page for a team, of the calls that it checks, or of what a state has on record."""

from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from itertools import islice
from pathlib import Path

import click

from outcome_monitors.cli._check_traces import Checked, CheckTally, check_all, monitor_of
from outcome_monitors.cli._output import count, printable, progress, warn, write
from outcome_monitors.cli._relations_build import contracts_of
from outcome_monitors.cli._stores import is_same_file, query_options, required, with_query
from outcome_monitors.contracts.identity import name_clause
from outcome_monitors.contracts.registry import Registry
from outcome_monitors.events import FLAGGED, EventPlace, read_events
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.learning.folder import StateFolder
from outcome_monitors.model import Call
from outcome_monitors.recovery.relations import Relations
from outcome_monitors.state.address import shown
from outcome_monitors.state.homes import is_home
from outcome_monitors.traces.reader import Located, TraceReport, read_located
from outcome_monitors.values.files import FilePath, write_atomically
from outcome_monitors.values.folders import recorded
from outcome_monitors_server.report import Observation, TeamReport, TeamTally, as_html, from_event, read_audit
from outcome_monitors_server.report.observation import read_time

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
@query_options
def command(
    traces: tuple[str, ...],
    contracts: str | None,
    relations: str | None,
    events: str | None,
    audit: str | None,
    output: str,
    strict: bool,
    sql: str | None,
    dsn: str | None,
) -> int:
    """Write one HTML page: tools, coverage, contracts, alerts over time, receipts, and what agents did next.

    TRACES may be a state folder, which needs no other argument.
    """
    given = {"relations": relations, "events": events, "audit": audit}
    made_from = {what: shown(file) for what, file in given.items() if file is not None}
    figures = read_audit(audit) if audit is not None else None
    substitutes = Relations.load(relations) if relations is not None else None
    if len(traces) == 1 and sql is None and is_home(traces[0]):
        _refuse_overwriting(output, (*made_from.values(), *([contracts] if contracts else [])))
        registry = contracts_of(contracts) if contracts is not None else None
        live = _of_state(traces[0], events, registry)
        return _written(output, replace(live, relations=substitutes, audit=figures, made_from=made_from))
    inputs = required(with_query(traces, sql, dsn))
    if contracts is None:
        raise click.UsageError(
            "Missing option '--contracts'; a folder that a proxy learns in needs none, a file does"
        )
    _refuse_overwriting(output, (*traces, contracts, *made_from.values()))
    registry = contracts_of(contracts)
    recorded = _tallied(map(from_event, read_events(events))) if events is not None else None
    lines = TraceReport(on_skip=None if strict else lambda line: warn(f"{line}; the line is skipped"))
    checks = CheckTally()
    checked = check_all(_read(inputs, strict, lines), monitor_of(contracts, None, substitutes), checks)
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

        store = EventPlace.at(events or state.events)
        tally = _tallied(with_result(from_event(event)) for event in progress(read_events(store), "event"))
        files = [str(store), *map(str, recorded(state.path))]
        known = state.registry() if registry is None else registry
        return TeamReport(known, tally, traces=files, contracts=state.name, live=True)


def _written(output: str, report: TeamReport) -> int:
    calls, events = report.calls, report.events
    write_atomically(output, as_html(report))
    write(printable(f"{output}: {count(calls.seen, 'call')}, {calls.flagged:,} flagged") + "\n")
    return int(bool(calls.flagged or (events and events.flagged)))


def _read(inputs: tuple[FilePath, ...], strict: bool, lines: TraceReport) -> Iterator[Located]:
    yield from progress(read_located(inputs, strict=strict, report=lines), "call")
    lines.require_calls()


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


def _refuse_overwriting(output: str, inputs: Iterable[str]) -> None:
    """Refuse what would be found out only after the work, or would destroy what is read."""
    target = Path(output)
    if not target.parent.is_dir():
        why = f"there is no folder {target.parent}; make it first"
    elif target.is_dir():
        why = "it is a folder; name a file in it"
    elif any(is_same_file(target, each) for each in inputs):
        why = "it is read from; choose another name"
    else:
        return
    raise OutcomeMonitorsError(f"cannot write {output}: {why}")
