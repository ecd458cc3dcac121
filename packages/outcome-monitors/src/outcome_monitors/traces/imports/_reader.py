"""What a source is: how its records are recognised, what each says by itself, and what joins that to calls.

To look at a record takes most of the time and nothing but the record, so it can be done in another process; to join needs all that
was said before, in order.
"""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, Protocol

from outcome_monitors.model import Call, Json

from ._json import JsonRecord
from ._payload import PayloadMaker
from ._tally import ImportTally, Notes, Reason

__all__ = ["ANOTHER_SHAPE", "NO_RESULT_CAME", "Alone", "Look", "Reader", "Source", "call"]

ANOTHER_SHAPE = Reason(
    "record is of another shape than the rest",
    "records are of another shape than the rest",
    "name the format with --from where the wrong one was recognised",
)
NO_RESULT_CAME = Reason(
    "call has no result in the log",
    "calls have no result in the log",
    "add the part of the log that follows",
)


Look = Callable[[JsonRecord, Notes, PayloadMaker], Any]
"""Says what a record says by itself, for the reader of its source alone; what it says can be sent to another process."""


class Reader(Protocol):
    """Joins what records say to calls. It may hold calls back to put them in order; `end` gives the rest."""

    def join(self, seen: Any) -> Iterable[Call]:
        """Return the calls that a record completes; `seen` is what it was seen to say."""
        ...

    def end(self) -> Iterable[Call]:
        """Return what was held back."""
        ...


class Source(NamedTuple):
    """A format that can be imported."""

    recognise: Callable[[Json], bool]
    """Says whether a record is of this format."""
    look: Look
    reader: Callable[[ImportTally], Reader]


class Alone:
    """The reader of sources whose records are whole calls: nothing is to be joined."""

    def __init__(self, _tally: ImportTally) -> None:
        pass

    def join(self, seen: list[Call]) -> list[Call]:
        """Return the calls of a record."""
        return seen

    def end(self) -> tuple[Call, ...]:
        """Return nothing: nothing is held back."""
        return ()


def call(
    tool: str,
    arguments: dict[str, Json],
    result: Json,
    *,
    session: str | None = None,
    task: str | None = None,
    error: bool = False,
    time: str | None = None,
    tools: Iterable[str] | None = None,
) -> Call:
    """Return a call, with its time as the trace line's `time`."""
    names = tuple(tools) if tools is not None else None
    return Call(tool, arguments, result, task, session, error, names, {"time": time} if time else {})
