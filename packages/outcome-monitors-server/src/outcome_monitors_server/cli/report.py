"""`report`: one HTML page for a team, of what a state has on record, or of traces that are checked now."""

from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from outcome_monitors.cli._inputs import (
    TraceInputs,
    refuse_output,
    required,
    trace_files,
    trace_report,
)
from outcome_monitors.cli._output import count, printable, write
from outcome_monitors.cli.check import Checked, CheckTally, check_all, monitor_of
from outcome_monitors.contracts.identity import name_clause
from outcome_monitors.contracts.loading import load_contracts
from outcome_monitors.events import FLAGGED, Event, Payloads, events_at
from outcome_monitors.events.event import storable_row
from outcome_monitors.events.summary import summarise
from outcome_monitors.files import write_atomically
from outcome_monitors.learning.folder import StateFolder
from outcome_monitors.recovery.relations import Relations
from outcome_monitors.storage.event_file import EventFile
from outcome_monitors.storage.opening import is_state
from outcome_monitors.storage.storage import time_of
from outcome_monitors_server.console.alarms import call_behind
from outcome_monitors_server.report import TeamReport, as_html

MOST_FILES = 5
AT_ONCE = 1000
LARGEST = 2**40
_WHY = {"an open failure": "the call failed openly", "no clause": "its contract has no clause"}

EPILOG = """\b
Example:
  outcome-monitors report today.jsonl --contracts contracts.json -o report.html

Exit status: 0 nothing was flagged, 1 something was, 2 the work could not be done."""


@click.command("report", epilog=EPILOG)
@click.argument("traces", nargs=-1)
@click.option("--contracts", metavar="FILE", help="A contract file; not needed for a state folder.")
@click.option("--relations", metavar="FILE", help="Recovery relations, for receipts of traces.")
@click.option("-o", "--output", metavar="FILE", default="report.html", help="The page to write.")
@click.option("--strict", is_flag=True, help="Fail on the first bad line.")
def command(
    traces: tuple[str, ...],
    contracts: str | None,
    relations: str | None,
    output: str,
    strict: bool,
) -> int:
    """Write one HTML page: tools, coverage, contracts, alerts over time, receipts, and what agents did next.

    TRACES may be a state folder, which needs no other argument.
    """
    given = [file for file in (contracts, relations) if file is not None]
    if len(traces) == 1 and is_state(traces[0]):
        refuse_output(output, given)
        with closing(StateFolder.at(traces[0])) as state:
            registry = state.registry() if contracts is None else load_contracts(contracts)
            store = events_at(state.events)
            live = TeamReport(
                store, registry, str(store), state.name, lambda event: call_behind(state, event)
            )
            return _written(output, live)
    inputs = required(trace_files(traces))
    if contracts is None:
        raise click.UsageError(
            "Missing option '--contracts'; a folder that a proxy learns in needs none, a file does"
        )
    refuse_output(output, (*traces, *given))
    registry = load_contracts(contracts)
    monitor = monitor_of(contracts, None if relations is None else Relations.load(relations))
    lines = trace_report(strict)
    with TemporaryDirectory(prefix="outcome-monitors-") as folder:
        store = EventFile(Path(folder) / "events.sqlite", LARGEST)
        checked = check_all(TraceInputs(inputs, strict).located(lines), monitor, CheckTally())
        events = map(_event, checked)
        # The first is empty where there is no call: there is a store all the same.
        store.append([])
        while batch := [*islice(events, AT_ONCE)]:
            store.append(storable_row(event)[0] for event in batch)
        files = [*_named(lines.files)]
        return _written(
            output,
            TeamReport(store, registry, ", ".join(files), contracts, live=False, skipped=lines.skipped),
        )


def _named(files: Iterable[str]) -> Iterator[str]:
    known = [*files]
    yield from known[:MOST_FILES]
    if len(known) > MOST_FILES:
        yield f"and {count(len(known) - MOST_FILES, 'other file')}"


def _written(output: str, report: TeamReport) -> int:
    summary = summarise(report.events)
    flagged = summary.total.outcomes[FLAGGED]
    write_atomically(output, as_html(report, summary))
    write(printable(f"{output}: {count(summary.total.results, 'call')}, {flagged:,} flagged") + "\n")
    return int(bool(flagged))


def _event(checked: Checked) -> Event:
    """Return the event that a checked call would have been."""
    file, line, call = checked.located
    outcome = checked.outcome
    return Event(
        time_of(dict(call.extra)) or 0.0,
        call.session,
        call.tool,
        outcome.verdict,
        outcome.violations,
        outcome.receipt,
        # Of a flagged result the page says where it stands.
        why=f"{file}:{line}" if outcome.broken else _WHY.get(outcome.why, outcome.why),
        payload=Payloads().of(dict(call.arguments), call.result) if outcome.broken else None,
        clauses=tuple(name_clause(call.tool, clause) for clause, _ in outcome.broken),
    )
