"""The tools' definitions in the forms that others read: MCP's `tools/list`, and ToolMaze's definition files."""

from typing import Any

from ._substitutes import groups
from ._tool import WorldTool
from ._world import TOOLS

__all__ = ["definitions", "tools_list"]

Json = Any


def tools_list() -> Json:
    """Return all tools as the result of MCP's `tools/list`."""
    return {"tools": [_mcp(tool) for tool in TOOLS.values()]}


def _mcp(tool: WorldTool) -> Json:
    return {
        "name": tool.name,
        "description": tool.description,
        "inputSchema": tool.inputs,
        "outputSchema": tool.output,
        "annotations": {
            "readOnlyHint": tool.read_only,
            "destructiveHint": not tool.read_only,
            "idempotentHint": tool.idempotent,
            "openWorldHint": False,
        },
    }


def definitions() -> dict[str, Json]:
    """Return ToolMaze's definition files by name; each value is to be written as YAML (or JSON, which is YAML)."""
    files: dict[str, Json] = {
        f"{category}.yaml": {
            "tools": [_toolmaze(tool) for tool in TOOLS.values() if tool.category == category]
        }
        for category in ("source", "processor", "action")
    }
    alternatives: dict[str, list[Json]] = {"one_to_one": [], "one_to_many": [], "many_to_many": []}
    for need in groups():
        paths = [{"tools": list(way.tools)} for way in need.ways]
        alternatives[need.kind].append({"group": need.name, "paths": paths})
    return {**files, "alternatives.yaml": alternatives}


def _toolmaze(tool: WorldTool) -> Json:
    signature = ", ".join(tool.inputs["properties"])
    return {
        "name": tool.name,
        "description": tool.description,
        "category": tool.category,
        "domain": tool.domain,
        "substitutes": _one_for_one(tool.name),
        "paradigms": {
            "function_call": {
                "spec": {"name": tool.name, "description": tool.description, "parameters": tool.inputs}
            },
            "mcp": {
                "prompt_signature": f"{tool.name}({signature})",
                "prompt_description": tool.description,
                "output_schema": tool.output,
            },
        },
    }


def _one_for_one(name: str) -> list[str]:
    """Return the tools that do alone what this one does alone; longer ways are in the alternatives."""
    found: dict[str, None] = {}
    for need in groups():
        single = [way.tools[0] for way in need.ways if len(way.uses) == 1]
        if name in single:
            found |= dict.fromkeys(other for other in single if other != name)
    return list(found)
