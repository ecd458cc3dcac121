"""Traces that stand in a store already: the rows of Parquet files, or of a query, each a trace line.

A row is a trace line whose columns are its keys; stores have types that JSON has not. Each engine that answers a query is one function:
rows come in batches, so that memory is bounded by a batch.
"""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from outcome_monitors.exceptions import MissingExtra, TraceError
from outcome_monitors.files import FilePath
from outcome_monitors.jsonvalue.canonical import made_plain
from outcome_monitors.model import Json

__all__ = ["Query", "parquet_files", "read_rows", "trace_line"]


@dataclass(frozen=True, slots=True)
class Query(os.PathLike[str]):
    """A query that gives trace lines; it can be named wherever a trace file can."""

    dsn: str
    sql: str

    def __post_init__(self) -> None:
        if self.scheme not in ENGINES:
            known = ", ".join(f"{scheme}:" for scheme in ENGINES)
            raise TraceError(
                f"--dsn has to begin with one of {known}; postgresql://user@host/database is an example"
            )

    @property
    def scheme(self) -> str:
        """The kind of store."""
        return self.dsn.partition(":")[0].lower()

    def __fspath__(self) -> str:
        """The address as it may be shown: without user and password."""
        parts = urlsplit(self.dsn)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def parquet_files(path: str) -> bool:
    """Say whether a path is a Parquet file, or a folder that holds some."""
    place = Path(path)
    if place.is_dir():
        return any(place.rglob("*.parquet"))
    return place.suffix == ".parquet"


BATCH = 1000

Row = dict[str, Any]
Engine = Callable[[str, str], Iterator[Row]]
"""Takes the address of a store and a query."""


def fetch(query: Query) -> Iterator[Row]:
    """Yield the rows of a query; raise TraceError with the engine's reason where it fails."""
    try:
        yield from ENGINES[query.scheme](query.dsn, query.sql)
    except (TraceError, MissingExtra):
        raise
    except Exception as error:
        # Each driver has errors of its own; what they share is that their first line says it.
        reason = str(error).strip().partition("\n")[0] or type(error).__name__
        secret = urlsplit(query.dsn).password
        shown = reason.replace(unquote(secret), "***") if secret else reason
        raise TraceError(f"the query on {os.fspath(query)} failed: {shown}") from error


def _postgres(dsn: str, sql: str) -> Iterator[Row]:
    try:
        import psycopg  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise MissingExtra("a PostgreSQL query", "psycopg", "postgres") from error
    with psycopg.connect(dsn) as connection:
        connection.read_only = True
        # A cursor with a name is one on the server: rows come as they are asked for.
        with connection.cursor(name="outcome_monitors") as cursor:
            cursor.itersize = BATCH
            cursor.execute(sql)
            yield from _batches(cursor)


def _duckdb(dsn: str, sql: str) -> Iterator[Row]:
    file = _path(dsn)
    with closing(_duckdb_connection(file, "a DuckDB query", "sql")) as connection:
        yield from _batches(connection.execute(sql))


def read_parquet(path: str) -> Iterator[Row]:
    """Yield the rows of a Parquet file, or of all in a folder, in the order of their names."""
    place = Path(path)
    files = sorted(map(str, place.rglob("*.parquet"))) if place.is_dir() else [path]
    with closing(_duckdb_connection("", "reading Parquet", "parquet")) as connection:
        try:
            for file in files:
                yield from _batches(connection.execute("SELECT * FROM read_parquet(?)", [file]))
        except Exception as error:
            reason = str(error).strip().partition("\n")[0]
            raise TraceError(f"cannot read {path}: {reason}") from error


def _duckdb_connection(file: str, job: str, extra: str) -> Any:
    try:
        import duckdb  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise MissingExtra(job, "duckdb", extra) from error
    if file and not Path(file).exists():
        # DuckDB would make an empty one.
        raise TraceError(f"cannot read {file}: there is no such file; check the path in --dsn")
    return duckdb.connect(file or ":memory:", read_only=bool(file))


def _sqlite(dsn: str, sql: str) -> Iterator[Row]:
    file = _path(dsn)
    if not Path(file).is_file():
        raise TraceError(f"cannot read {file or dsn}: there is no such file; check the path in --dsn")
    import sqlite3  # noqa: PLC0415 - a library that most never ask for

    with closing(sqlite3.connect(f"{Path(file).resolve().as_uri()}?mode=ro", uri=True)) as connection:
        yield from _batches(connection.execute(sql))


def _path(dsn: str) -> str:
    """Return the file that `duckdb:///relative`, `duckdb:////absolute` or `duckdb:relative` names; empty for none."""
    parts = urlsplit(dsn)
    path = unquote(parts.path)
    return parts.netloc + (path.removeprefix("/") if dsn.partition(":")[2].startswith("//") else path)


def _batches(cursor: Any) -> Iterator[Row]:
    names = [column[0] for column in cursor.description]
    while rows := cursor.fetchmany(BATCH):
        yield from (dict(zip(names, row, strict=True)) for row in rows)


ENGINES: Mapping[str, Engine] = {
    "postgresql": _postgres,
    "postgres": _postgres,
    "duckdb": _duckdb,
    "sqlite": _sqlite,
}
"""The engine of each address."""


PAYLOADS = ("arguments", "result", "tools")
"""The columns that hold JSON, as text or as the store's own type."""


def read_rows(path: FilePath) -> Iterator[tuple[int, dict[str, Json] | bytes]]:
    """Yield the rows of a query or of Parquet files as trace lines, numbered from 1; one whose only column is `line` is one as it stands."""
    rows = fetch(path) if isinstance(path, Query) else read_parquet(str(path))
    for number, row in enumerate(rows, 1):
        whole = row.get("line") if len(row) == 1 else None
        yield number, whole.encode() if isinstance(whole, str) else trace_line(row)


def trace_line(row: Mapping[str, Any]) -> dict[str, Json]:
    """Return a row of a store as a trace line: dates, decimals and bytes as JSON has them."""
    made = made_plain({name: _decoded(value) if name in PAYLOADS else value for name, value in row.items()})
    line: dict[str, Json] = made if isinstance(made, dict) else {}
    if type(line.get("error")) is int:
        # SQLite keeps truth as 0 and 1.
        line["error"] = bool(line["error"])
    return line


def _decoded(value: Any) -> Any:
    """Return what text of JSON says; text that is none is a value itself."""
    try:
        return json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        return value
