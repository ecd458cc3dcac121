"""Where events are read: a store in a file, a file of JSON lines, or a fleet's PostgreSQL; a folder or an address names them too.

All three are asked the same queries, in words that SQLite and PostgreSQL share, with question marks for values.
"""

import logging
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.jsonvalue.files import FilePath
from outcome_monitors.jsonvalue.folders import EVENTS
from outcome_monitors.storage.event_file import INSERT
from outcome_monitors.storage.labels import Labels
from outcome_monitors.storage.opening import event_table
from outcome_monitors.storage.sqlite import empty_tables, transaction
from outcome_monitors.storage.storage import EventTable

from .lines import RefusedLine, read_line

__all__ = ["Where", "events_at", "events_in", "forget_events", "pooled"]

log = logging.getLogger("outcome_monitors.events")

Where = FilePath | EventTable
"""What names a place of events."""


def events_at(where: Where) -> EventTable:
    """Return the events that are meant: of a folder that something is learned in, those in it."""
    if not isinstance(where, str | os.PathLike):
        return where
    return LineFile(Path(where)) if os.fspath(where).endswith(".jsonl") else event_table(where)


def events_in(where: Where) -> EventTable:
    """Return the same; refuse a place where there is nothing to read."""
    table = events_at(where)
    if not table.exists():
        raise OutcomeMonitorsError(
            f"there is no store {table}; name the one that a proxy writes to (--events)"
        )
    return table


@contextmanager
def pooled(table: EventTable) -> Iterator[EventTable]:
    """Give the same for several queries: connections to a database are used again, and lines are read once."""
    if (pool := table.pooled()) is table:
        yield table
    else:
        with closing(pool):
            yield pool


def forget_events(where: Where, before: float) -> int:
    """Delete what is older than a time, in seconds since 1970, from a store, and return how many events that were."""
    return events_in(where).forget_events(before)


class LineFile:
    """The events of a file of JSON lines, each numbered as its line: a table, which grows as the file does."""

    def __init__(self, path: Path, connection: sqlite3.Connection | None = None) -> None:
        self.path = path
        self._connection = connection
        self._end = self._number = self._good = self._bad = 0
        """How many bytes, lines and events were read, and the number of the first line that is none."""

    def __str__(self) -> str:
        return str(self.path)

    def exists(self) -> bool:
        """Say whether the file is there."""
        return self.path.exists()

    def pooled(self) -> "LineFile":
        """Return the same with a table that is kept, on disk as soon as it is large."""
        return self if self._connection is not None else LineFile(self.path, empty_tables(EVENTS, ""))

    def close(self) -> None:
        """Let the table go."""
        if self._connection is not None:
            self._connection.close()

    @contextmanager
    def reading(self, _patience: float = 0.0) -> Iterator[sqlite3.Connection]:
        """Read what was written since the last time; a file that is shorter than it was has been rotated, and is read anew."""
        if self._connection is None:
            with closing(self.pooled()) as kept, kept.reading() as connection:
                yield connection
            return
        try:
            connection = self._connection
            with transaction(connection):
                if not self._end or self.path.stat().st_size < self._end:
                    connection.execute("DELETE FROM events")
                    self._end = self._number = self._good = self._bad = 0
                # The last line may have been read before its end was written.
                connection.execute("DELETE FROM events WHERE id > ?", (self._number,))
                with self.path.open("rb") as lines:
                    lines.seek(self._end)
                    for line in lines:
                        self._take(connection, line)
        except OSError as error:
            raise OutcomeMonitorsError(f"cannot read {self}: {error.strerror or error}") from None
        if self._bad and not self._good:
            raise OutcomeMonitorsError(
                f"{self}:{self._bad} is not an event; is it a file that --events wrote?"
            )
        yield self._connection

    def append(self, _rows: Iterable[tuple[Sequence[Any], Labels]]) -> int:
        """Refuse: sinks write lines."""
        raise OutcomeMonitorsError(f"{self} is appended to by others")

    def forget_events(self, _before: float) -> int:
        """Refuse: others have the file open."""
        raise OutcomeMonitorsError(f"{self} is appended to by others: rotate it as you rotate logs")

    def _take(self, connection: sqlite3.Connection, line: bytes) -> None:
        number, whole = self._number + 1, line.endswith(b"\n")
        if line.strip():
            try:
                connection.execute(INSERT, (number, *read_line(line).row))
                self._good += 1
            except RefusedLine as error:
                self._bad = self._bad or number
                if whole:
                    log.warning("%s:%d is not an event; the line is skipped: %s", self, number, error)
        if whole:
            self._number, self._end = number, self._end + len(line)
