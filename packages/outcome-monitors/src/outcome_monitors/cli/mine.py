"""`mine`: contracts from clean traces, and from what is public about the tools."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from typing import Any

import click

from outcome_monitors.contracts.overrides import Overrides
from outcome_monitors.contracts.registry import Registry
from outcome_monitors.contracts.sources import (
    Report,
    read_appworld,
    read_json_schema,
    read_mcp_tools,
    read_openapi,
)
from outcome_monitors.contracts.sources.database import read_database
from outcome_monitors.exceptions import TraceError
from outcome_monitors.files import FilePath
from outcome_monitors.lifecycle.lint import LEAST_TASKS
from outcome_monitors.mining.budget import BUDGET
from outcome_monitors.mining.observations import DEFAULT_PROFILE, PROFILES, Mined, Observations
from outcome_monitors.mining.parallel import show
from outcome_monitors.mining.spark import Session, observe, started, verify
from outcome_monitors.model import Call
from outcome_monitors.storage.address import is_address
from outcome_monitors.traces.reader import TraceReport, read_traces

from ._inputs import (
    POSITIVE_SHARE,
    SHARE,
    TraceInputs,
    engine_option,
    master_option,
    overrides_option,
    refuse_output,
    require_clean,
    trace_files,
    trace_report,
    workers_option,
)
from ._output import count, table, warn, write_line

__all__ = ["command"]

EPILOG = """\b
Example:
  outcome-monitors mine traces.jsonl -o contracts.json"""

AFTER_READING = "working out the clauses"
ALL_CORES = "local[*]"
MOST_NAMED = 10


def _learn(
    inputs: TraceInputs, observations: Observations, workers: int, spark: str | None
) -> tuple[Mined, TraceReport]:
    """Add trace files to observations, and mine: on Spark where its master is named; raise TraceError where no call is clean."""
    if spark is not None:
        paths = [os.fspath(path) for path in inputs.files]
        with started(spark) as session:
            report = _observe_on_spark(paths, inputs.strict, observations, session)
            return observations.contracts(again=lambda found: verify(session, paths, found)), report
    report = trace_report(inputs.strict)
    calls: Iterable[Call] = (call for call in inputs.calls(report, AFTER_READING) if not call.error)
    if "-" in inputs.files:
        # Standard input cannot be read twice.
        calls = kept = [*calls]
    show(calls, observations, workers)
    require_clean(report.files, report.calls - report.failed_openly)
    mined = observations.contracts(
        workers,
        lambda found: show(kept if "-" in inputs.files else read_traces(inputs.files), found, workers),
    )
    return mined, report


def _observe_on_spark(
    paths: list[str], strict: bool, observations: Observations, spark: Session
) -> TraceReport:
    gathered = observe(spark, paths, observations)
    if strict and gathered.skipped:
        file, why = min(gathered.skipped)
        raise TraceError(f"{file}: {why}; fix the line, or read without strict to skip it")
    if not gathered.calls:
        raise TraceError(f"no calls in {', '.join(paths)}: a trace file holds one JSON object a line")
    require_clean(paths, gathered.calls - gathered.failed_openly)
    observations.merge(gathered.observations)
    report = TraceReport(files=paths, calls=gathered.calls, failed_openly=gathered.failed_openly)
    # A Spark job does not know the numbers of lines.
    for (file, why), lines in sorted(gathered.skipped.items()):
        report.reasons[why] += lines
        report.first.setdefault(why, file)
    return report


def _schema(pair: tuple[str, str]) -> Report:
    tool, file = pair
    return read_json_schema(file, tool)


def _database(pair: tuple[str, str]) -> Report:
    tool, file = pair
    return read_database(file, tool)


READERS: Mapping[str, Callable[[Any], Report]] = {
    "schema": _schema,
    "openapi": read_openapi,
    "mcp_tools": read_mcp_tools,
    "appworld": read_appworld,
    "database": _database,
}
"""How the value of each option that names a public source is read."""


def _tool_and_file(
    _ctx: click.Context, option: click.Parameter, values: Iterable[str]
) -> tuple[tuple[str, str], ...]:
    """Read option values of the form TOOL=FILE."""
    pairs = []
    for value in values:
        tool, _, file = value.partition("=")
        if not tool or not file:
            raise click.BadParameter(f"{value!r} is not of the form {option.metavar}")
        pairs.append((tool, file))
    return tuple(pairs)


@click.command("mine", epilog=EPILOG)
@click.argument("traces", nargs=-1)
@click.option("-o", "--output", metavar="FILE", required=True, help="The contract file to write.")
@click.option(
    "--profile",
    type=click.Choice(list(PROFILES)),
    help=f"Which kinds of clauses to learn from traces.  [default: {DEFAULT_PROFILE}]",
)
@click.option(
    "--budget",
    metavar="SHARE",
    type=SHARE,
    help=f"The share of clean results that profile full may flag.  [default: {BUDGET}]",
)
@click.option(
    "--share",
    metavar="SHARE",
    type=POSITIVE_SHARE,
    default=1.0,
    help="Learn from this share of the tasks, chosen by hash.",
)
@click.option("--strict", is_flag=True, help="Fail on the first bad line.")
@click.option(
    "--schema",
    multiple=True,
    metavar="TOOL=FILE",
    callback=_tool_and_file,
    help="A JSON Schema of a tool's result.",
)
@click.option("--openapi", multiple=True, metavar="FILE", help="An OpenAPI document, JSON or YAML.")
@click.option("--mcp-tools", multiple=True, metavar="FILE", help="An MCP server's tools/list response.")
@click.option("--appworld", multiple=True, metavar="PATH", help="AppWorld's API documentation.")
@click.option(
    "--database",
    multiple=True,
    metavar="TOOL=FILE",
    callback=_tool_and_file,
    help="The records a tool returns one of: a JSON file.",
)
@overrides_option("Decisions of `review`: muted clauses are dropped, pinned ones kept.")
@click.option(
    "--private",
    multiple=True,
    metavar="PATH",
    help="A path whose values are never kept: customer.email, @password. Repeatable.",
)
@workers_option
@engine_option
@master_option
def command(
    traces: tuple[str, ...],
    output: str,
    profile: str | None,
    budget: float | None,
    share: float,
    strict: bool,
    overrides: Overrides,
    private: tuple[str, ...],
    workers: int,
    engine: str,
    master: str | None,
    **public: tuple[Any, ...],
) -> None:
    """Mine contracts from clean TRACES and public sources into one file.

    TRACES are .jsonl files (.gz), or - for stdin; Spark reads Parquet, too. Options that name a source can be repeated.
    """
    inputs = TraceInputs(trace_files(traces), strict)
    if not inputs.files and not any(public.values()):
        raise click.UsageError("name trace files, or a public source such as --openapi")
    spark = (master or ALL_CORES) if engine == "spark" else None
    if not inputs.files and (private or workers > 1 or spark):
        raise click.UsageError("--private, --workers and --engine are for traces: name some")
    if spark is not None:
        _refuse_for_spark(inputs.files, workers)
    elif master is not None:
        raise click.UsageError("--master is where Spark runs: add --engine spark")
    refuse_output(output, inputs.files)
    observations = Observations(
        profile or DEFAULT_PROFILE, BUDGET if budget is None else budget, private, share
    )
    if budget is not None and not inputs.files:
        raise click.UsageError("--budget is for the clauses that traces suggest: name trace files")
    if budget is not None and observations.profile == "paper":
        raise click.UsageError("profile paper has no budget: leave out --budget, or choose --profile full")
    reports = [read(value) for name, read in READERS.items() for value in public.get(name, ())]
    theirs = reduce(Registry.merge, map(_registry, reports), Registry())
    mined, report = _learn(inputs, observations, workers, spark) if inputs.files else (None, TraceReport())
    registry = theirs if mined is None else mined.registry.merge(theirs)
    if overrides.entries:
        registry = overrides.apply(registry)
    registry.save(output)
    _summarise(output, registry, mined, report, reports)


def _registry(report: Report) -> Registry:
    return Registry({contract.tool: contract for contract in report.accepted})


def _refuse_for_spark(files: Sequence[FilePath], workers: int) -> None:
    if workers > 1:
        raise click.UsageError(
            "--workers is for --engine local; Spark's cores are named as --master local[4]"
        )
    if any(is_address(path) for path in files):
        raise click.UsageError(
            "Spark reads files: what a fleet has recorded is learned from by `outcome-monitors learn --state ADDRESS`"
        )
    if "-" in files:
        raise click.UsageError("Spark reads files: standard input is for --engine local")


def _summarise(
    output: str, registry: Registry, mined: Mined | None, report: TraceReport, public: Sequence[Report]
) -> None:
    """Write the table of sources and what was left out; warn of tools with little evidence."""
    clauses = sum(len(contract.clauses) for contract in registry.contracts.values())
    write_line(
        f"{output}: contracts for {count(len(registry.contracts), 'tool')}, {count(clauses, 'clause')}"
    )
    rows = []
    if mined is not None:
        numbers = (mined.calls, len(mined.registry.contracts), mined.candidates, mined.accepted)
        rows.append(("traces", *(f"{number:,}" for number in numbers)))
    for source in public:
        clauses = sum(len(contract.clauses) for contract in source.accepted)
        tools_of = f"{len(source.accepted):,} of {source.candidates:,}"
        rows.append((source.source, "", tools_of, "", f"{clauses:,}"))
    table(("source", ">calls", ">tools", ">candidates", ">clauses"), rows)
    for line in (*_left_out(mined, report), *(text for source in public for text in _refused(source))):
        write_line(line)
    _warn_of_little_evidence(registry)


def _left_out(mined: Mined | None, report: TraceReport) -> Iterator[str]:
    if mined is not None and mined.left_out:
        yield f"passed over: {count(mined.left_out, 'call')} of tasks that are not in the share"
    if mined is not None and mined.private:
        yield f"left out as private: {count(mined.private, 'candidate')}, whole or in part"
    if report.failed_openly:
        yield f"not learned from: {count(report.failed_openly, 'call')} that failed openly"
    for why, lines in sorted(report.reasons.items(), key=lambda item: (-item[1], item[0])):
        yield f"skipped: {count(lines, 'line')}, {why} (first at {report.first[why]})"


def _refused(report: Report) -> Iterator[str]:
    if report.refused:
        first = report.refused[0]
        place = f"{first.tool} {first.where}".strip()
        yield (
            f"{report.source}: {count(len(report.refused), 'place')} gave no clause (first: {place}: {first.why})"
        )
    if report.unused:
        named = ", ".join(f"{keyword} ({places:,})" for keyword, places in report.unused.items())
        yield f"{report.source}: keywords that no clause carries: {named}"


def _warn_of_little_evidence(registry: Registry) -> None:
    weak = []
    for tool, contract in registry.contracts.items():
        seen = max((clause.tasks for clause in contract.clauses if clause.source == "traces"), default=None)
        if seen is not None and seen < LEAST_TASKS:
            weak.append((seen, tool))
    weak.sort()
    if weak:
        named = ", ".join(f"{tool} ({seen})" for seen, tool in weak[:MOST_NAMED])
        more = f" and {count(len(weak) - MOST_NAMED, 'more tool')}" if len(weak) > MOST_NAMED else ""
        warn(f"little evidence, fewer than {LEAST_TASKS} tasks: {named}{more}")
