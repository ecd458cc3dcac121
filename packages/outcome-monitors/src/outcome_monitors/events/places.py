"""Where events are read: a store in a file, a file of JSON lines, or a fleet's PostgreSQL; a folder or an address names them too.

All three are asked the same queries, in words that SQLite and PostgreSQL share, with question marks for values.
"""

import logging
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Union

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.state.address import StateAddress, is_address
from outcome_monitors.state.shared import PATIENCE, SharedState, shared_backend
from outcome_monitors.state.tables import TableConnection
from outcome_monitors.values.files import FilePath
from outcome_monitors.values.folders import EVENTS, file_in
from outcome_monitors.values.sqlite_files import looking_into

from .lines import RefusedLine, read_line
from .rows import INSERT, TABLE, VERSION

__all__ = ["EventPlace", "Where", "forget_events"]

log = logging.getLogger("outcome_monitors.events")

FORGETTING = 10.0
"""Seconds that forgetting waits for those who write."""

Where = Union[FilePath, "EventPlace"]
"""What names a place of events."""


@dataclass(frozen=True, slots=True)
class EventPlace:
    """A place of events: a file, or a fleet's state."""

    file: Path | None = None
    shared: SharedState | None = None
    table: "LineTable | None" = None
    """The lines of a file that have been read, while it is `kept`."""

    @classmethod
    def at(cls, where: Where) -> "EventPlace":
        """Return the place that is meant: of a folder that something is learned in, the store in it."""
        if isinstance(where, EventPlace):
            return where
        if is_address(where):
            return cls(shared=shared_backend().open_state(StateAddress.read(where)))
        return cls(file_in(where, EVENTS))

    @property
    def has_lines(self) -> bool:
        """Whether it is a file of JSON lines."""
        return self.file is not None and self.file.suffix == ".jsonl"

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
        """Give the same place for several queries: connections to a database are used again, and lines are read once."""
        if self.shared is not None and (pool := self.shared.pooled()) is not self.shared:
            with closing(pool):
                yield EventPlace(shared=pool)
        elif self.file is not None and self.has_lines and self.table is None:
            with closing(LineTable(self.file)) as table:
                yield replace(self, table=table)
        else:
            yield self

    @contextmanager
    def reading(self, patience: float = PATIENCE) -> Iterator[TableConnection]:
        """Open a store to look into it; what goes wrong meanwhile is one sentence."""
        if self.shared is not None:
            with self.shared.reading(patience) as shared:
                yield shared
        elif self.has_lines:
            with self.kept() as kept:
                assert kept.table is not None
                yield kept.table.updated()
        elif self.file is not None:
            with _reading_file(self.file) as connection:
                yield connection


class LineTable:
    """The events of a file of JSON lines in a table, which grows as the file does; an event is numbered as its line."""

    def __init__(self, file: Path) -> None:
        self._file = file
        # On disk, as soon as it is large.
        self._connection = sqlite3.connect("")
        self._clear()

    def updated(self) -> sqlite3.Connection:
        """Read what was written since; a file that is shorter than it was has been rotated, and is read anew."""
        try:
            if self._file.stat().st_size < self._end:
                self._clear()
            with self._file.open("rb") as lines:
                lines.seek(self._end)
                with self._connection:
                    # The last line may have been read before its end was written.
                    self._connection.execute("DELETE FROM events WHERE id > ?", (self._number,))
                    for line in lines:
                        self._take(line)
        except OSError as error:
            raise OutcomeMonitorsError(f"cannot read {self._file}: {error.strerror or error}") from None
        if self._bad and not self._good:
            raise OutcomeMonitorsError(
                f"{self._file}:{self._bad} is not an event; is it a file that --events wrote?"
            )
        return self._connection

    def close(self) -> None:
        """Let the table go."""
        self._connection.close()

    def _clear(self) -> None:
        self._connection.executescript(f"DROP TABLE IF EXISTS events; {TABLE}")
        self._end = self._number = self._good = self._bad = 0

    def _take(self, line: bytes) -> None:
        number, whole = self._number + 1, line.endswith(b"\n")
        if line.strip():
            try:
                self._connection.execute(INSERT, (number, *read_line(line).row))
                self._good += 1
            except RefusedLine as error:
                self._bad = self._bad or number
                if whole:
                    log.warning("%s:%d is not an event; the line is skipped: %s", self._file, number, error)
        if whole:
            self._number, self._end = number, self._end + len(line)


def forget_events(where: Where, before: float) -> int:
    """Delete what is older than a time, in seconds since 1970, from a store, and return how many events that were."""
    place = EventPlace.at(where).required()
    if place.has_lines:
        raise OutcomeMonitorsError(f"{place} is appended to by others: rotate it as you rotate logs")
    if place.shared is not None:
        return place.shared.forget_events(before)
    try:
        with closing(sqlite3.connect(str(place), timeout=FORGETTING)) as connection:
            with connection:
                forgotten = connection.execute("DELETE FROM events WHERE time < ?", (before,)).rowcount
            # Gives the space back, and takes what was deleted out of the file; others may be writing just then.
            with suppress(sqlite3.OperationalError):
                connection.execute("VACUUM")
    except sqlite3.Error as error:
        raise OutcomeMonitorsError(f"nothing was forgotten of {place}: {error}") from None
    return forgotten


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
