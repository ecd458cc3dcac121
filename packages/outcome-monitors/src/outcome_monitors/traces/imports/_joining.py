"""Joins calls with results that stand in other messages of a conversation, and in every later copy of it."""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator
from itertools import chain
from typing import NamedTuple, TypeVar

from outcome_monitors.model import Call, Json

from ._payloads import arguments_of, content_of
from ._source import ANOTHER_SHAPE, NAMES_LOST, NO_RESULT_CAME, ImportTally, Reason, Record, call

__all__ = [
    "RECENT",
    "WAITING",
    "Bounded",
    "ConversationReader",
    "Conversations",
    "Message",
    "ToolRequest",
    "ToolResponse",
    "Turn",
]

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
