# ruff: noqa: D102 - what each verb does is said in EventTable
"""Events in an SQLite file, which many processes write and read at once; it holds at most so many bytes, and the oldest go first."""

import logging
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from outcome_monitors.exceptions import OutcomeMonitorsError

from .layout import EVENTS
from .sqlite import TableFile, is_torn, transaction
from .storage import EventTable
from .tables import Rows, columns_of

log = logging.getLogger("outcome_monitors.events")

BUSY = 1.0
"""Seconds that one try to write waits for another process; the queue tries again."""
MOST_BYTES = 256 * 2**20
"""Bytes that a store may hold, unless someone says otherwise: some three million events without payloads."""
LEAST_AT_ONCE = 1000
MOST_STEPS = 10
"""Steps in which the oldest are deleted before others may write again."""
_COLUMNS = columns_of("events")[1:]


class EventFile(EventTable):
    """A store of events in a file; one that is torn, or no such store, is put aside by the next who writes."""

    def __init__(self, path: Path, most: int = MOST_BYTES) -> None:
        self.path, self._most = path, most
        self._file = TableFile(path, EVENTS)

    def __str__(self) -> str:
        return str(self.path)

    def exists(self) -> bool:
        return self.path.exists()

    def close(self) -> None:
        """Leave it: nothing is open."""

    @contextmanager
    def reading(self, _patience: float = 0.0) -> Iterator[Rows]:
        """Open the file to look into it; what goes wrong meanwhile is one sentence."""
        try:
            with self._file.reading() as rows:
                yield rows
        except sqlite3.Error as error:
            raise OutcomeMonitorsError(f"{self} cannot be read as a store of events: {error}") from None

    def append(self, rows: Iterable[Sequence[Any]]) -> None:
        """Write rows, all or none."""
        values = [dict(zip(_COLUMNS, row, strict=True)) for row in rows]
        try:
            with closing(self._file.opened(BUSY)) as connection:
                with transaction(connection):
                    Rows(connection).put("events", values)
                self._bound(connection, len(values))
        except (sqlite3.Error, OSError) as error:
            if is_torn(error) and (aside := self._file.set_aside()):
                log.warning("%s is torn (%r): it is now %s, and another is begun", self, error, aside)
            raise OutcomeMonitorsError(f"nothing can be written to {self}: {error}") from None

    def _bound(self, connection: sqlite3.Connection, written: int) -> None:
        """Delete the oldest events of a store that is too large; twice as many, in each step, as were written just now.

        The file does not shrink, but what is free in it is used again. A store that is busy is left for the next time: what was
        written is written.
        """
        with suppress(sqlite3.Error):
            for _ in range(MOST_STEPS):
                if _used(connection) <= self._most:
                    return
                connection.execute(
                    "DELETE FROM events WHERE id IN (SELECT id FROM events ORDER BY id LIMIT ?)",
                    (max(LEAST_AT_ONCE, 2 * written),),
                )


def _used(connection: sqlite3.Connection) -> int:
    [pages], [free], [size] = (
        connection.execute(f"PRAGMA {what}").fetchone()
        for what in ("page_count", "freelist_count", "page_size")
    )
    used: int = (pages - free) * size
    return used
