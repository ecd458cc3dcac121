"""The work of `mine`: the traces and the public sources, each read into what it gives."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path
from typing import Any

import click

from .._files import FilePath
from .._mining import Mined, Observations, mine_folds
from .._model import Call
from .._registry import Registry
from .._traces import Skipped, TraceReport, read_traces
from ..exceptions import TraceError
from ..sources import Report, read_appworld, read_json_schema, read_mcp_tools, read_openapi
from ..sources.database import read_database
from ._output import progress, warn

__all__ = ["FromTraces", "learn", "public_contracts", "read_public", "tool_and_file"]


@dataclass(slots=True)
class FromTraces:
    """What the traces gave."""

    mined: list[Mined] = field(default_factory=list)
    """One, or one a fold."""
    tasks: dict[str, int] = field(default_factory=dict)
    """The fold of each task, where there are folds."""
    failed_openly: int = 0
    skipped: dict[str, list[Skipped]] = field(default_factory=dict)
    """The lines that are no call, by reason."""


def learn(
    traces: tuple[FilePath, ...], profile: str, budget: float, folds: int | None, *, strict: bool
) -> FromTraces:
    """Learn from trace files; raise TraceError where they hold no clean call."""
    learned = FromTraces()

    def skip(line: Skipped) -> None:
        learned.skipped.setdefault(line.why, []).append(line)
        warn(f"{line}; the line is skipped")

    report = TraceReport(on_skip=None if strict else skip)
    read = progress(read_traces(traces, strict=strict, report=report), "call", "working out the clauses")
    calls = _clean(read, learned)
    if folds is None:
        observations = Observations(profile, budget)
        for call in calls:
            observations.add(call)
        learned.mined = [observations.contracts()]
    else:
        learned.mined, learned.tasks = mine_folds(calls, folds, profile, budget)
    report.require_calls()
    if report.calls == learned.failed_openly:
        raise TraceError(
            f"no clean calls in {', '.join(report.files)}: every one is marked as an open failure; add traces of calls"
            " that went well"
        )
    return learned


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
