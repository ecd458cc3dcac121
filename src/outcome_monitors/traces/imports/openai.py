"""OpenAI's logs: chat completions and Responses, as requests with their responses, as histories, or message by message.

Codex's session logs are such items too, each in an envelope. A log has no errors: a tool that failed says so in its text alone. Sessions are what the request's metadata, a `conversation`
or `previous_response_id` say; else requests that share a call are one session.
"""

from collections.abc import Iterator

from outcome_monitors.model import Call, Json

from ._conversations import Conversations, ToolAnswer, ToolAsk, Turn
from ._json import JsonRecord
from ._layers import Layers, layers_of, parts, session_of, time_of
from ._memory import Lately
from ._reader import ANOTHER_SHAPE
from ._tally import ImportTally
from ._values import label

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


class OpenAI:
    """Reads such records."""

    def __init__(self, tally: ImportTally) -> None:
        self._tally = tally
        self._conversations = Conversations(tally)
        self._responses: Lately[str, str] = Lately()
        """The session of each response, for those that name it as the one before."""
        self._rollouts: Lately[str, str] = Lately()
        """The session that a file of Codex's said last."""

    def read(self, record: JsonRecord) -> Iterator[Call]:
        """Return the calls that a record completes."""
        value = record.value
        if not isinstance(value, dict):
            self._tally.count(ANOTHER_SHAPE, record.place)
            return
        # Message by message, a file is one conversation.
        alone = record.file if "role" in value or value.get("type") in ITEMS else self._rollout(record)
        layers = layers_of(value)
        session = session_of(layers, record.context) or alone
        turn = Turn(
            tuple(_events(value, layers)),
            record.place,
            session,
            time_of(layers),
            _tools(layers),
            self._before(layers),
        )
        for layer in layers:
            if layer.get("object") == "response" and isinstance(layer.get("id"), str):
                self._responses.put(layer["id"], self._conversations.session(turn))
        for _, call in self._conversations.tell(turn):
            yield call

    def end(self) -> tuple[Call, ...]:
        """Count what waits in vain."""
        self._conversations.end()
        return ()

    def _rollout(self, record: JsonRecord) -> str | None:
        """Return the session of a line of Codex's; the first line of its file says it."""
        payload = record.value.get("payload")
        if record.value.get("type") not in CODEX or not isinstance(payload, dict):
            return None
        if record.value["type"] == CODEX[0]:
            self._rollouts.put(record.file, label(payload.get("id")) or record.file)
        return self._rollouts.get(record.file) or record.file

    def _before(self, layers: Layers) -> str | None:
        for layer in layers:
            before = layer.get("previous_response_id")
            if isinstance(before, str) and (session := self._responses.get(before)):
                return session
        return None


def _events(value: dict[str, Json], layers: Layers) -> Iterator[ToolAsk | ToolAnswer]:
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


def _of_message(message: dict[str, Json]) -> Iterator[ToolAsk | ToolAnswer]:
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
