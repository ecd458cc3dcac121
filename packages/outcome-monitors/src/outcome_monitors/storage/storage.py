"""A state as those who work on it see it: `FolderStorage` keeps it in a folder of one host, `outcome-monitors-server` in PostgreSQL.

`outcome_monitors.storage.opening.open_storage` gives the one that a path or an address names; nobody else asks which it is. What is
small (contracts, decisions, stages) is read in a folder in either case: that of the state itself, or this host's copy of it.
"""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.jsonvalue.times import seconds_of

from .labels import NO_LABELS, Labels
from .tables import Row, Rows

PATIENCE = 20.0
"""Seconds that one piece of work on a database may take before its connection is cut."""

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
    def data(self) -> bytes:
        """The line as it was recorded."""
        return self.text.encode(errors="surrogateescape")

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


def time_of(call: Mapping[str, Any]) -> float | None:
    """Return when a recorded call was made, in seconds since 1970; one without an offset is taken for UTC."""
    try:
        return seconds_of(call["time"])
    except (KeyError, TypeError, ValueError, OverflowError):
        return None


class EventTable(Protocol):
    """The events of a state, or of a file of their own."""

    def exists(self) -> bool:
        """Say whether there is something to read; of a database the reading says that."""

    def reading(self, patience: float = ...) -> AbstractContextManager[Rows]:
        """Give one state of the table, to look into it."""

    def close(self) -> None:
        """Let connections go."""


class DocumentStep(Protocol):
    """The documents of a state and the versions of its contracts, as one step sees and changes them."""

    @property
    def rows(self) -> Rows:
        """The versions."""

    def where(self, name: str) -> str:
        """Return what a document is called in errors."""

    def document(self, name: str) -> str | None:
        """Return what a document says."""

    def put(self, name: str, body: str, by: str) -> None:
        """Put a document in the place of the one before it, when the step ends."""


class Storage(Protocol):
    """A state. Each method is one transaction, or one file after the other; what is said here already is as in a folder."""

    folder: Path
    """Where what is small is read: the folder of the state, or this host's copy."""
    trouble: str = ""
    """Why the copy may be behind the database."""
    behind: float = 0.0
    """Seconds by which this host's clock is behind the one that events go by."""
    labelled: bool = False
    """Whether events and traces bear labels."""

    @property
    def labels(self) -> Labels:
        """Those of whose events and traces alone are read; contracts and decisions are for all."""
        return NO_LABELS

    @property
    def title(self) -> str:
        """A word for it."""

    @property
    def events(self) -> EventTable:
        """Its events."""

    def refresh(self, *, required: bool = True) -> None:
        """Bring the copy up; where the database is away and there is a copy, and it is not `required`, note the `trouble`."""

    def close(self) -> None:
        """Let connections go."""

    def whole(self) -> "Storage":
        """Return the same for everyone, whatever labels were named."""
        return self

    def documents(self) -> dict[str, str]:
        """Return the small files, by name."""

    def put(self, name: str, body: str) -> None:
        """Put a document in the place of the one before it."""

    def table(self, name: str, *, change: bool = False) -> AbstractContextManager[Rows]:
        """Give one of `TABLES`, to look into it or to change what is there; nothing is made by that."""

    def fill(self, table: str, rows: Iterable[Row]) -> int:
        """Write rows of one of `TABLES`, which is empty, and return how many; labels are written where this state has any."""

    def recorded_lines(self, until: tuple[str, int] | None = None) -> Iterator[RecordedLine]:
        """Yield the recorded lines, oldest first, up to the one at a place."""

    def recent_lines(self, tool: str, reach: int, near: Near | None = None) -> Iterator[bytes]:
        """Yield recorded lines that may be of a tool, the newest first, from so many bytes at the end."""

    def ends(self) -> tuple[RecordedLine, RecordedLine] | None:
        """Return the first recorded line and the last one; None where there is none."""

    def record(self, lines: Iterable[RecordedLine]) -> int:
        """Write recorded lines behind those that are there, and return how many."""

    def drop(self, places: Collection[tuple[str, int]]) -> None:
        """Delete recorded lines."""

    def bound_lines(self, since: float | None, most: int | None, *, dry: bool) -> int:
        """Delete the recorded lines from before a time, and of more than so many bytes the oldest; return how many."""

    def tidy(self) -> None:
        """Give the space of what was deleted back, so that nothing of it can be read there."""

    def versions(self, *, change: bool = False) -> AbstractContextManager[DocumentStep]:
        """Give the versions of contracts for one step, of which all holds or nothing."""

    def deciding(self) -> AbstractContextManager[DocumentStep]:
        """Give the decisions of people for one step; of several at once each waits for the others."""

    def learning(self) -> AbstractContextManager[Callable[[], None]]:
        """Hold the lock of the one who learns, or raise Busy; give what fails where it was lost."""
