"""Calls and results that stand in different messages of a conversation, and in every later copy of it."""

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any, NamedTuple

from outcome_monitors.model import Call, Json

from ._memory import Lately, Waiting
from ._payload import PayloadMaker
from ._reader import NO_RESULT_CAME, call
from ._tally import ImportTally, Reason
from ._values import arguments_of, content_of

__all__ = ["Conversations", "Said", "ToolAnswer", "ToolAsk", "Turn", "prepared"]

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
NAMES_LOST = Reason(
    "call has arguments without names",
    "calls have arguments without names",
    "they are written without arguments",
    lost=False,
)


class ToolAsk(NamedTuple):
    """The model asks for a call."""

    id: str
    tool: str
    given: Json
    """The arguments as they stand in the log."""
    ready: Any = None
    """The arguments as they are written, where they have been made ready."""

    @property
    def arguments(self) -> Any:
        """The arguments, or nothing where their names are lost."""
        return arguments_of(self.given) if self.ready is None else self.ready


class ToolAnswer(NamedTuple):
    """A tool has answered."""

    id: str
    content: Json
    """The result as it stands in the log."""
    error: bool = False
    ready: Any = None
    """The result as it is written, where it has been made ready."""


Said = ToolAsk | ToolAnswer
SAID = 3
"""The fields of either that are said in the log."""


def prepared(events: Iterable[Said], payloads: PayloadMaker) -> tuple[Said, ...]:
    """Return what was said, its payloads made ready where they are to be."""
    if payloads.content is None:
        return tuple(events)
    return tuple(_prepared(event, payloads) for event in events)


def _prepared(event: Said, payloads: PayloadMaker) -> Said:
    if isinstance(event, ToolAsk):
        arguments = event.arguments
        return event._replace(ready=None if arguments is None else payloads.arguments(arguments))
    assert payloads.content is not None
    return event._replace(ready=payloads.content(event.content))


class Turn(NamedTuple):
    """What one record says, in order, and what it says of itself."""

    events: tuple[Said, ...]
    place: str
    session: str | None = None
    time: str | None = None
    tools: tuple[str, ...] | None = None
    begins: str | None = None
    """The name of the conversation, should this be its first record; its place unless said otherwise."""


class _Open(NamedTuple):
    asked: ToolAsk
    session: str
    turn: Turn


class Conversations:
    """Joins calls with their results.

    A record that repeats, or answers, a call that is known belongs to that call's conversation; any other begins one, named
    by its place.
    """

    def __init__(self, tally: ImportTally) -> None:
        self._tally = tally
        self._open: Waiting[tuple[str | None, str], _Open] = Waiting()
        self._sessions: Lately[int, str] = Lately()
        """The conversation of each call that has its result."""
        self._written: Lately[int, bool] = Lately()
        """Calls with their results."""

    def session(self, turn: Turn) -> str:
        """Return the name of the conversation that a record belongs to."""
        return turn.session or self._known(turn.events) or turn.begins or turn.place

    def tell(self, turn: Turn) -> Iterator[tuple[str, Call]]:
        """Yield the calls that a record completes, each with its id."""
        session = self.session(turn)
        asked: dict[str, ToolAsk] = {}
        for event in turn.events:
            if isinstance(event, ToolAsk):
                asked[event.id] = event
                if self._sessions.get(_hash(turn.session, event)) is None:
                    self._wait(_Open(event, session, turn))
            elif (found := self._answered(event, asked.get(event.id), session, turn)) is not None:
                yield event.id, found

    def end(self, elsewhere: Callable[[Turn], object] = lambda _: False) -> None:
        """Count the calls that no result came for, but for those that are recorded `elsewhere` too."""
        for waiting in self._open.rest():
            if not elsewhere(waiting.turn):
                self._tally.count(NO_RESULT_CAME, waiting.turn.place)

    def _known(self, events: Iterable[Said]) -> str | None:
        """Return the conversation of the first call that an earlier record holds too."""
        for event in events:
            found = self._open.get((None, event.id))
            if found is not None and (isinstance(event, ToolAnswer) or found.asked[:SAID] == event[:SAID]):
                return found.session
            if isinstance(event, ToolAsk) and (session := self._sessions.get(_hash(None, event))):
                return session
        return None

    def _wait(self, waiting: _Open) -> None:
        fallen = self._open.put((waiting.turn.session, waiting.asked.id), waiting)
        if fallen is not None:
            self._tally.count(FELL_OUT, fallen.turn.place)

    def _answered(self, answer: ToolAnswer, asked: ToolAsk | None, session: str, turn: Turn) -> Call | None:
        waiting = self._open.take((turn.session, answer.id))
        # The same record says best what was asked: not every provider's ids are unique.
        ask = asked if asked is not None or waiting is None else waiting.asked
        if ask is None:
            self._tally.count(NO_CALL, turn.place)
            return None
        whole = _hash(turn.session, ask, answer)
        if self._written.get(whole):
            self._tally.count(REPEATED, turn.place)
            return None
        self._written.put(whole, True)
        self._sessions.put(_hash(turn.session, ask), session)
        arguments = ask.arguments
        if arguments is None:
            self._tally.count(NAMES_LOST, turn.place)
        return call(
            ask.tool,
            arguments or {},
            content_of(answer.content) if answer.ready is None else answer.ready,
            session=session,
            error=answer.error,
            time=waiting.turn.time if waiting is not None and waiting.turn.time else turn.time,
            tools=turn.tools or (waiting.turn.tools if waiting is not None else None),
        )


def _hash(session: str | None, *events: Said) -> int:
    # PayloadMaker are most often text, whose hash is cheap; later copies of a history repeat it to the letter.
    parts = (session, *chain.from_iterable(event[:SAID] for event in events))
    try:
        return hash(parts)
    except TypeError:
        return hash(tuple([part if isinstance(part, str) else repr(part) for part in parts]))
