"""`audit`: what contracts would catch, and what they would flag in vain, on one's own traces."""

import json
import os
from collections.abc import Iterable

import click

from outcome_monitors.checking.monitor import Monitor
from outcome_monitors.contracts.loading import load_contracts
from outcome_monitors.evaluation import (
    Figures,
    Section,
    Settings,
    audit,
    audit_report,
    backtest,
    backtest_report,
    labels_as_json,
    read_labels,
    score_labels,
)
from outcome_monitors.evaluation.faults import SUITES
from outcome_monitors.files import write_atomically
from outcome_monitors.mining.budget import BUDGET
from outcome_monitors.mining.observations import DEFAULT_PROFILE, PROFILES
from outcome_monitors.model import Call
from outcome_monitors.reports import percent, span

from ._inputs import (
    ManyValues,
    TraceInputs,
    refuse_output,
    require_clean,
    share_option,
    trace_options,
    trace_report,
)
from ._output import count, progress, table, warn, write, write_line

EPILOG = """\b
Example:
  outcome-monitors audit traces.jsonl --folds 2 --json audit.json
  outcome-monitors audit traces.jsonl --then next_week.jsonl
  outcome-monitors audit --labels labels.jsonl labelled.jsonl

Exit status: 0 clean results are flagged within the budget (with --then: alerted on), 1 above it, 2 the work could not be done."""


def _suites(_ctx: click.Context, _option: click.Parameter, value: str) -> tuple[str, ...]:
    """Read a list of suites, separated by commas."""
    names = tuple(dict.fromkeys(name.strip() for name in value.split(",")))
    for name in names:
        if name not in SUITES:
            raise click.BadParameter(f"there is no suite {name!r}; choose from {', '.join(SUITES)}")
    return names


@click.command("audit", cls=ManyValues, epilog=EPILOG)
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
    help="Cross-validation folds.",
)
@click.option(
    "--faults",
    "suites",
    metavar="SUITES",
    default=",".join(SUITES),
    callback=_suites,
    help="Fault suites, comma-separated.",
)
@click.option(
    "--labels",
    metavar="LABELS",
    help="Score calls labelled by hand: alerts by kind, and false alarms.",
)
@click.option(
    "--contracts",
    metavar="FILE",
    help="With --labels: the contracts to score.  [default: the built-in rules alone]",
)
@click.option("--json", "json_file", metavar="FILE", help="Write all figures as JSON.")
@click.option(
    "--profile",
    type=click.Choice(list(PROFILES)),
    default=DEFAULT_PROFILE,
    help="The mining profile.",
)
@share_option("--budget", BUDGET, "The allowed share of clean results flagged.")
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
    help="At most N results for each fault; 0 for all.",
)
@trace_options
def command(
    inputs: TraceInputs,
    then: tuple[str, ...],
    folds: int,
    suites: tuple[str, ...],
    labels: str | None,
    contracts: str | None,
    json_file: str | None,
    profile: str,
    budget: float,
    jobs: int | None,
    limit: int,
) -> int:
    """Measure false positives and recall of contracts mined from clean TRACES, by cross-validation."""
    if json_file is not None:
        refuse_output(json_file, (*inputs.files, *then))
    if contracts is not None and labels is None:
        raise click.UsageError("--contracts belongs to --labels; without it, audit mines contracts itself")
    if labels is not None:
        return _score(inputs, labels, contracts, json_file, budget)
    settings = Settings(folds, suites, profile, budget, limit)
    calls, files = _read(inputs)
    clean = [call for call in calls if not call.error]
    require_clean(files, len(clean))
    _warn_of_calls_without_task(clean)
    workers = jobs or min(os.cpu_count() or 1, folds)
    if then:
        later, after = _read(TraceInputs(then, inputs.strict))
        found = backtest(clean, later, settings, traces=files, then=after, jobs=workers, watch=progress)
        return _written(found, json_file, backtest_report(found), found["right"]["told"]["rate"])
    found = audit(calls, settings, traces=files, jobs=workers, watch=progress)
    return _written(found, json_file, audit_report(found), found["clean"]["rate"])


def _written(found: Figures, json_file: str | None, sections: Iterable[Section], alarms: float | None) -> int:
    """Write the figures, and return the exit status."""
    if json_file is not None:
        write_atomically(json_file, json.dumps(found, indent=2) + "\n")
    _write(sections)
    if failed := found["failed_checks"]:
        warn(f"{count(failed, 'check')} had an internal error and counted as unflagged")
    return int((alarms or 0.0) > found["settings"]["budget"])


def _score(
    inputs: TraceInputs, labels: str, contracts: str | None, json_file: str | None, budget: float
) -> int:
    """Score labelled calls, and write a row a kind."""
    if len(inputs.files) != 1:
        raise click.UsageError("--labels names lines of one file; name that file alone")
    labelled = read_labels(labels)
    monitor = Monitor(None if contracts is None else load_contracts(contracts))
    report = score_labels(inputs.located(), labelled, monitor, labels)
    if json_file is not None:
        write_atomically(json_file, labels_as_json(report))
    shares = [
        *((label, "all", share) for label, share in report.labels().items()),
        *((label, kind or "-", share) for label, kind, share in report.kinds()),
    ]
    table(
        ("label", "kind", ">alerted", ">share", ">95% interval"),
        [(*of, str(share), percent(share.value), span(share.interval)) for *of, share in shares],
    )
    alarms = report.false_alarms()
    write_line(f"false alarms: {alarms} right results ({percent(alarms.value)}, {span(alarms.interval)})")
    return int((alarms.value or 0.0) > budget)


def _write(sections: Iterable[Section]) -> None:
    *sections, last = sections
    for section in sections:
        if section.rows or section.lines:
            for line in filter(None, (section.title, *section.lines)):
                write_line(line)
            if section.rows:
                table(section.columns, section.rows)
            else:
                write("\n")
    for line in last.lines:
        write_line(line)


def _read(inputs: TraceInputs) -> tuple[list[Call], list[str]]:
    """Return the calls, and the names of the files."""
    report = trace_report(inputs.strict)
    return list(inputs.calls(report, "making faults")), report.files


def _warn_of_calls_without_task(clean: list[Call]) -> None:
    without = sum(call.task is None for call in clean)
    if without:
        warn(
            f"{count(without, 'call')} without `task`: each session, or each such call by itself, counts as a task, and"
            " figures look better than they are where the same work is on both sides"
        )
