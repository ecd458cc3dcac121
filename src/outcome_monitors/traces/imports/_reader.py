"""What a source is: how its records are recognised, and what turns them into calls."""

from collections.abc import Callable, Iterable
from typing import NamedTuple, Protocol

from outcome_monitors.model import Call, Json

from ._json import JsonRecord
from ._tally import ImportTally, Reason

__all__ = ["ANOTHER_SHAPE", "NO_RESULT_CAME", "Reader", "Source", "call"]

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


class Reader(Protocol):
    """Turns records into calls. It may hold calls back to put them in order; `end` gives the rest."""

    def read(self, record: JsonRecord) -> Iterable[Call]:
        """Return the calls that a record completes."""
        ...

    def end(self) -> Iterable[Call]:
        """Return what was held back."""
        ...


class Source(NamedTuple):
    """A format that can be imported."""

    recognise: Callable[[Json], bool]
    """Says whether a record is of this format."""
    reader: Callable[[ImportTally], Reader]


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
