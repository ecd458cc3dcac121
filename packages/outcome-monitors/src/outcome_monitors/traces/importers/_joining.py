"""Joins calls with results that stand in other messages of a conversation, and in every later copy of it."""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator
from itertools import chain
from typing import Any, NamedTuple, TypeVar

from outcome_monitors.model import Call, Json

from ._payloads import arguments_of, content_of, first_label, instant, label, parsed, time_text
from ._source import ANOTHER_SHAPE, NAMES_LOST, NO_RESULT_CAME, ImportTally, Reason, Record, call

Layers = tuple[dict[str, Json], ...]
"""An object, and the objects in it that loggers put requests and responses in."""

HOLDERS = (
    *("request", "kwargs", "body", "input", "response", "output"),
    *("request_body", "requestBody", "response_body", "responseBody"),
)
SESSION_KEYS = ("session_id", "sessionId", "session", "conversation_id", "thread_id")
TIME_KEYS = ("created", "created_at", "timestamp", "time")


def layers_of(value: dict[str, Json]) -> Layers:
    """Return an object, and the objects in it that loggers put requests and responses in."""
    layers = [value]
    for key in HOLDERS:
        inner = _object(value[key]) if key in value else None
        if inner is not None:
            layers.append(inner)
            body = _object(inner["body"]) if "body" in inner else None
            if body is not None:
                layers.append(body)
    return tuple(layers)


def _object(value: Json) -> dict[str, Json] | None:
    found = parsed(value)
    if isinstance(found, str):
        return _streamed(found)
    return found if isinstance(found, dict) else None


def parts(layers: Layers, key: str) -> Iterator[dict[str, Json]]:
    """Yield the objects of the lists under a key."""
    for layer in layers:
        items = layer.get(key)
        if isinstance(items, list):
            yield from (item for item in items if isinstance(item, dict))


def session_of(layers: Layers, context: Any) -> str | None:
    """Return the session that a record, its metadata or what it stands in names."""
    for layer in (*layers, context):
        conversation = layer.get("conversation")
        found = (
            first_label(layer, SESSION_KEYS)
            or first_label(layer.get("metadata"), SESSION_KEYS)
            or label(conversation.get("id") if isinstance(conversation, dict) else conversation)
        )
        if found:
            return found
    return None


def time_of(layers: Layers) -> str | None:
    """Return when a record was made."""
    times = (instant(layer[key]) for layer in layers for key in TIME_KEYS if key in layer)
    return next((time_text(time) for time in times if time is not None), None)


def _streamed(text: str) -> dict[str, Json] | None:
    """Return the response that server-sent events make together; None of all that is no stream of a model's."""
    if "data:" not in text[:200]:
        return None
    events = list(_events(text))
    for event in events:
        response = event.get("response")
        if event.get("type") == "response.completed" and isinstance(response, dict):
            return response
    if any("choices" in event for event in events):
        return _chat(events)
    return _of_events(events) if any(event.get("type") == "message_start" for event in events) else None


def _events(text: str) -> Iterator[dict[str, Json]]:
    for line in text.splitlines():
        event = parsed(line.removeprefix("data:")) if line.startswith("data:") else None
        if isinstance(event, dict):
            yield event


def _chat(events: list[dict[str, Json]]) -> dict[str, Json]:
    """Join the pieces of the first choice; a call's pieces have its index, and its id and name come once."""
    calls: dict[str | None, dict[str, str]] = {}
    for event in events:
        choices = event.get("choices")
        for choice in choices[:1] if isinstance(choices, list) else ():
            delta = choice.get("delta") if isinstance(choice, dict) else None
            for piece in parts((delta,), "tool_calls") if isinstance(delta, dict) else ():
                call = calls.setdefault(label(piece.get("index")), {"id": "", "name": "", "arguments": ""})
                function = piece.get("function")
                call["id"] = call["id"] or label(piece.get("id")) or ""
                for key in ("name", "arguments"):
                    call[key] += (label(function.get(key)) or "") if isinstance(function, dict) else ""
    requests = [
        {"id": call["id"], "function": {"name": call["name"], "arguments": call["arguments"]}}
        for call in calls.values()
    ]
    return {"choices": [{"message": {"role": "assistant", "tool_calls": requests}}]}


def _of_events(events: list[dict[str, Json]]) -> dict[str, Json]:
    """Join the pieces of Anthropic's blocks, of which only those that use tools matter."""
    blocks: dict[str | None, dict[str, Any]] = {}
    for event in events:
        index, block, delta = label(event.get("index")), event.get("content_block"), event.get("delta")
        if isinstance(block, dict):
            blocks[index] = {**block, "input": ""}
        elif isinstance(delta, dict) and index in blocks:
            blocks[index]["input"] += label(delta.get("partial_json")) or ""
    return {"type": "message", "role": "assistant", "content": list(blocks.values())}


WAITING = 20_000
"""Calls that wait for their results."""
RECENT = 100_000
"""Of everything else that is remembered, so much."""

NO_CALL = Reason(
    "tool result belongs to no call in the log",
    "tool results belong to no call in the log",
    "add the part of the log that goes before",
)
FELL_OUT = Reason(
    "call waited too long for its result",
    "calls waited too long for their results",
    "too many were open at once; import in smaller parts",
)
REPEATED = Reason(
    "call was logged again in a later copy of its conversation",
    "calls were logged again in later copies of their conversations",
    "each is written once",
    lost=False,
)

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Bounded(OrderedDict[Key, Value]):
    """The last so many values that were put in."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most

    def put(self, key: Key, value: Value) -> Value | None:
        """Keep a value; return the one that was put in first, where that is one too many."""
        self.pop(key, None)
        self[key] = value
        return self.popitem(last=False)[1] if len(self) > self._most else None

    def rest(self) -> Iterator[Value]:
        """Yield, and forget, all of them."""
        while self:
            yield self.popitem(last=False)[1]


class ToolRequest(NamedTuple):
    """The model requests a call."""

    id: str
    tool: str
    given: Json
    """The arguments as they stand in the log."""


class ToolResponse(NamedTuple):
    """A tool has responded."""

    id: str
    content: Json
    """The result as it stands in the log."""
    error: bool = False


Message = ToolRequest | ToolResponse


class Turn(NamedTuple):
    """What one record says, in order, and what it says of itself."""

    messages: tuple[Message, ...]
    place: str
    session: str | None = None
    time: str | None = None
    tools: tuple[str, ...] | None = None
    begins: str | None = None
    """The name of the conversation, should this be its first record; its place unless said otherwise."""


class _Open(NamedTuple):
    request: ToolRequest
    session: str
    turn: Turn


class Conversations:
    """Joins requests with responses.

    A record that repeats, or responds to, a call that is known belongs to that call's conversation; any other begins one,
    named by its place.
    """

    def __init__(self, tally: ImportTally) -> None:
        self._tally = tally
        self._open = Bounded[tuple[str | None, str], _Open](WAITING)
        self._sessions = Bounded[int, str](RECENT)
        """The conversation of each call that has its result."""
        self._written = Bounded[int, bool](RECENT)
        """Calls with their results."""

    def session(self, turn: Turn) -> str:
        """Return the name of the conversation that a record belongs to."""
        return turn.session or self._known(turn.messages) or turn.begins or turn.place

    def join(self, turn: Turn) -> Iterator[tuple[str, Call]]:
        """Yield the calls that a record completes, each with its id."""
        session = self.session(turn)
        requests: dict[str, ToolRequest] = {}
        for message in turn.messages:
            if isinstance(message, ToolRequest):
                requests[message.id] = message
                if self._sessions.get(_hash(turn.session, message)) is None:
                    fallen = self._open.put((turn.session, message.id), _Open(message, session, turn))
                    if fallen is not None:
                        self._tally.count(FELL_OUT, fallen.turn.place)
            elif (found := self._complete(message, requests.get(message.id), session, turn)) is not None:
                yield message.id, found

    def end(self, is_elsewhere: Callable[[Turn], object] = lambda _: False) -> None:
        """Count the calls that no result came for, but for those that are recorded elsewhere too."""
        for waiting in self._open.rest():
            if not is_elsewhere(waiting.turn):
                self._tally.count(NO_RESULT_CAME, waiting.turn.place)

    def _known(self, messages: Iterable[Message]) -> str | None:
        """Return the conversation of the first call that an earlier record holds too."""
        for message in messages:
            found = self._open.get((None, message.id))
            if found is not None and (isinstance(message, ToolResponse) or found.request == message):
                return found.session
            if isinstance(message, ToolRequest) and (session := self._sessions.get(_hash(None, message))):
                return session
        return None

    def _complete(
        self, response: ToolResponse, request: ToolRequest | None, session: str, turn: Turn
    ) -> Call | None:
        waiting = self._open.pop((turn.session, response.id), None)
        # The same record says best what was requested: not every provider's ids are unique.
        asked = request if request is not None or waiting is None else waiting.request
        if asked is None:
            self._tally.count(NO_CALL, turn.place)
            return None
        whole = _hash(turn.session, asked, response)
        if self._written.get(whole):
            self._tally.count(REPEATED, turn.place)
            return None
        self._written.put(whole, True)
        self._sessions.put(_hash(turn.session, asked), session)
        arguments = arguments_of(asked.given)
        if arguments is None:
            self._tally.count(NAMES_LOST, turn.place)
        first = turn if waiting is None else waiting.turn
        return call(
            asked.tool,
            arguments or {},
            content_of(response.content),
            session=session,
            error=response.error,
            time=first.time or turn.time,
            tools=turn.tools or first.tools,
        )


class ConversationReader:
    """Reads sources whose records are parts of conversations; each says what a record is by `turn`."""

    def __init__(self, tally: ImportTally) -> None:
        self._tally = tally
        self._conversations = Conversations(tally)

    def turn(self, record: Record, value: dict[str, Json]) -> Turn:
        """Return what a record, and the object that it is, says."""
        raise NotImplementedError

    def read(self, record: Record) -> Iterator[Call]:
        """Return the calls that a record completes."""
        if not isinstance(record.value, dict):
            self._tally.count(ANOTHER_SHAPE, record.place)
            return
        for _, found in self._conversations.join(self.turn(record, record.value)):
            yield found

    def end(self) -> tuple[Call, ...]:
        """Count the calls that no result came for."""
        self._conversations.end()
        return ()


def _hash(session: str | None, *messages: Message) -> int:
    # Payloads are most often text, whose hash is cheap; later copies of a history repeat it to the letter.
    parts = (session, *chain.from_iterable(messages))
    try:
        return hash(parts)
    except TypeError:
        return hash(tuple([part if isinstance(part, str) else repr(part) for part in parts]))
