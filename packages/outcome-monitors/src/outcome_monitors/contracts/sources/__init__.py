"""Contracts from what is public: schemas and documentation, without a single trace.

A new source is one module and one row. Every reader takes a path and gives a `Report`.
"""

from collections.abc import Callable, Mapping
from pathlib import Path

from outcome_monitors.files import FilePath

from ._reading import Refusal, Report
from .appworld import from_appworld, read_appworld
from .json_schema import from_json_schema, read_json_schema
from .mcp_tools import from_mcp_tools, read_mcp_tools
from .openapi import from_openapi, read_openapi

__all__ = [
    "SOURCES",
    "Reader",
    "Refusal",
    "Report",
    "from_appworld",
    "from_json_schema",
    "from_mcp_tools",
    "from_openapi",
    "read_appworld",
    "read_json_schema",
    "read_mcp_tools",
    "read_openapi",
]

Reader = Callable[[FilePath], Report]


def _json_schema(path: FilePath) -> Report:
    """Read a schema as that of the tool its file is named for: `get_order.schema.json` speaks of `get_order`."""
    return read_json_schema(path, Path(path).name.partition(".")[0])


SOURCES: Mapping[str, Reader] = {
    "appworld": read_appworld,
    "json-schema": _json_schema,
    "mcp": read_mcp_tools,
    "openapi": read_openapi,
}
