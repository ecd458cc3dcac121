"""The options that name a query in the place of trace files."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.state.address import is_address
from outcome_monitors.traces.stores import Query
from outcome_monitors.values.files import FilePath
from outcome_monitors.values.folders import TRACES, is_learning_folder, recorded

__all__ = ["is_same_file", "query_options", "required", "with_query"]

Command = TypeVar("Command", bound=Callable[..., Any])


def query_options(command: Command) -> Command:
    """Add the options to a command."""
    for option in (
        click.option(
            "--dsn",
            metavar="URL",
            help="The database of --sql: a postgresql:, duckdb:, clickhouse: or sqlite: URL.",
        ),
        click.option("--sql", metavar="QUERY", help="A query that returns trace lines."),
    ):
        command = option(command)
    return command


def with_query(traces: tuple[str, ...], sql: str | None, dsn: str | None) -> tuple[FilePath, ...]:
    """Return the traces, and the query behind them where there is one; of a folder that something is learned in, its traces."""
    if (sql is None) != (dsn is None):
        raise click.UsageError("--sql and --dsn belong together: the query, and where it is asked")
    files: list[FilePath] = []
    for path in traces:
        # An address is read as it stands.
        files += _recorded(path) if is_learning_folder(path) else [path]
    if sql is not None and dsn is not None:
        files.append(Query(dsn, sql))
    return tuple(files)


def _recorded(folder: str) -> list[Path]:
    files = recorded(folder)
    if not files:
        raise OutcomeMonitorsError(f"nothing was recorded in {folder} yet: it has no {TRACES}/*.jsonl")
    return files


def is_same_file(output: Path, other: str) -> bool:
    """Say whether what is to be written is what is read; an address is no file."""
    return output.exists() and not is_address(other) and Path(other).exists() and output.samefile(other)


def required(traces: tuple[FilePath, ...]) -> tuple[FilePath, ...]:
    """Return the traces; a command that works on nothing else needs some."""
    if not traces:
        raise click.UsageError("Missing argument 'TRACES...'")
    return traces
