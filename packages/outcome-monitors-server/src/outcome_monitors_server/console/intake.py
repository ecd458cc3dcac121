"""Events that come over HTTP, from hosts without rights in the database, or in another language: written before they are answered for.

All lines of a request are written, or none: what is refused can be mended and sent again, and nothing stands there twice.
"""

import sqlite3
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from email.utils import parsedate_to_datetime

from outcome_monitors.events.lines import BadLine, IncomingEvent, incoming_events
from outcome_monitors.events.rows import COLUMNS
from outcome_monitors.events.stores import MOST_BYTES, bound_store, opened_store
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.learning.folder import StateFolder
from outcome_monitors.state.labels import Labels
from outcome_monitors.values.folders import EVENTS
from outcome_monitors_server.storage.batches import BatchWriter
from outcome_monitors_server.storage.postgres import TOLERATED, Postgres

__all__ = ["LARGEST_BODY", "BadEvents", "EventIntake"]

LARGEST_BODY = 4 * 2**20
MOST_NAMED = 20
"""Bad lines that are named in one answer."""
_INSERT = f"INSERT INTO events ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))})"  # noqa: S608 - names of our own


class BadEvents(OutcomeMonitorsError):  # noqa: N818 - it names the lines
    """Some lines are no events; nothing was written."""

    def __init__(self, bad: Sequence[BadLine]) -> None:
        self.lines = [one._asdict() for one in bad[:MOST_NAMED]]
        more = f", and {len(bad) - 1:,} more" if len(bad) > 1 else ""
        super().__init__(f"{bad[0]}{more}; nothing was written")


class EventIntake:
    """Writes events into a folder's store, or into a fleet's; for any number of threads."""

    def __init__(self, state: StateFolder) -> None:
        self._state, self._lock = state, threading.Lock()
        self._writer: BatchWriter | None = None
        if state.shared is not None:
            self._writer = BatchWriter(Postgres(state.shared.address), "events", (*COLUMNS, *Labels._fields))

    def write(self, data: bytes, labels: Labels, headers: Mapping[str, str]) -> int:
        """Write the events of a request, whose writer has these labels whatever it claims; return how many."""
        events, bad = incoming_events(data)
        if bad:
            raise BadEvents(bad)
        ahead = self._ahead(headers.get("Date", ""))
        rows = [event._replace(row=(event.row[0] - ahead, *event.row[1:])) for event in events]
        if rows:
            with self._lock:
                self._write(rows, labels)
        return len(rows)

    def close(self) -> None:
        """Let the connection go."""
        with self._lock:
            if self._writer is not None:
                self._writer.close()

    def _write(self, events: Sequence[IncomingEvent], labels: Labels) -> None:
        if self._writer is None or self._state.shared is None:
            self._write_here(events)
            return
        # What the console's own address names holds before all.
        whose = self._state.shared.address.labels.over(labels)
        refused = self._writer.refused
        self._writer.write(events, [(*event.row, *whose.over(event.labels)) for event in events], 0)
        if self._writer.refused > refused:
            raise OutcomeMonitorsError(
                f"{self._writer.refused - refused} of {len(events)} events had no form that the database takes, and were left out"
            )

    def _write_here(self, events: Sequence[IncomingEvent]) -> None:
        try:
            with closing(opened_store(self._state.path / EVENTS)) as connection:
                with connection:
                    connection.executemany(_INSERT, [event.row for event in events])
                bound_store(connection, MOST_BYTES, len(events))
        except (sqlite3.Error, OSError) as error:
            raise OutcomeMonitorsError(f"nothing can be written in {self._state.path}: {error}") from None

    def _ahead(self, date: str) -> float:
        """Return by how many seconds a writer's clock is ahead of that of the state, as its header `Date` says; a few are let pass."""
        try:
            theirs = parsedate_to_datetime(date).timestamp()
        except (ValueError, TypeError, OverflowError):
            return 0.0
        shared = self._state.shared
        ahead = theirs - (time.time() if shared is None else shared.now())
        return ahead if abs(ahead) > TOLERATED else 0.0
