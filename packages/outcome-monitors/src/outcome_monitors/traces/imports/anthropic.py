"""Anthropic's messages: requests with their responses, histories, or message by message, as Claude Code's session logs are."""

from collections.abc import Iterator

from outcome_monitors.model import Call, Json

from ._conversations import Conversations, Said, ToolAnswer, ToolAsk, Turn, prepared
from ._json import JsonRecord
from ._layers import Layers, layers_of, parts, session_of, time_of
from ._payload import PayloadMaker
from ._reader import ANOTHER_SHAPE
from ._tally import ImportTally, Notes
from ._values import label

__all__ = ["Anthropic", "look", "recognise"]

BLOCKS = ("tool_use", "tool_result")


def recognise(value: Json) -> bool:
    """Say whether a record holds blocks of tool use."""
    if not isinstance(value, dict):
        return False
    layers = layers_of(value)
    return any(block.get("type") in BLOCKS for block in _blocks(value, layers)) or any(
        layer.get("type") == "message" and isinstance(layer.get("content"), list) for layer in layers
    )


def look(record: JsonRecord, notes: Notes, payloads: PayloadMaker) -> Turn | None:
    """Look at what a record says."""
    value = record.value
    if not isinstance(value, dict):
        notes.count(ANOTHER_SHAPE, record.place)
        return None
    # Message by message, a file is one conversation.
    alone = record.file if "role" in value or "message" in value else None
    layers = layers_of(value)
    session = _with_agent(session_of(layers, record.context), value) or alone
    names = tuple(
        dict.fromkeys(tool["name"] for tool in parts(layers, "tools") if isinstance(tool.get("name"), str))
    )
    events = prepared(_events(value, layers), payloads)
    return Turn(events, record.place, session, time_of(layers), names or None)


class Anthropic:
    """Joins what such records say."""

    def __init__(self, tally: ImportTally) -> None:
        self._conversations = Conversations(tally)

    def join(self, seen: Turn | None) -> Iterator[Call]:
        """Return the calls that a record completes."""
        if seen is not None:
            for _, call in self._conversations.tell(seen):
                yield call

    def end(self) -> tuple[Call, ...]:
        """Count what waits in vain."""
        self._conversations.end()
        return ()


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


def _events(value: dict[str, Json], layers: Layers) -> Iterator[Said]:
    for block in _blocks(value, layers):
        if block.get("type") == "tool_use" and isinstance(block.get("id"), str):
            if isinstance(block.get("name"), str):
                yield ToolAsk(block["id"], block["name"], block.get("input"))
        elif block.get("type") == "tool_result" and isinstance(block.get("tool_use_id"), str):
            failed = block.get("is_error") is True
            yield ToolAnswer(block["tool_use_id"], block.get("content"), failed)
