"""OpenAI's logs: chat completions and Responses, as requests with their responses, as histories, or message by message.

Codex's session logs are such items too, each in an envelope. A log has no errors: a tool that failed says so in its text alone. Sessions are what the request's metadata, a `conversation`
or `previous_response_id` say; else requests that share a call are one session.
"""

from collections.abc import Iterable, Iterator

from outcome_monitors.model import Json

from ._joining import (
    RECENT,
    Bounded,
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
from ._source import ImportTally, Record

__all__ = ["OpenAI", "recognise"]

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


class OpenAI(ConversationReader):
    """Joins the calls and results of such records."""

    def __init__(self, tally: ImportTally) -> None:
        super().__init__(tally)
        self._responses = Bounded[str, str](RECENT)
        """The session of each response, for those that name it as the one before."""
        self._codex = Bounded[str, str](RECENT)
        """The session that a file of Codex's named last."""

    def turn(self, record: Record, value: dict[str, Json]) -> Turn:
        """Return what a record says."""
        by_message = "role" in value or value.get("type") in ITEMS
        layers = layers_of(value)
        # Message by message, a file is one conversation.
        alone = record.file if by_message else self._codex_session(value, record.file)
        before = (self._responses.get(name) for name in _texts(layers, "previous_response_id"))
        turn = Turn(
            tuple(_messages(value, layers)),
            record.place,
            session_of(layers, record.context) or alone,
            time_of(layers),
            named([tool.get("function", tool) for tool in parts(layers, "tools")]),
            begins=next((name for name in before if name), None),
        )
        for response in _texts([layer for layer in layers if layer.get("object") == "response"], "id"):
            self._responses.put(response, self._conversations.session(turn))
        return turn

    def _codex_session(self, value: dict[str, Json], file: str) -> str | None:
        """Return the session of a line of Codex's, which the first line of its file names; nothing of any other record."""
        payload = value.get("payload")
        if value.get("type") not in CODEX or not isinstance(payload, dict):
            return None
        if value["type"] == CODEX[0]:
            self._codex.put(file, label(payload.get("id")) or file)
        return self._codex.get(file) or file


def _texts(layers: Iterable[dict[str, Json]], key: str) -> Iterator[str]:
    return (layer[key] for layer in layers if isinstance(layer.get(key), str))


def _messages(value: dict[str, Json], layers: Layers) -> Iterator[Message]:
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


def _of_message(message: dict[str, Json]) -> Iterator[Message]:
    kind = message.get("type")
    if kind in ("function_call", "custom_tool_call"):
        yield from _request(
            message.get("call_id"), message.get("name"), message.get("arguments", message.get("input"))
        )
    elif kind in ("function_call_output", "custom_tool_call_output") and isinstance(
        message.get("call_id"), str
    ):
        yield ToolResponse(message["call_id"], message.get("output"))
    elif message.get("role") == "tool" and isinstance(message.get("tool_call_id"), str):
        yield ToolResponse(message["tool_call_id"], message.get("content"))
    wanted_calls = message.get("tool_calls")
    for wanted in wanted_calls if isinstance(wanted_calls, list) else ():
        function = wanted.get("function") if isinstance(wanted, dict) else None
        if isinstance(function, dict):
            yield from _request(wanted.get("id"), function.get("name"), function.get("arguments"))


def _request(key: Json, tool: Json, arguments: Json) -> Iterator[ToolRequest]:
    if isinstance(key, str) and isinstance(tool, str):
        yield ToolRequest(key, tool, arguments)
