"""Contracts from what is public: schemas and documentation, without a single trace.

Each reader takes a path and gives a `Report`; the options of `mine` name them (`cli._mining.READERS`).
"""

from ._reading import Refusal, Report
from .appworld import from_appworld, read_appworld
from .json_schema import from_json_schema, read_json_schema
from .mcp_tools import from_mcp_tools, read_mcp_tools
from .openapi import from_openapi, read_openapi

__all__ = [
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
