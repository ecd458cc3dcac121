"""`check`: which results of a trace break their contract."""

import click

from outcome_monitors.recovery.relations import Relations

from ._check_traces import CheckTally, as_it_is, calls_in, check_all, monitor_of
from ._contracts import load_overrides
from ._formats import FORMATS
from ._output import count, fail, warn, write
from ._stores import query_options, required, with_query

__all__ = ["command"]

EPILOG = """\b
Example:
  outcome-monitors check today.jsonl --contracts contracts.json

Exit status: 0 nothing found, 1 something found, 2 the work could not be done."""


@click.command("check", epilog=EPILOG)
@click.argument("traces", nargs=-1)
@click.option("--contracts", metavar="FILE", help="A contract file or fold index.")
@click.option(
    "--folds",
    metavar="INDEX",
    help="A fold index: each call is checked by the registry that never saw its task.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(list(FORMATS)),
    default="text",
    show_default=True,
    help="The output format.",
)
@click.option("--overrides", metavar="FILE", help="Decisions of `review`: muted clauses are skipped.")
@click.option("--relations", metavar="FILE", help="Recovery relations.")
@click.option("--strict", is_flag=True, help="Fail on the first bad line.")
@query_options
def command(
    traces: tuple[str, ...],
    contracts: str | None,
    folds: str | None,
    form: str,
    overrides: str | None,
    relations: str | None,
    strict: bool,
    sql: str | None,
    dsn: str | None,
) -> int:
    """Check the tool results in TRACES against contracts.

    TRACES are .jsonl files (.gz, .zst), Parquet, or - for stdin. Calls of one session are checked in
    order; failed calls are skipped.
    """
    inputs = required(with_query(traces, sql, dsn))
    if contracts is None and folds is None:
        raise click.UsageError("name the contracts with --contracts, or a fold index with --folds")
    substitutes = Relations.load(relations) if relations is not None else None
    change = load_overrides(overrides).apply if overrides is not None else as_it_is
    monitors = monitor_of(contracts, folds, substitutes, change)
    tally = CheckTally()
    calls = calls_in(inputs, strict, tally)
    for text in FORMATS[form](check_all(calls, monitors, tally), tally):
        write(text)
    return _status(tally)


def _status(tally: CheckTally) -> int:
    if tally.could_not:
        fail(f"{count(tally.could_not, 'result')} could not be checked")
        return 2
    if not tally.checked:
        warn(
            f"no result was checked: {count(tally.not_covered.total(), 'call')} without a contract,"
            f" {tally.failed_openly:,} failed openly"
        )
    return 1 if tally.flagged else 0
