"""A state as the work on it sees it, wherever it lies: tables to query, small documents, and the lines of recorded traffic."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from outcome_monitors.events.rows import dated
from outcome_monitors.state.address import StateAddress, is_address
from outcome_monitors.values.files import FilePath, private_folder
from outcome_monitors.values.folders import learning_folder

__all__ = ["TABLES", "RecordedLine", "StateHome", "TableConnection", "seconds_of_line", "state_at"]

TABLES: Mapping[str, tuple[str, ...]] = {
    "events": (
        "id",
        "time",
        "session",
        "tool",
        "outcome",
        "advised",
        "duration",
        "why",
        "violations",
        "receipt",
        "arguments",
        "result",
    ),
    "trials": ("tool", "stage", "contract", "checked", "flagged"),
    "progress": ("id", "recorded", "mined"),
    "shares": ("tool", "recent", "told"),
    "clauses": ("tool", "clause", "kind", "begun", "flagged", "trial", "proven", "noise"),
    "witnesses": ("tool", "client", "hour", "results", "last"),
    "turns": ("id", "turn", "disputed"),
    "ways": (
        "way",
        "stamp",
        "path",
        "kind",
        "first",
        "faults",
        "logs",
        "tasks",
        "broken",
        "kept",
        "changed",
        "least",
        "bar",
        "over",
        "reported",
    ),
    "versions": (
        "number",
        "parent",
        "made",
        "by",
        "stage",
        "share",
        "body",
        "changes",
        "evidence",
        "accepted",
        "accepted_by",
        "reason",
        "withdrawn",
    ),
}
"""What both homes have, with the columns that both have."""


class RecordedLine(NamedTuple):
    """A line of recorded traffic, and where it stands."""

    place: tuple[str, int]
    """A file and the number of the line in it, or the table and the number of the row."""
    text: str

    @property
    def call(self) -> dict[str, Any]:
        """What stands in it; nothing where it is no object."""
        try:
            found = json.loads(self.text)
        except (ValueError, RecursionError):
            return {}
        return found if isinstance(found, dict) else {}


class TableConnection(Protocol):
    """A connection: what both databases' have in common."""

    def execute(self, query: str, values: Sequence[Any] = ..., /) -> Any:
        """Run a query, with a question mark for each value."""

    def executemany(self, query: str, rows: Iterable[Sequence[Any]], /) -> Any:
        """Run a query for each row."""


class StateHome(Protocol):
    """A state. Each method is one transaction, or one file after the other."""

    shown: str
    """What people call it."""

    def opened(self, table: str) -> AbstractContextManager[TableConnection]:
        """Give a connection to one of `TABLES`, to read and to change it."""

    def fill(self, table: str, rows: Iterable[Sequence[Any]]) -> int:
        """Write rows of one of `TABLES`, which is empty, and return how many."""

    def documents(self) -> dict[str, str]:
        """Return the small files, by name."""

    def put(self, name: str, body: str) -> None:
        """Put a document in the place of the one before it."""

    def lines(self) -> Iterator[RecordedLine]:
        """Yield the recorded lines, oldest first."""

    def record(self, lines: Iterable[RecordedLine]) -> int:
        """Write recorded lines behind those that are there, and return how many."""

    def drop(self, places: Collection[tuple[str, int]]) -> None:
        """Delete recorded lines."""

    def bound_lines(self, since: float | None, most: int | None, *, dry: bool) -> int:
        """Delete the recorded lines from before a time, and of more than so many bytes the oldest; return how many."""

    def tidy(self) -> None:
        """Give the space of what was deleted back, so that nothing of it can be read there."""


def seconds_of_line(call: Mapping[str, Any]) -> float:
    """Return when a recorded call was made, in seconds since 1970; one that says no time was made at the beginning."""
    try:
        return dated(datetime.fromisoformat(call["time"]).timestamp())
    except (KeyError, TypeError, ValueError, OverflowError):
        return 0.0


def state_at(place: FilePath, *, make: bool = False) -> StateHome:
    """Return the state at a folder or an address; with `make` a folder that is not there is made."""
    if is_address(place):
        from .fleet_home import FleetHome  # noqa: PLC0415 - what needs a driver of its own

        return FleetHome(StateAddress.read(place).whole())
    from .folder_home import FolderHome  # noqa: PLC0415 - beside the other

    if make:
        private_folder(Path(place))
    return FolderHome(learning_folder(place))
