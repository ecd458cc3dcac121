"""LangChain's messages in files: as `messages_to_dict` writes them, as they dump themselves, and in its `lc` form.

A file holds one conversation, message by message; lists on lines of their own are one conversation each.
"""

from collections.abc import Iterator
from typing import NamedTuple

from outcome_monitors.model import Call, Json

from ._conversations import Conversations, Said, ToolAnswer, ToolAsk, Turn, prepared
from ._json import JsonRecord
from ._layers import layers_of, parts, session_of, time_of
from ._payload import PayloadMaker
from ._tally import ImportTally, Notes

__all__ = ["LangChain", "look", "recognise"]

TYPES = ("human", "ai", "tool", "system", "function", "remove", "chat")


def recognise(value: Json) -> bool:
    """Say whether a record is a message, or holds some."""
    return any(_fields(message) is not None for message in _messages(value))


class MessageSeen(NamedTuple):
    """What a record says by itself, and where it stands."""

    file: str
    line: int
    turn: Turn
    several: bool
    """It holds messages, and is not one."""


def look(record: JsonRecord, _notes: Notes, payloads: PayloadMaker) -> MessageSeen | None:
    """Look at what a record says."""
    value = record.value
    if not isinstance(value, dict):
        return None
    layers = layers_of(value)
    said = (event for message in _messages(value) for event in _events(_fields(message) or {}))
    session = session_of(layers, record.context)
    turn = Turn(prepared(said, payloads), record.place, session, time_of(layers))
    return MessageSeen(record.file, record.line, turn, "messages" in value)


class LangChain:
    """Joins what such records say."""

    def __init__(self, tally: ImportTally) -> None:
        self._conversations = Conversations(tally)
        self._before = ("", 0)
        """File and line of the message before."""

    def join(self, seen: MessageSeen | None) -> Iterator[Call]:
        """Return the calls that a record completes."""
        if seen is None:
            return
        place = (seen.file, seen.line)
        in_a_list = self._before == place or seen.several
        self._before = place
        turn = seen.turn._replace(begins=seen.turn.place if in_a_list else seen.file)
        for _, call in self._conversations.tell(turn):
            yield call

    def end(self) -> tuple[Call, ...]:
        """Count what waits in vain."""
        self._conversations.end()
        return ()


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


def _events(fields: dict[str, Json]) -> Iterator[Said]:
    if isinstance(fields.get("tool_call_id"), str):
        # A message with an artifact is opened with it, where all results are.
        content = fields.get("content") if fields.get("artifact") is None else {**fields, "type": "tool"}
        yield ToolAnswer(fields["tool_call_id"], content, fields.get("status") == "error")
    for wanted in parts((fields,), "tool_calls"):
        if isinstance(wanted.get("id"), str) and isinstance(wanted.get("name"), str):
            yield ToolAsk(wanted["id"], wanted["name"], wanted.get("args"))
