"""`check`: which results of a trace break their contract."""

import click

from outcome_monitors.contracts.overrides import Overrides
from outcome_monitors.recovery.relations import Relations

from ._check import FORMATS, CheckTally, check_all, monitor_of
from ._inputs import (
    TraceInputs,
    format_option,
    overrides_option,
    relations_option,
    trace_options,
    trace_report,
)
from ._output import count, fail, warn, write

__all__ = ["command"]

EPILOG = """\b
Example:
  outcome-monitors check today.jsonl --contracts contracts.json

Exit status: 0 nothing found, 1 something found, 2 the work could not be done."""


@click.command("check", epilog=EPILOG)
@click.option("--contracts", metavar="FILE", help="A contract file or fold index.")
@click.option(
    "--folds",
    metavar="INDEX",
    help="A fold index: each call is checked by the registry that never saw its task.",
)
@format_option(*FORMATS)
@overrides_option("Decisions of `review`: muted clauses are skipped.")
@relations_option
@trace_options
def command(
    inputs: TraceInputs,
    contracts: str | None,
    folds: str | None,
    form: str,
    overrides: Overrides,
    relations: Relations | None,
) -> int:
    """Check the tool results in TRACES against contracts.

    TRACES are .jsonl files (.gz, .zst), Parquet, or - for stdin. Calls of one session are checked in
    order; failed calls are skipped.
    """
    if contracts is None and folds is None:
        raise click.UsageError("name the contracts with --contracts, or a fold index with --folds")
    monitors = monitor_of(contracts, folds, relations, overrides)
    tally = CheckTally()
    calls = inputs.located(trace_report(inputs.strict, tally.skipped))
    for text in FORMATS[form](check_all(calls, monitors, tally), tally):
        write(text)
    if tally.could_not:
        fail(f"{count(tally.could_not, 'result')} could not be checked")
        return 2
    if not tally.checked:
        warn(
            f"no result was checked: {count(tally.not_covered.total(), 'call')} without a contract,"
            f" {tally.failed_openly:,} failed openly"
        )
    return 1 if tally.flagged else 0
