"""Where events are: a store in a file, a file of JSON lines, or a fleet's PostgreSQL; a folder or an address names them too.

Queries are written in words that both sorts of store have, with question marks for values.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Union

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.state.address import StateAddress, is_address
from outcome_monitors.state.shared import PATIENCE, SharedState, shared_backend
from outcome_monitors.state.tables import TableConnection
from outcome_monitors.values.files import FilePath
from outcome_monitors.values.folders import EVENTS, file_in
from outcome_monitors.values.sqlite_files import looking_into

from .rows import TABLE, VERSION

__all__ = ["EventConnection", "EventPlace", "Where"]

EventConnection = sqlite3.Connection | TableConnection
Where = Union[FilePath, "EventPlace"]
"""What names a place of events."""


@dataclass(frozen=True, slots=True)
class EventPlace:
    """A place of events; one of the two is set."""

    file: Path | None = None
    shared: SharedState | None = None

    @classmethod
    def at(cls, where: Where) -> "EventPlace":
        """Return the place that is meant: of a folder that something is learned in, the store in it."""
        if isinstance(where, EventPlace):
            return where
        if is_address(where):
            return cls(shared=shared_backend().open_state(StateAddress.read(where)))
        return cls(file_in(where, EVENTS))

    @property
    def lines(self) -> Path | None:
        """The file of JSON lines, where it is one."""
        return self.file if self.file is not None and self.file.suffix == ".jsonl" else None

    def __str__(self) -> str:
        return str(self.file if self.shared is None else self.shared)

    def exists(self) -> bool:
        """Say whether there is something to read; of a database the reading says that."""
        return self.file is None or self.file.exists()

    def required(self) -> "EventPlace":
        """Return it; refuse one where nothing is."""
        if not self.exists():
            raise OutcomeMonitorsError(
                f"there is no store {self}; name the one that a proxy writes to (--events)"
            )
        return self

    @contextmanager
    def kept(self) -> Iterator["EventPlace"]:
        """Give the same place for one who asks often: connections to a database are used again."""
        if self.shared is None or (pool := self.shared.pooled()) is self.shared:
            yield self
            return
        with closing(pool):
            yield EventPlace(shared=pool)

    @contextmanager
    def reading(self, patience: float = PATIENCE) -> Iterator[EventConnection]:
        """Open a store to look into it; what goes wrong meanwhile is one sentence."""
        if self.shared is not None:
            with self.shared.reading(patience) as shared:
                yield shared
        elif self.file is not None:
            with _reading_file(self.file) as connection:
                yield connection


@contextmanager
def _reading_file(file: Path) -> Iterator[sqlite3.Connection]:
    try:
        with looking_into(file) as connection:
            [version] = connection.execute("PRAGMA user_version").fetchone()
            if version == VERSION:
                yield connection
            elif version == 0 and _is_being_made(connection):
                with closing(sqlite3.connect(":memory:")) as empty:
                    empty.execute(TABLE)
                    yield empty
            else:
                raise OutcomeMonitorsError(f"{file} is not a store of events that this release can read")
    except sqlite3.Error as error:
        raise OutcomeMonitorsError(f"{file} cannot be read as a store of events: {error}") from None


def _is_being_made(connection: sqlite3.Connection) -> bool:
    """Say whether a store has nothing in it yet: whoever makes it has only begun, or was killed then."""
    tables = {name for [name] in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    return tables <= {"events"} and not (tables and connection.execute("SELECT 1 FROM events").fetchone())
