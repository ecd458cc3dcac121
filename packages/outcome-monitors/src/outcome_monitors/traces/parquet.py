"""Traces in Parquet files: each row is a trace line whose columns are its keys."""

import json
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from outcome_monitors.exceptions import MissingExtra, TraceError
from outcome_monitors.jsonvalue.canonical import made_plain
from outcome_monitors.model import Json

BATCH = 1000
"""Rows that are in memory at a time."""
PAYLOADS = ("arguments", "result", "tools")
"""The columns that hold JSON, as text or as structures."""


def holds_parquet(path: str) -> bool:
    """Say whether a path is a Parquet file, or a folder with some in it."""
    place = Path(path)
    if place.is_dir():
        return any(place.rglob("*.parquet"))
    return place.suffix == ".parquet"


def read_parquet(path: str) -> Iterator[tuple[int, dict[str, Json] | bytes]]:
    """Yield the rows of a file, or of all files in a folder by name, as trace lines, numbered from 1.

    A row whose only column is `line` is the line itself.
    """
    try:
        import duckdb  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise MissingExtra("reading Parquet", "duckdb", "parquet") from error
    place, number = Path(path), 0
    files = sorted(map(str, place.rglob("*.parquet"))) if place.is_dir() else [path]
    with closing(duckdb.connect()) as connection:
        try:
            for file in files:
                cursor = connection.execute("SELECT * FROM read_parquet(?)", [file])
                names = [column[0] for column in cursor.description]
                while rows := cursor.fetchmany(BATCH):
                    for number, row in enumerate(rows, number + 1):  # noqa: B020 - the files are numbered through
                        whole = row[0] if names == ["line"] else None
                        yield (
                            number,
                            whole.encode()
                            if isinstance(whole, str)
                            else trace_line(dict(zip(names, row, strict=True))),
                        )
        except duckdb.Error as error:
            reason = str(error).strip().partition("\n")[0]
            raise TraceError(f"cannot read {path}: {reason}") from error


def trace_line(row: Mapping[str, Any]) -> dict[str, Json]:
    """Return a row as a trace line: dates, decimals and bytes as JSON has them."""
    made = made_plain({name: _decoded(value) if name in PAYLOADS else value for name, value in row.items()})
    return made if isinstance(made, dict) else {}


def _decoded(value: Any) -> Any:
    """Return what text of JSON says; text that is none is a value itself."""
    try:
        return json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        return value
