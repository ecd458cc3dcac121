"""What a source is: how its records are recognised, and what reads calls from them."""

from collections.abc import Callable, Iterable
from typing import NamedTuple, Protocol

from outcome_monitors.model import Call, Json

from ._jsonstream import Record
from ._losses import ImportTally

__all__ = ["Reader", "Source", "call", "record_by_record"]


class Reader(Protocol):
    """Reads calls from the records of all files. It may hold calls back to join or order them; `end` gives the rest."""

    def read(self, record: Record) -> Iterable[Call]:
        """Return the calls that a record completes."""
        ...

    def end(self) -> Iterable[Call]:
        """Return what was held back, and count what is incomplete."""
        ...


class Source(NamedTuple):
    """A format that can be imported."""

    recognise: Callable[[Json], bool]
    """Says whether a record is of this format."""
    reader: Callable[[ImportTally], Reader]


def record_by_record(
    read: Callable[[Record, ImportTally], Iterable[Call]],
) -> Callable[[ImportTally], Reader]:
    """Make the reader of a source whose records are whole calls: nothing is to be joined."""

    class Whole:
        def __init__(self, tally: ImportTally) -> None:
            self._tally = tally

        def read(self, record: Record) -> Iterable[Call]:
            return read(record, self._tally)

        def end(self) -> Iterable[Call]:
            return ()

    return Whole


def call(
    tool: str,
    arguments: dict[str, Json],
    result: Json,
    *,
    session: str | None = None,
    task: str | None = None,
    error: bool = False,
    time: str | None = None,
    tools: tuple[str, ...] | None = None,
) -> Call:
    """Return a call, with its time as the trace line's `time`."""
    return Call(tool, arguments, result, task, session, error, tools, {"time": time} if time else {})
