"""Where a state is kept, as those who work on it see it: in a folder of one host (`folder`), or in a fleet's PostgreSQL.

`outcome_monitors.state.homes.storage_at` gives the one that a path or an address names; nobody else asks which it is.
"""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from typing import Any, NamedTuple, Protocol

from outcome_monitors.exceptions import OutcomeMonitorsError

from .labels import NO_LABELS, Labels
from .tables import TableConnection

__all__ = ["Busy", "End", "Near", "RecordedLine", "Storage", "TraceSnapshot", "VersionTable", "time_of"]

End = dict[str, Any]
"""Where the first or the last recorded line stands (`id`), and when it was recorded (`time`)."""
Near = tuple[str | None, float, float]
"""A session, and the times that a call lies between."""


class Busy(OutcomeMonitorsError):  # noqa: N818 - it is no error, and says who is at work
    """Someone learns there already."""


class RecordedLine(NamedTuple):
    """A line of recorded traffic, and where it stands."""

    place: tuple[str, int]
    """A file and the number of the line in it, or the table and the number of the row."""
    text: str
    labels: Labels = NO_LABELS
    """Those that it bears in a fleet."""

    @property
    def call(self) -> dict[str, Any]:
        """What stands in it; nothing where it is no object."""
        try:
            found = json.loads(self.text)
        except (ValueError, RecursionError):
            return {}
        return found if isinstance(found, dict) else {}

    @property
    def seconds(self) -> float:
        """When the call was made, in seconds since 1970; one that says no time was made at the beginning."""
        return time_of(self.call) or 0.0

    @property
    def tool(self) -> str:
        """The tool that was called."""
        return str(self.call.get("tool", ""))

    @property
    def session(self) -> str | None:
        """The session, where it names one."""
        found = self.call.get("session")
        return found if isinstance(found, str) else None


def time_of(call: dict[str, Any]) -> float | None:
    """Return when a recorded call was made, in seconds since 1970; one without an offset is taken for UTC."""
    try:
        found = datetime.fromisoformat(call["time"])
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
    except (KeyError, TypeError, ValueError, OverflowError):
        return None


class VersionTable(Protocol):
    """The versions of contracts and the documents beside them, as one step sees and changes them."""

    labels: Labels
    """For whom contracts are meant here: those who have these labels; a folder knows none."""

    def rows(self, query: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Run a query and return its rows; of one that gives none, nothing."""

    def document(self, name: str, line: Labels = NO_LABELS) -> str | None:
        """Return what a document of a line says."""

    def put(self, name: str, body: str, by: str, line: Labels = NO_LABELS) -> None:
        """Put a document of a line in the place of the one before it, when the step ends."""


class TraceSnapshot(Protocol):
    """All that was recorded, as it is at one moment, to be read more than once with bounded memory."""

    names: list[str]
    """What the files of lines are called in reports."""

    def lines(self) -> Iterator[tuple[int, int, Any]]:
        """Yield all lines, oldest first; the same whenever they are asked for."""

    def ends(self) -> tuple[End, End] | None:
        """Return the first line and the last one; None where there is none."""

    def documents(self) -> dict[str, str]:
        """Return contracts, decisions and private paths as they hold for those whose state it is."""


class Storage(Protocol):
    """A state. Each method is one transaction, or one file after the other."""

    labelled: bool
    """Whether events and traces bear labels, and contracts and decisions may be for some labels alone."""

    @property
    def labels(self) -> Labels:
        """For whom contracts and decisions are meant here."""

    def documents(self) -> dict[str, str]:
        """Return the small files, by name."""

    def put(self, name: str, body: str) -> None:
        """Put a document in the place of the one before it."""

    def table(self, name: str, *, change: bool = False) -> AbstractContextManager[TableConnection]:
        """Give a connection to one of `TABLES`, to look into it or to change what is there; nothing is made by that."""

    def fill(self, table: str, rows: Iterable[Sequence[Any]], *, labelled: bool = False) -> int:
        """Write rows of one of `TABLES`, which is empty, with labels or without, and return how many."""

    def recorded_lines(self) -> Iterator[RecordedLine]:
        """Yield the recorded lines, oldest first."""

    def recent_lines(self, tool: str, reach: int, near: Near | None = None) -> Iterator[bytes]:
        """Yield recorded lines that may be of a tool, the newest first, from so many bytes at the end."""

    def record(self, lines: Iterable[RecordedLine]) -> int:
        """Write recorded lines behind those that are there, and return how many."""

    def drop(self, places: Collection[tuple[str, int]]) -> None:
        """Delete recorded lines."""

    def bound_lines(self, since: float | None, most: int | None, *, dry: bool) -> int:
        """Delete the recorded lines from before a time, and of more than so many bytes the oldest; return how many."""

    def tidy(self) -> None:
        """Give the space of what was deleted back, so that nothing of it can be read there."""

    def versions(self, *, change: bool = False) -> AbstractContextManager[VersionTable]:
        """Give the versions of contracts for one step, of which all holds or nothing."""

    def snapshot(self) -> AbstractContextManager[TraceSnapshot]:
        """Give what was recorded, as it is now."""

    def learning(self, name: str) -> AbstractContextManager[Callable[[], None]]:
        """Hold the lock of the one who learns, or raise Busy; give what fails where it was lost."""
