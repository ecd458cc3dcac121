"""A state as the work on it sees it, wherever it lies: tables to query, small documents, and the lines of recorded traffic."""

import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from outcome_monitors.events.rows import TABLE as EVENT_TABLE, dated
from outcome_monitors.state.address import StateAddress, is_address
from outcome_monitors.state.labels import NO_LABELS, Labels
from outcome_monitors.state.tables import CHANGES_TABLES, STAGES_TABLES, TableConnection
from outcome_monitors.values.files import FilePath, private_folder
from outcome_monitors.values.folders import learning_folder
from outcome_monitors_server.versions.version_homes import VERSIONS_TABLES

__all__ = ["TABLES", "RecordedLine", "StateHome", "columns_of", "seconds_of_line", "state_at"]


def _tables() -> dict[str, tuple[str, ...]]:
    """Return the tables of a folder's stores, with their columns: SQLite says what the statements make."""
    with closing(sqlite3.connect(":memory:")) as model:
        for statement in (EVENT_TABLE, *STAGES_TABLES, *CHANGES_TABLES, *VERSIONS_TABLES):
            model.execute(statement)
        names = [name for (name,) in model.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {
            name: tuple(column for _, column, *_ in model.execute(f"PRAGMA table_info({name})"))
            for name in names
            if not name.startswith("sqlite_")
        }


TABLES: Mapping[str, tuple[str, ...]] = _tables()
"""What both homes have, with the columns that both have; a fleet's events have labels besides."""


def columns_of(table: str, *, labelled: bool = False) -> tuple[str, ...]:
    """Return the columns of a table; a fleet's events have labels."""
    return (*TABLES[table], *Labels._fields) if labelled and table == "events" else TABLES[table]


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


class StateHome(Protocol):
    """A state. Each method is one transaction, or one file after the other."""

    shown: str
    """What people call it."""
    knows_labels: bool
    """Whether contracts and decisions may be for some labels alone."""

    def reading(self, table: str) -> AbstractContextManager[TableConnection]:
        """Give a connection to one of `TABLES` to look into it: nothing is made or changed by that."""

    def opened(self, table: str) -> AbstractContextManager[TableConnection]:
        """Give a connection to one of `TABLES`, to change what is there."""

    def fill(self, table: str, rows: Iterable[Sequence[Any]], *, labelled: bool = False) -> int:
        """Write rows of one of `TABLES`, which is empty, with labels or without, and return how many."""

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
