"""LangChain's messages in files: as `messages_to_dict` writes them, as they dump themselves, and in its `lc` form.

A file holds one conversation, message by message; lists on lines of their own are one conversation each.
"""

from collections.abc import Iterator

from outcome_monitors.model import Json

from ._joining import (
    ConversationReader,
    Message,
    ToolRequest,
    ToolResponse,
    Turn,
    layers_of,
    parts,
    session_of,
    time_of,
)
from ._source import Record

__all__ = ["LangChain", "recognise"]

TYPES = ("human", "ai", "tool", "system", "function", "remove", "chat")


def recognise(value: Json) -> bool:
    """Say whether a record is a message, or holds some."""
    return any(_fields(message) is not None for message in _messages(value))


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
            tuple(part for message in _messages(value) for part in _parts(_fields(message) or {})),
            record.place,
            session_of(layers, record.context),
            time_of(layers),
            begins=record.place if in_a_list else record.file,
        )


def _messages(value: Json) -> Iterator[dict[str, Json]]:
    """Yield the messages of a record: itself, or those it holds."""
    if not isinstance(value, dict):
        return
    if isinstance(value.get("messages"), list):
        yield from parts((value,), "messages")
    else:
        yield value


def _fields(message: dict[str, Json]) -> dict[str, Json] | None:
    """Return what a message is made of, its type among it; None of what is none."""
    if "lc" in message:
        names, fields = message.get("id"), message.get("kwargs")
        is_one = isinstance(names, list) and str(names[-1:]).endswith("Message']")
        return fields if is_one and isinstance(fields, dict) else None
    if message.get("type") not in TYPES:
        return None
    data = message.get("data")
    fields = {"type": message["type"], **data} if isinstance(data, dict) else message
    return fields if "content" in fields else None


def _parts(fields: dict[str, Json]) -> Iterator[Message]:
    if isinstance(fields.get("tool_call_id"), str):
        # A message with an artifact is opened with it, where all results are.
        content = fields.get("content") if fields.get("artifact") is None else {**fields, "type": "tool"}
        yield ToolResponse(fields["tool_call_id"], content, fields.get("status") == "error")
    for wanted in parts((fields,), "tool_calls"):
        if isinstance(wanted.get("id"), str) and isinstance(wanted.get("name"), str):
            yield ToolRequest(wanted["id"], wanted["name"], wanted.get("args"))
