"""The world itself: one fresh copy of all records, and the tools that read and change them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from .domains import devices, finance, office, retail, travel
from .state import Record, Refused, State, Tables
from .tools import WorldTool, misfit, tools

Json = Any

DOMAINS = {"retail": retail, "travel": travel, "finance": finance, "office": office, "devices": devices}

TOOLS: dict[str, WorldTool] = {
    tool.name: tool for name, domain in DOMAINS.items() for tool in tools(name, vars(domain))
}


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


@lru_cache(maxsize=8)
def first_tables(seed: int) -> Tables:
    """Return all tables of a world of this seed; they are shared, and nobody changes them."""
    return {name: records for domain in DOMAINS.values() for name, records in domain.tables(seed).items()}


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of a world's log: what was asked and what was truly answered."""

    tool: str
    arguments: dict[str, Json]
    result: Json
    time: str

    @property
    def failed(self) -> bool:
        """Say whether the call failed openly."""
        return "error" in self.result


class World:
    """A world to call tools in: the same seed and the same calls give the same results."""

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed
        self.log: list[Entry] = []
        self._state = State(seed, first_tables(seed))

    def call(self, tool: str, arguments: Mapping[str, Json]) -> Json:
        """Call a tool; a call that fails openly gives an object with `error` and `code`.

        What comes back is the caller's own: no change to it reaches the world or its log.
        """
        self._state.calls += 1
        try:
            asked = json.dumps(dict(arguments))
        except (TypeError, ValueError, RecursionError):
            asked, answer = "{}", {"error": "The arguments are not JSON.", "code": "invalid_argument"}
        else:
            answer = self._answer(tool, json.loads(asked))
        said = json.dumps(answer)
        self.log.append(Entry(tool, json.loads(asked), json.loads(said), self._state.stamp))
        return json.loads(said)

    def changes(self) -> dict[str, dict[str, Record]]:
        """Return what the calls so far have changed, by table and id."""
        return self._state.changes()

    def _answer(self, name: str, arguments: dict[str, Json]) -> Json:
        tool = TOOLS.get(name)
        if tool is None:
            return {"error": f"There is no tool {name}.", "code": "unknown_tool"}
        wrong = misfit(arguments, tool.inputs)
        if wrong:
            return {"error": f"{wrong}.", "code": "invalid_argument"}
        try:
            return tool.answer(self._state, arguments)
        except Refused as refusal:
            return {"error": str(refusal), "code": refusal.code}
