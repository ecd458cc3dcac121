"""A row is a trace line whose columns are its keys; stores have types that JSON has not."""

import json
from collections.abc import Iterator, Mapping
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any
from uuid import UUID

from outcome_monitors.model import Json
from outcome_monitors.values.files import FilePath

from .engines import Query, fetch, read_parquet

__all__ = ["read_rows", "trace_line"]

PAYLOADS = ("arguments", "result", "tools")
"""The columns that hold JSON, as text or as the store's own type."""


def read_rows(path: FilePath) -> Iterator[tuple[int, dict[str, Json]]]:
    """Yield the rows of a query or of Parquet files as trace lines, numbered from 1."""
    rows = fetch(path) if isinstance(path, Query) else read_parquet(str(path))
    for number, row in enumerate(rows, 1):
        yield number, trace_line(row)


def trace_line(row: Mapping[str, Any]) -> dict[str, Json]:
    """Return a row of a store as a trace line."""
    line = {name: _decoded(value) if name in PAYLOADS else _plain(value) for name, value in row.items()}
    if type(line.get("error")) is int:
        # SQLite and ClickHouse keep truth as 0 and 1.
        line["error"] = bool(line["error"])
    return line


def _decoded(value: Any) -> Json:
    """Return what text of JSON says; text that is none is a value itself."""
    if not isinstance(value, str):
        return _plain(value)
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def _plain(value: Any) -> Json:
    """Return a value as JSON has it."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set)):
        return [_plain(item) for item in value]
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, (datetime, date, time)):
        return value.isoformat()
    return str(value) if isinstance(value, UUID) else repr(value)
