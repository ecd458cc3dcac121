"""Anthropic's messages: requests with their responses, histories, or message by message, as Claude Code's session logs are."""

from collections.abc import Iterator

from outcome_monitors.model import Json

from ._joining import (
    ConversationReader,
    Layers,
    Message,
    ToolRequest,
    ToolResponse,
    Turn,
    layers_of,
    parts,
    session_of,
    time_of,
)
from ._payloads import label, named
from ._source import Record

__all__ = ["Anthropic", "recognise"]

BLOCKS = ("tool_use", "tool_result")


def recognise(value: Json) -> bool:
    """Say whether a record holds blocks of tool use."""
    if not isinstance(value, dict):
        return False
    layers = layers_of(value)
    return any(block.get("type") in BLOCKS for block in _blocks(value, layers)) or any(
        layer.get("type") == "message" and isinstance(layer.get("content"), list) for layer in layers
    )


class Anthropic(ConversationReader):
    """Joins the blocks of such records."""

    def turn(self, record: Record, value: dict[str, Json]) -> Turn:
        """Return what a record says."""
        # Message by message, a file is one conversation.
        alone = record.file if "role" in value or "message" in value else None
        layers = layers_of(value)
        session = _with_agent(session_of(layers, record.context), value) or alone
        tools = named([*parts(layers, "tools")])
        return Turn((*_messages(value, layers),), record.place, session, time_of(layers), tools)


def _with_agent(session: str | None, value: dict[str, Json]) -> str | None:
    """Return a session; what an agent within Claude Code's does is a session of its own."""
    agent = label(value.get("agentId")) if value.get("isSidechain") is True else None
    return f"{session}/{agent}" if session and agent else session


def _blocks(value: dict[str, Json], layers: Layers) -> Iterator[dict[str, Json]]:
    inner = value.get("message")
    alone = [inner] if isinstance(inner, dict) else [value] if "role" in value else []
    for message in (*parts(layers, "messages"), *alone):
        content = message.get("content")
        if isinstance(content, list):
            yield from (block for block in content if isinstance(block, dict))
    if "role" not in value:
        yield from (block for block in parts(layers, "content") if block.get("type") in BLOCKS)


def _messages(value: dict[str, Json], layers: Layers) -> Iterator[Message]:
    for block in _blocks(value, layers):
        key, tool = block.get("id"), block.get("name")
        answers = block.get("tool_use_id")
        if block.get("type") == "tool_use" and isinstance(key, str) and isinstance(tool, str):
            yield ToolRequest(key, tool, block.get("input"))
        elif block.get("type") == "tool_result" and isinstance(answers, str):
            yield ToolResponse(answers, block.get("content"), block.get("is_error") is True)
