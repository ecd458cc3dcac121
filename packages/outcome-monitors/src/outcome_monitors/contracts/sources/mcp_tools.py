"""MCP's `tools/list` to contracts: what each tool's `outputSchema` says of its structured result.

The Python SDKs put what is no object into one with the only field `result`. Clients hand on the one or the other, so a contract speaks
of the thing itself, which is the canonical form of both.
"""

from collections.abc import Iterator
from pathlib import Path

from outcome_monitors.exceptions import SourceError
from outcome_monitors.files import FilePath, read_json
from outcome_monitors.model import Json

from ._reading import Report, SourceReading
from ._shape import ANYTHING, Some, Where
from .json_schema import shape_of, standing_alone


def read_mcp_tools(path: FilePath) -> Report:
    """Read the contracts of a server's tools from the result of `tools/list`."""
    return from_mcp_tools(read_json(path), Path(path).name)


def from_mcp_tools(document: Json, source: str) -> Report:
    """Turn the output schemas of a `tools/list` result into contracts."""
    tools = document.get("tools") if isinstance(document, dict) else None
    if not isinstance(tools, list):
        raise SourceError(f'{source} is not a result of tools/list: it must be {{"tools": [...]}}')
    reading = SourceReading(source)
    if document.get("nextCursor"):
        reading.refuse(("#", "nextCursor"), "more tools follow on another page; put all pages in one list")
    for where, schema in _schemas(reading, tools):
        reading.contract(where, _Reader(schema, where, reading))
    return reading.report()


class _Reader:
    """Reads the shape of a tool's result so many levels deep."""

    def __init__(self, schema: Json, where: Where, reading: SourceReading) -> None:
        self.document = standing_alone(schema, where)
        self.reading = reading
        self.is_wrapped = (
            isinstance(schema, dict)
            and schema.get("required") == ["result"]
            and isinstance(fields := schema.get("properties"), dict)
            and list(fields) == ["result"]
        )
        self.schema, self.where = schema, where
        if self.is_wrapped:
            self.schema, self.where = schema["properties"]["result"], (*where, "properties", "result")

    def __call__(self, levels: int) -> Some:
        shape = shape_of(self.schema, self.where, self.document, self.reading, levels)
        # A text may be one of JSON, or of a table: what it is read as, no schema says.
        return ANYTHING if self.is_wrapped and shape is not None and "string" in shape.kinds else shape


def _schemas(reading: SourceReading, tools: list[Json]) -> Iterator[tuple[Where, Json]]:
    for index, tool in enumerate(tools):
        where = ("#", "tools", index)
        name = tool.get("name") if isinstance(tool, dict) else None
        reading.tool = name if isinstance(name, str) else ""
        if not reading.tool:
            reading.refuse(where, "has no name")
        elif "outputSchema" not in tool:
            reading.refuse(where, "has no `outputSchema`")
        else:
            yield (*where, "outputSchema"), tool["outputSchema"]
