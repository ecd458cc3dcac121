"""The work of `mine`: the traces, here or on Spark, and the public sources, each read into what it gives."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path
from typing import Any

import click

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
from outcome_monitors.mining.observations import Mined, Observations, mine_folds
from outcome_monitors.mining.parallel import observe_in_processes
from outcome_monitors.mining.spark import Gathered, observe, started
from outcome_monitors.model import Call
from outcome_monitors.traces.lines import file_names, read_lines
from outcome_monitors.traces.reader import Skipped, TraceReport, read_traces
from outcome_monitors.values.files import FilePath

from ._mine_options import Work
from ._output import progress, warn

__all__ = [
    "FromTraces",
    "Gathered",
    "learn",
    "public_contracts",
    "read_public",
    "require_clean",
    "run_on_spark",
    "tool_and_file",
]

AFTER_READING = "working out the clauses"


@dataclass(slots=True)
class FromTraces:
    """What the traces gave."""

    mined: list[Mined] = field(default_factory=list)
    """One, or one a fold."""
    tasks: dict[str, int] = field(default_factory=dict)
    """The fold of each task, where there are folds."""
    failed_openly: int = 0
    skipped: dict[str, tuple[int, str]] = field(default_factory=dict)
    """How many lines are no call, by reason, and where the first of them stands."""
    observations: Observations | None = None

    def skip(self, why: str, where: str, lines: int = 1) -> None:
        """Count lines that are no call."""
        before, first = self.skipped.get(why, (0, where))
        self.skipped[why] = (before + lines, first)

    def add_job(self, gathered: Gathered) -> None:
        """Add what a Spark job counted; it does not know the numbers of lines."""
        self.failed_openly += gathered.failed_openly
        for (file, why), lines in sorted(gathered.skipped.items()):
            self.skip(why, file, lines)


def learn(
    traces: tuple[FilePath, ...], observations: Observations, folds: int | None, work: Work, *, strict: bool
) -> FromTraces:
    """Add trace files to observations, and learn; raise TraceError where they hold no clean call."""
    learned = FromTraces(observations=observations)
    if work.engine == "spark":
        learned.add_job(run_on_spark(traces, observations, work.master, strict=strict))
        learned.mined = [observations.contracts()]
        return learned

    def skip(line: Skipped) -> None:
        learned.skip(line.why, f"{line.file}:{line.line}")
        warn(f"{line}; the line is skipped")

    report = TraceReport(on_skip=None if strict else skip)
    if work.workers > 1 and folds is None:
        _observe_in_processes(traces, observations, work.workers, report, learned, strict=strict)
    else:
        read = progress(read_traces(traces, strict=strict, report=report), "call", AFTER_READING)
        calls = _clean(read, learned)
        if folds is not None:
            learned.mined, learned.tasks = mine_folds(
                calls,
                folds,
                observations.profile,
                observations.budget,
                observations.private,
                share=observations.share,
                workers=work.workers,
            )
        else:
            observations.add_all(calls)
    if folds is None:
        learned.mined = [observations.contracts(work.workers)]
    report.require_calls()
    require_clean(report.files, report.calls - learned.failed_openly)
    return learned


def _observe_in_processes(
    traces: tuple[FilePath, ...],
    observations: Observations,
    workers: int,
    report: TraceReport,
    learned: FromTraces,
    *,
    strict: bool,
) -> None:
    report.files.extend(names := file_names(traces))
    lines = progress(read_lines(traces), "line", AFTER_READING)
    share = observe_in_processes(lines, observations, workers, strict=strict)
    for file, number, why in share.in_order():
        report.skip(skipped := Skipped(names[file], number, why))
        if strict:
            raise skipped.error()
    report.calls += share.calls
    report.lines += share.calls
    learned.failed_openly += share.failed_openly


def _clean(calls: Iterable[Call], learned: FromTraces) -> Iterator[Call]:
    for call in calls:
        if call.error:
            learned.failed_openly += 1
        else:
            yield call


def tool_and_file(
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


def _schema(pair: tuple[str, str]) -> Report:
    tool, file = pair
    return read_json_schema(file, tool)


def _database(pair: tuple[str, str]) -> Report:
    tool, place = pair
    file, hash_sign, table = place.rpartition("#")
    if not hash_sign or Path(place).exists():
        return read_database(place, tool)
    return read_database(file, tool, table)


READERS: Mapping[str, Callable[[Any], Report]] = {
    "schema": _schema,
    "openapi": read_openapi,
    "mcp_tools": read_mcp_tools,
    "appworld": read_appworld,
    "database": _database,
}
"""How the value of each option that names a public source is read."""


def read_public(named: Mapping[str, Iterable[Any]]) -> list[Report]:
    """Read the sources that options name, in the order of the table."""
    return [read(value) for option, read in READERS.items() for value in named.get(option, ())]


def public_contracts(reports: Iterable[Report]) -> Registry:
    """Return the contracts of all public sources together."""
    registries = (Registry({contract.tool: contract for contract in report.accepted}) for report in reports)
    return reduce(Registry.merge, registries, Registry())


ALL_CORES = "local[*]"


def run_on_spark(
    traces: Sequence[FilePath], observations: Observations, master: str | None, *, strict: bool
) -> Gathered:
    """Add the calls of trace files to observations; raise TraceError where they hold no clean call."""
    paths = [os.fspath(path) for path in traces]
    with started(master or ALL_CORES) as spark:
        gathered = observe(spark, paths, observations)
    if strict and gathered.skipped:
        file, why = min(gathered.skipped)
        raise TraceError(f"{file}: {why}; mend the line, or skip it by reading without strict")
    if not gathered.calls:
        raise TraceError(f"no calls in {', '.join(paths)}: a trace file holds one JSON object a line")
    require_clean(paths, gathered.calls - gathered.failed_openly)
    observations.merge(gathered.observations)
    return gathered


def require_clean(files: Sequence[str], clean: int) -> None:
    """Raise TraceError where there is nothing to learn from."""
    if not clean:
        raise TraceError(
            f"no clean calls in {', '.join(files)}: every one is marked as an open failure; add traces of calls"
            " that went well"
        )
