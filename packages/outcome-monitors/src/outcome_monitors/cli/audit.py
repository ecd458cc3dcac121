"""`audit`: what contracts would catch, and what they would flag in vain, on one's own traces."""

import os
from collections.abc import Iterable
from pathlib import Path

import click

from outcome_monitors.audit import (
    Backtest,
    Settings,
    as_html,
    as_json,
    audit,
    backtest,
    backtest_as_html,
    backtest_as_json,
)
from outcome_monitors.audit.faults import SUITES
from outcome_monitors.exceptions import OutcomeMonitorsError, TraceError
from outcome_monitors.mining.budget import BUDGET
from outcome_monitors.mining.observations import DEFAULT_PROFILE, PROFILES
from outcome_monitors.model import Call
from outcome_monitors.traces.reader import Skipped, TraceReport, read_traces
from outcome_monitors.values.files import FilePath, write_atomically

from ._audit_tables import write_audit
from ._backtest_tables import write_backtest
from ._many_values import ManyValues
from ._output import count, progress, warn
from ._share_option import SHARE
from ._stores import is_same_file, query_options, required, with_query

__all__ = ["command"]

EPILOG = """\b
Example:
  outcome-monitors audit traces.jsonl --folds 2 --json audit.json
  outcome-monitors audit traces.jsonl --then next_week.jsonl

Exit status: 0 clean results are flagged within the budget (with --then: told), 1 above it, 2 the work could not be done."""


def _suites(_ctx: click.Context, _option: click.Parameter, value: str) -> tuple[str, ...]:
    """Read a list of suites, separated by commas."""
    names = tuple(dict.fromkeys(name.strip() for name in value.split(",")))
    for name in names:
        if name not in SUITES:
            raise click.BadParameter(f"there is no suite {name!r}; choose from {', '.join(SUITES)}")
    return names


@click.command("audit", cls=ManyValues, epilog=EPILOG)
@click.argument("traces", nargs=-1)
@click.option(
    "--then",
    multiple=True,
    metavar="FILE...",
    help="Backtest: learn from TRACES, then replay these in order.",
)
@click.option(
    "--folds",
    metavar="K",
    type=click.IntRange(2, 1000),
    default=5,
    show_default=True,
    help="Cross-validation folds.",
)
@click.option(
    "--faults",
    "suites",
    metavar="SUITES",
    default=",".join(SUITES),
    show_default=True,
    callback=_suites,
    help="Fault suites, comma-separated.",
)
@click.option("--json", "json_file", metavar="FILE", help="Write all figures as JSON.")
@click.option(
    "--html",
    "html_file",
    metavar="FILE",
    help="Write a report with plots; also mines under other budgets.",
)
@click.option(
    "--profile",
    type=click.Choice(list(PROFILES)),
    default=DEFAULT_PROFILE,
    show_default=True,
    help="The mining profile.",
)
@click.option(
    "--budget",
    metavar="SHARE",
    type=SHARE,
    default=BUDGET,
    show_default=True,
    help="The allowed share of clean results flagged.",
)
@click.option(
    "--jobs",
    metavar="N",
    type=click.IntRange(1),
    help="Processes.  [default: one a CPU, at most K]",
)
@click.option(
    "--limit",
    metavar="N",
    type=click.IntRange(0),
    default=400,
    show_default=True,
    help="At most N results for each fault; 0 for all.",
)
@click.option(
    "--dirt",
    metavar="SHARE",
    type=SHARE,
    default=0.0,
    show_default=True,
    help="Label noise: inject faults into this share of the training calls.",
)
@click.option("--strict", is_flag=True, help="Fail on the first bad line.")
@query_options
def command(
    traces: tuple[str, ...],
    then: tuple[str, ...],
    folds: int,
    suites: tuple[str, ...],
    json_file: str | None,
    html_file: str | None,
    profile: str,
    budget: float,
    jobs: int | None,
    limit: int,
    dirt: float,
    strict: bool,
    sql: str | None,
    dsn: str | None,
) -> int:
    """Measure false positives and recall of contracts mined from clean TRACES, by cross-validation."""
    inputs = required(with_query(traces, sql, dsn))
    for output in (json_file, html_file):
        if output is not None:
            _refuse_output(Path(output), (*traces, *then))
    settings = Settings(folds, suites, profile, budget, limit, html_file is not None, dirt)
    calls, report = _read(inputs, strict)
    clean = [call for call in calls if not call.error]
    failed_openly = len(calls) - len(clean)
    _refuse_no_clean_calls(clean, report)
    _warn_of_calls_without_task(clean)
    workers = jobs or min(os.cpu_count() or 1, folds)
    if then:
        later, after = _read(then, strict)
        followed = backtest(clean, later, settings, jobs=workers, watch=progress)
        return _tell_backtest(followed, settings, (report.files, after.files), json_file, html_file)
    found = audit(clean, settings, jobs=workers, watch=progress)
    if json_file is not None:
        write_atomically(json_file, as_json(found, settings, report.files, failed_openly))
    if html_file is not None:
        write_atomically(html_file, as_html(found, settings, report.files, failed_openly))
    write_audit(found, settings, report.files, failed_openly)
    _warn_of_failed_checks(found.failed)
    return int((found.clean.value or 0.0) > budget)


def _tell_backtest(
    found: Backtest,
    settings: Settings,
    files: tuple[list[str], list[str]],
    json_file: str | None,
    html_file: str | None,
) -> int:
    """Write what was learned from some files and then seen in others; return the exit status."""
    for output, form in ((json_file, backtest_as_json), (html_file, backtest_as_html)):
        if output is not None:
            write_atomically(output, form(found, settings, *files))
    write_backtest(found, settings, *files)
    _warn_of_failed_checks(found.failed)
    return int((found.right.told.value or 0.0) > settings.budget)


def _warn_of_failed_checks(failed: int) -> None:
    if failed:
        warn(f"{count(failed, 'check')} went wrong inside and counted as results without an alarm")


def _refuse_output(output: Path, traces: Iterable[str]) -> None:
    """Refuse what would be found out only after the work, or would destroy the traces."""
    if not output.parent.is_dir():
        raise OutcomeMonitorsError(
            f"cannot write {output}: there is no folder {output.parent}; make it first"
        )
    if output.is_dir():
        raise OutcomeMonitorsError(f"cannot write {output}: it is a folder; name a file in it")
    for trace in traces:
        if is_same_file(output, trace):
            raise OutcomeMonitorsError(f"cannot write {output}: it is one of the traces; choose another name")


def _read(traces: tuple[FilePath, ...], strict: bool) -> tuple[list[Call], TraceReport]:
    def skip(line: Skipped) -> None:
        warn(f"{line}; the line is skipped")

    report = TraceReport(on_skip=None if strict else skip)
    calls = list(progress(read_traces(traces, strict=strict, report=report), "call", "making faults"))
    report.require_calls()
    return calls, report


def _refuse_no_clean_calls(clean: list[Call], report: TraceReport) -> None:
    if not clean:
        raise TraceError(
            f"no clean calls in {', '.join(report.files)}: every one is marked as an open failure; add traces of calls"
            " that went well"
        )


def _warn_of_calls_without_task(clean: list[Call]) -> None:
    without = sum(call.task is None for call in clean)
    if without:
        warn(
            f"{count(without, 'call')} without `task`: each session, or each such call by itself, counts as a task, and"
            " figures look better than they are where the same work is on both sides"
        )
