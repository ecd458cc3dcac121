"""OpenAI's logs: chat completions and Responses, as requests with their responses, as histories, or message by message.

Codex's session logs are such items too, each in an envelope. A log has no errors: a tool that failed says so in its text alone. Sessions are what the request's metadata, a `conversation`
or `previous_response_id` say; else requests that share a call are one session.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from outcome_monitors.model import Call, Json

from ._conversations import Conversations, Said, ToolAnswer, ToolAsk, Turn, prepared
from ._json import JsonRecord
from ._layers import Layers, layers_of, parts, session_of, time_of
from ._memory import Lately
from ._payload import PayloadMaker
from ._reader import ANOTHER_SHAPE
from ._tally import ImportTally, Notes
from ._values import label

__all__ = ["OpenAI", "look", "recognise"]

CODEX = ("session_meta", "response_item")
ITEMS = ("function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output")


def recognise(value: Json) -> bool:
    """Say whether a record is of a chat or Responses log."""
    if not isinstance(value, dict):
        return False
    if value.get("object") in ("chat.completion", "response") or value.get("type") in ITEMS:
        return True
    if value.get("type") in CODEX:
        return isinstance(value.get("payload"), dict)
    layers = layers_of(value)
    if any(parts(layers, "choices")) or any(layer.get("object") == "response" for layer in layers):
        return True
    said = [*parts(layers, "messages"), *parts(layers, "input"), *parts(layers, "output")]
    return (value.get("role") == "tool" and "tool_call_id" in value) or any(
        item.get("type") in ITEMS or item.get("tool_calls") or item.get("role") == "tool" for item in said
    )


class ChatSeen(NamedTuple):
    """What a record says by itself."""

    file: str
    turn: Turn
    """Without the session of a line of Codex's, and without what goes before it."""
    before: tuple[str, ...]
    """The responses that it names as those before,"""
    responses: tuple[str, ...]
    """and those that it is."""
    rollout: str | None = None
    """The session that a line of Codex's names; empty where it is one and names none."""


def look(record: JsonRecord, notes: Notes, payloads: PayloadMaker) -> ChatSeen | None:
    """Look at what a record says."""
    value = record.value
    if not isinstance(value, dict):
        notes.count(ANOTHER_SHAPE, record.place)
        return None
    by_message = "role" in value or value.get("type") in ITEMS
    layers = layers_of(value)
    # Message by message, a file is one conversation.
    session = session_of(layers, record.context) or (record.file if by_message else None)
    events = prepared(_events(value, layers), payloads)
    return ChatSeen(
        record.file,
        Turn(events, record.place, session, time_of(layers), _tools(layers)),
        tuple(_texts(layers, "previous_response_id")),
        tuple(_texts([layer for layer in layers if layer.get("object") == "response"], "id")),
        None if by_message else _rollout(value, record.file),
    )


def _texts(layers: Iterable[dict[str, Json]], key: str) -> Iterator[str]:
    return (layer[key] for layer in layers if isinstance(layer.get(key), str))


def _rollout(value: dict[str, Json], file: str) -> str | None:
    """Return the session that a line of Codex's says, the first of its file; nothing of any other record."""
    payload = value.get("payload")
    if value.get("type") not in CODEX or not isinstance(payload, dict):
        return None
    return (label(payload.get("id")) or file) if value["type"] == CODEX[0] else ""


class OpenAI:
    """Joins what such records say."""

    def __init__(self, tally: ImportTally) -> None:
        self._conversations = Conversations(tally)
        self._responses: Lately[str, str] = Lately()
        """The session of each response, for those that name it as the one before."""
        self._rollouts: Lately[str, str] = Lately()
        """The session that a file of Codex's said last."""

    def join(self, seen: ChatSeen | None) -> Iterator[Call]:
        """Return the calls that a record completes."""
        if seen is None:
            return
        rollout = self._rollout(seen)
        turn = seen.turn._replace(session=seen.turn.session or rollout, begins=self._before(seen.before))
        for response in seen.responses:
            self._responses.put(response, self._conversations.session(turn))
        for _, call in self._conversations.tell(turn):
            yield call

    def end(self) -> tuple[Call, ...]:
        """Count what waits in vain."""
        self._conversations.end()
        return ()

    def _rollout(self, seen: ChatSeen) -> str | None:
        """Return the session of a line of Codex's; the first line of its file says it."""
        if seen.rollout is None:
            return None
        if seen.rollout:
            self._rollouts.put(seen.file, seen.rollout)
        return self._rollouts.get(seen.file) or seen.file

    def _before(self, responses: Iterable[str]) -> str | None:
        sessions = (self._responses.get(response) for response in responses)
        return next((session for session in sessions if session), None)


def _events(value: dict[str, Json], layers: Layers) -> Iterator[Said]:
    for message in (*parts(layers, "messages"), *parts(layers, "input"), *_alone(value)):
        yield from _of_message(message)
    for choice in parts(layers, "choices"):
        if isinstance(choice.get("message"), dict):
            yield from _of_message(choice["message"])
    for item in parts(layers, "output"):
        yield from _of_message(item)


def _alone(value: dict[str, Json]) -> Iterator[dict[str, Json]]:
    message = value.get("payload" if value.get("type") in CODEX else "message", value)
    if isinstance(message, dict) and ("role" in message or message.get("type") in ITEMS):
        yield message


def _of_message(message: dict[str, Json]) -> Iterator[Said]:
    kind = message.get("type")
    if kind in ("function_call", "custom_tool_call"):
        yield from _ask(
            message.get("call_id"), message.get("name"), message.get("arguments", message.get("input"))
        )
    elif kind in ("function_call_output", "custom_tool_call_output") and isinstance(
        message.get("call_id"), str
    ):
        yield ToolAnswer(message["call_id"], message.get("output"))
    elif message.get("role") == "tool" and isinstance(message.get("tool_call_id"), str):
        yield ToolAnswer(message["tool_call_id"], message.get("content"))
    wanted_calls = message.get("tool_calls")
    for wanted in wanted_calls if isinstance(wanted_calls, list) else ():
        function = wanted.get("function") if isinstance(wanted, dict) else None
        if isinstance(function, dict):
            yield from _ask(wanted.get("id"), function.get("name"), function.get("arguments"))


def _ask(key: Json, tool: Json, arguments: Json) -> Iterator[ToolAsk]:
    if isinstance(key, str) and isinstance(tool, str):
        yield ToolAsk(key, tool, arguments)


def _tools(layers: Layers) -> tuple[str, ...] | None:
    """Return the names of the tools that the request offers."""
    offered = [tool.get("function", tool) for tool in parts(layers, "tools")]
    names = [tool["name"] for tool in offered if isinstance(tool, dict) and isinstance(tool.get("name"), str)]
    return tuple(dict.fromkeys(names)) or None
