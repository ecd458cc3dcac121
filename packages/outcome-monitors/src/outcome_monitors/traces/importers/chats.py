"""Chat logs: OpenAI's and Anthropic's requests and responses, LangChain's messages, and the session logs of coding agents.

A record is a request with its response, a history, or one message; what its layers hold is joined by the ids of calls. Sessions are what the
records name, else records that share a call are one session. OpenAI's logs have no errors: a tool that failed says so in its text alone.
"""

import re
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

_CODEX = ("session_meta", "response_item", "event_msg")
_DONE = ("McpToolCall", "CommandExecution")
"""What Codex says of a call that is over, before it writes down what the model reads of it."""
_HEADER = re.compile(r"\A(?:[^\n]{1,80}\n){0,3}?Wall time: [\d.]+ seconds\n(?:[^\n]{1,80}\n){0,3}?Output:\n?")
"""What stands before the result in that."""
_ITEMS = ("function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output")


def is_openai(value: Json) -> bool:
    """Say whether a record is of a chat or Responses log."""
    if not isinstance(value, dict):
        return False
    if value.get("object") in ("chat.completion", "response") or value.get("type") in _ITEMS:
        return True
    if value.get("type") in _CODEX:
        return isinstance(value.get("payload"), dict)
    layers = layers_of(value)
    if any(parts(layers, "choices")) or any(layer.get("object") == "response" for layer in layers):
        return True
    said = [*parts(layers, "messages"), *parts(layers, "input"), *parts(layers, "output")]
    return (value.get("role") == "tool" and "tool_call_id" in value) or any(
        item.get("type") in _ITEMS or item.get("tool_calls") or item.get("role") == "tool" for item in said
    )


class OpenAI(ConversationReader):
    """Joins the calls and results of such records."""

    def __init__(self, tally: ImportTally) -> None:
        super().__init__(tally)
        self._responses = Bounded[str, str](RECENT)
        """The session of each response, for those that name it as the one before."""
        self._codex = Bounded[str, str](RECENT)
        """The session that a file of Codex's named last."""
        self._over = Bounded[tuple[str | None, str], bool](RECENT)
        """Calls of Codex's whose result stands before what the model reads of it."""

    def turn(self, record: Record, value: dict[str, Json]) -> Turn:
        """Return what a record says."""
        by_message = "role" in value or value.get("type") in _ITEMS
        layers = layers_of(value)
        # Message by message, a file is one conversation.
        alone = record.file if by_message else self._codex_session(value, record.file)
        before = (self._responses.get(name) for name in _labels(layers, "previous_response_id"))
        turn = Turn(
            tuple(self._once(_openai_messages(value, layers), value, alone)),
            record.place,
            session_of(layers, record.context) or alone,
            time_of(layers),
            named([tool.get("function", tool) for tool in parts(layers, "tools")]),
            begins=next((name for name in before if name), None),
        )
        for response in _labels([layer for layer in layers if layer.get("object") == "response"], "id"):
            self._responses.put(response, self._conversations.session(turn))
        return turn

    def _once(
        self, messages: Iterable[Message], value: dict[str, Json], session: str | None
    ) -> Iterator[Message]:
        """Yield what a record says, but for a result that Codex has said before."""
        for message in messages:
            if isinstance(message, ToolResponse) and value.get("type") in _CODEX:
                if (session, message.id) in self._over:
                    continue
                if value["type"] == _CODEX[-1]:
                    self._over.put((session, message.id), True)
            yield message

    def _codex_session(self, value: dict[str, Json], file: str) -> str | None:
        """Return the session of a line of Codex's, which the first line of its file names; nothing of any other record."""
        payload = value.get("payload")
        if value.get("type") not in _CODEX or not isinstance(payload, dict):
            return None
        if value["type"] == _CODEX[0]:
            self._codex.put(file, label(payload.get("id")) or file)
        return self._codex.get(file) or file


def _labels(layers: Iterable[dict[str, Json]], key: str) -> Iterator[str]:
    return (layer[key] for layer in layers if isinstance(layer.get(key), str))


def _openai_messages(value: dict[str, Json], layers: Layers) -> Iterator[Message]:
    for message in (*parts(layers, "messages"), *parts(layers, "input"), *_alone(value)):
        yield from _openai_parts(message)
    for choice in parts(layers, "choices"):
        if isinstance(choice.get("message"), dict):
            yield from _openai_parts(choice["message"])
    for item in parts(layers, "output"):
        yield from _openai_parts(item)


def _alone(value: dict[str, Json]) -> Iterator[dict[str, Json]]:
    message = value.get("payload" if value.get("type") in _CODEX else "message", value)
    if isinstance(message, dict) and isinstance(message.get("item"), dict):
        message = message["item"]
    if isinstance(message, dict) and ("role" in message or message.get("type") in (*_ITEMS, *_DONE)):
        yield message


def _openai_parts(message: dict[str, Json]) -> Iterator[Message]:
    kind = message.get("type")
    if kind in ("function_call", "custom_tool_call"):
        server, name = message.get("namespace"), message.get("name")
        # As other coding agents name the tools of MCP servers.
        tool = f"{server}__{name}" if isinstance(server, str) else name
        yield from _request(message.get("call_id"), tool, message.get("arguments", message.get("input")))
    elif kind in _DONE and isinstance(message.get("id"), str):
        yield from _done(message)
    elif kind in ("function_call_output", "custom_tool_call_output") and isinstance(
        message.get("call_id"), str
    ):
        yield ToolResponse(message["call_id"], _without_header(message.get("output")))
    elif message.get("role") == "tool" and isinstance(message.get("tool_call_id"), str):
        yield ToolResponse(message["tool_call_id"], message.get("content"))
    wanted_calls = message.get("tool_calls")
    for wanted in wanted_calls if isinstance(wanted_calls, list) else ():
        function = wanted.get("function") if isinstance(wanted, dict) else None
        if isinstance(function, dict):
            yield from _request(wanted.get("id"), function.get("name"), function.get("arguments"))


def _done(item: dict[str, Json]) -> Iterator[ToolResponse]:
    failed = item.get("status") == "failed"
    if item["type"] == "CommandExecution":
        yield ToolResponse(item["id"], item.get("aggregated_output"), failed or item.get("exit_code") != 0)
    elif isinstance(item.get("result"), dict):
        yield ToolResponse(item["id"], item["result"], failed)


def _without_header(output: Json) -> Json:
    if isinstance(output, str):
        return _HEADER.sub("", output)
    first = (
        output[0].get("text") if isinstance(output, list) and output and isinstance(output[0], dict) else None
    )
    return output[1:] if isinstance(first, str) and _HEADER.fullmatch(first) else output


def _request(key: Json, tool: Json, arguments: Json) -> Iterator[ToolRequest]:
    if isinstance(key, str) and isinstance(tool, str):
        yield ToolRequest(key, tool, arguments)


_BLOCKS = ("tool_use", "tool_result")


def is_anthropic(value: Json) -> bool:
    """Say whether a record holds blocks of tool use."""
    if not isinstance(value, dict):
        return False
    layers = layers_of(value)
    return any(block.get("type") in _BLOCKS for block in _anthropic_blocks(value, layers)) or any(
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
        return Turn((*_anthropic_messages(value, layers),), record.place, session, time_of(layers), tools)


def _with_agent(session: str | None, value: dict[str, Json]) -> str | None:
    """Return a session; what an agent within Claude Code's does is a session of its own."""
    agent = label(value.get("agentId")) if value.get("isSidechain") is True else None
    return f"{session}/{agent}" if session and agent else session


def _anthropic_blocks(value: dict[str, Json], layers: Layers) -> Iterator[dict[str, Json]]:
    inner = value.get("message")
    alone = [inner] if isinstance(inner, dict) else [value] if "role" in value else []
    for message in (*parts(layers, "messages"), *alone):
        content = message.get("content")
        if isinstance(content, list):
            yield from (block for block in content if isinstance(block, dict))
    if "role" not in value:
        yield from (block for block in parts(layers, "content") if block.get("type") in _BLOCKS)


def _anthropic_messages(value: dict[str, Json], layers: Layers) -> Iterator[Message]:
    for block in _anthropic_blocks(value, layers):
        key, tool = block.get("id"), block.get("name")
        answers = block.get("tool_use_id")
        if block.get("type") == "tool_use" and isinstance(key, str) and isinstance(tool, str):
            yield ToolRequest(key, tool, block.get("input"))
        elif block.get("type") == "tool_result" and isinstance(answers, str):
            yield ToolResponse(answers, _content(value, block), block.get("is_error") is True)


def _content(value: dict[str, Json], block: dict[str, Json]) -> Json:
    """Return what a tool gave; Claude Code writes structured content beside what the model reads of it.

    SDKs put what is no object into one, as `result`.
    """
    meta = value.get("mcpMeta")
    structured = meta.get("structuredContent") if isinstance(meta, dict) else None
    if isinstance(structured, dict) and list(structured) == ["result"]:
        inner = structured["result"]
        return structured if isinstance(inner, dict) else inner
    return block.get("content") if structured is None else structured


_LANGCHAIN_TYPES = ("human", "ai", "tool", "system", "function", "remove", "chat")


def is_langchain(value: Json) -> bool:
    """Say whether a record is a message, or holds some."""
    return any(_langchain_fields(message) is not None for message in _langchain_messages(value))


class LangChain(ConversationReader):
    """Joins the calls and results of such messages."""

    _before = ("", 0)
    """File and line of the message before."""

    def turn(self, record: Record, value: dict[str, Json]) -> Turn:
        """Return what a record says."""
        layers = layers_of(value)
        in_a_list = self._before == (record.file, record.line) or "messages" in value
        self._before = (record.file, record.line)
        return Turn(
            tuple(
                part
                for message in _langchain_messages(value)
                for part in _langchain_parts(_langchain_fields(message) or {})
            ),
            record.place,
            session_of(layers, record.context),
            time_of(layers),
            begins=record.place if in_a_list else record.file,
        )


def _langchain_messages(value: Json) -> Iterator[dict[str, Json]]:
    """Yield the messages of a record: itself, or those it holds."""
    if not isinstance(value, dict):
        return
    if isinstance(value.get("messages"), list):
        yield from parts((value,), "messages")
    else:
        yield value


def _langchain_fields(message: dict[str, Json]) -> dict[str, Json] | None:
    """Return what a message is made of, its type among it; None of what is none."""
    if "lc" in message:
        names, fields = message.get("id"), message.get("kwargs")
        is_one = isinstance(names, list) and str(names[-1:]).endswith("Message']")
        return fields if is_one and isinstance(fields, dict) else None
    if message.get("type") not in _LANGCHAIN_TYPES:
        return None
    data = message.get("data")
    fields = {"type": message["type"], **data} if isinstance(data, dict) else message
    return fields if "content" in fields else None


def _langchain_parts(fields: dict[str, Json]) -> Iterator[Message]:
    if isinstance(fields.get("tool_call_id"), str):
        # A message with an artifact is opened with it, where all results are.
        content = fields.get("content") if fields.get("artifact") is None else {**fields, "type": "tool"}
        yield ToolResponse(fields["tool_call_id"], content, fields.get("status") == "error")
    for wanted in parts((fields,), "tool_calls"):
        if isinstance(wanted.get("id"), str) and isinstance(wanted.get("name"), str):
            yield ToolRequest(wanted["id"], wanted["name"], wanted.get("args"))
