"""Traces that stand in a store already: the rows of Parquet files, or of a query, each a trace line."""

from typing import TYPE_CHECKING, Any

from outcome_monitors.values.late_imports import imported_late

from .query import Query, parquet_files

if TYPE_CHECKING:
    from .engines import ENGINES, read_rows, trace_line

__all__ = ["ENGINES", "Query", "parquet_files", "read_rows", "trace_line"]

# Whoever reads trace files asks whether they are something else, and no more.
_LATER = dict.fromkeys(("ENGINES", "read_rows", "trace_line"), ".engines")


def __getattr__(name: str) -> Any:
    return imported_late(__name__, _LATER, name)
