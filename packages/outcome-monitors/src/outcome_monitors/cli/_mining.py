"""The work of `mine`: what traces and public sources give, and what is said of it at the end."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path
from typing import Any

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
from outcome_monitors.mining.spark import observe, started
from outcome_monitors.model import Call
from outcome_monitors.traces.reader import Skipped

from ._inputs import TraceInputs, require_clean, trace_report
from ._output import count, table, warn, write_line

__all__ = ["FromTraces", "learn", "read_public", "summarise"]

AFTER_READING = "working out the clauses"
ALL_CORES = "local[*]"
LEAST_TASKS = 5
"""A tool seen in fewer tasks has clauses that chance alone could explain."""
MOST_NAMED = 10


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

    def skip(self, why: str, where: str, lines: int = 1) -> None:
        """Count lines that are no call."""
        before, first = self.skipped.get(why, (0, where))
        self.skipped[why] = (before + lines, first)

    def clean(self, calls: Iterable[Call]) -> Iterator[Call]:
        """Yield the calls that did not fail openly, counting the others."""
        for call in calls:
            if call.error:
                self.failed_openly += 1
            else:
                yield call


def learn(
    inputs: TraceInputs, observations: Observations, folds: int | None, workers: int, spark: str | None
) -> FromTraces:
    """Add trace files to observations, and mine: on Spark where its master is named; raise TraceError where no call is clean."""
    learned = FromTraces()
    if spark is not None:
        _observe_on_spark(inputs, observations, spark, learned)
        learned.mined = [observations.contracts()]
        return learned
    skipped: list[Skipped] = []
    report = trace_report(inputs.strict, skipped)
    if folds is not None:
        learned.mined, learned.tasks = mine_folds(
            learned.clean(inputs.calls(report, AFTER_READING)),
            folds,
            observations.profile,
            observations.budget,
            observations.private,
            share=observations.share,
            workers=workers,
        )
    else:
        calls = learned.clean(inputs.calls(report, AFTER_READING))
        if workers > 1:
            observe_in_processes(calls, observations, workers)
        else:
            observations.add_all(calls)
    if folds is None:
        learned.mined = [observations.contracts(workers)]
    for line in skipped:
        learned.skip(line.why, f"{line.file}:{line.line}")
    require_clean(report.files, report.calls - learned.failed_openly)
    return learned


def _observe_on_spark(
    inputs: TraceInputs, observations: Observations, master: str, learned: FromTraces
) -> None:
    paths = [os.fspath(path) for path in inputs.files]
    with started(master) as spark:
        gathered = observe(spark, paths, observations)
    if inputs.strict and gathered.skipped:
        file, why = min(gathered.skipped)
        raise TraceError(f"{file}: {why}; mend the line, or skip it by reading without strict")
    if not gathered.calls:
        raise TraceError(f"no calls in {', '.join(paths)}: a trace file holds one JSON object a line")
    require_clean(paths, gathered.calls - gathered.failed_openly)
    observations.merge(gathered.observations)
    learned.failed_openly = gathered.failed_openly
    # A Spark job does not know the numbers of lines.
    for (file, why), lines in sorted(gathered.skipped.items()):
        learned.skip(why, file, lines)


def _schema(pair: tuple[str, str]) -> Report:
    tool, file = pair
    return read_json_schema(file, tool)


def _database(pair: tuple[str, str]) -> Report:
    tool, place = pair
    file, hash_sign, table_name = place.rpartition("#")
    if not hash_sign or Path(place).exists():
        return read_database(place, tool)
    return read_database(file, tool, table_name)


READERS: Mapping[str, Callable[[Any], Report]] = {
    "schema": _schema,
    "openapi": read_openapi,
    "mcp_tools": read_mcp_tools,
    "appworld": read_appworld,
    "database": _database,
}
"""How the value of each option that names a public source is read."""


def read_public(named: Mapping[str, Iterable[Any]]) -> tuple[list[Report], Registry]:
    """Read the sources that options name, in the order of the table; return also their contracts together."""
    reports = [read(value) for option, read in READERS.items() for value in named.get(option, ())]
    registries = (Registry({contract.tool: contract for contract in report.accepted}) for report in reports)
    return reports, reduce(Registry.merge, registries, Registry())


def summarise(
    output: str, registries: Sequence[Registry], learned: FromTraces, reports: Sequence[Report]
) -> None:
    """Write the table of sources and what was left out; warn of tools with little evidence."""
    tools = {tool for registry in registries for tool in registry.contracts}
    clauses = sum(len(contract.clauses) for contract in registries[0].contracts.values())
    number = f"{len(registries)} folds" if len(registries) > 1 else count(clauses, "clause")
    write_line(f"{output}: contracts for {count(len(tools), 'tool')}, {number}")
    rows = [
        (
            "traces" if len(learned.mined) == 1 else f"traces without fold {fold}",
            f"{mined.calls:,}",
            f"{len(mined.registry.contracts):,}",
            f"{mined.candidates:,}",
            f"{mined.accepted:,}",
        )
        for fold, mined in enumerate(learned.mined)
    ]
    for report in reports:
        clauses = sum(len(contract.clauses) for contract in report.accepted)
        tools_of = f"{len(report.accepted):,} of {report.candidates:,}"
        rows.append((report.source, "", tools_of, "", f"{clauses:,}"))
    table(("source", ">calls", ">tools", ">candidates", ">clauses"), rows)
    for line in (*_left_out(learned), *(text for report in reports for text in _refused(report))):
        write_line(line)
    _warn_of_little_evidence(registries, learned)


def _left_out(learned: FromTraces) -> Iterator[str]:
    # With folds, each call is in all registries but one.
    if passed := sum(mined.left_out for mined in learned.mined) // max(len(learned.mined) - 1, 1):
        yield f"passed over: {count(passed, 'call')} of tasks that are not in the share"
    if private := max((mined.private for mined in learned.mined), default=0):
        yield f"left out as private: {count(private, 'candidate')}, whole or in part"
    if learned.failed_openly:
        yield f"not learned from: {count(learned.failed_openly, 'call')} that failed openly"
    for why, (lines, first) in sorted(learned.skipped.items(), key=lambda item: (-item[1][0], item[0])):
        yield f"skipped: {count(lines, 'line')}, {why} (first at {first})"


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


def _warn_of_little_evidence(registries: Sequence[Registry], learned: FromTraces) -> None:
    for fold, mined in enumerate(learned.mined):
        if not mined.calls:
            warn(
                f"nothing was learned without fold {fold}: all tasks are in it; use fewer folds or more tasks"
            )
    tasks: dict[str, int] = {}
    for registry in registries:
        for tool, contract in registry.contracts.items():
            seen = [clause.tasks for clause in contract.clauses if clause.source == "traces"]
            if seen:
                tasks[tool] = max(*seen, tasks.get(tool, 0))
    weak = sorted((seen, tool) for tool, seen in tasks.items() if seen < LEAST_TASKS)
    if weak:
        named = ", ".join(f"{tool} ({seen})" for seen, tool in weak[:MOST_NAMED])
        more = f" and {count(len(weak) - MOST_NAMED, 'more tool')}" if len(weak) > MOST_NAMED else ""
        warn(f"little evidence, fewer than {LEAST_TASKS} tasks: {named}{more}")
