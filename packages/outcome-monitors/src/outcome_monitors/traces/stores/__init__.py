"""Traces that stand in a store already: the rows of Parquet files, or of a query, each a trace line."""

from .engines import ENGINES, read_rows, trace_line
from .query import Query, parquet_files

__all__ = ["ENGINES", "Query", "parquet_files", "read_rows", "trace_line"]
