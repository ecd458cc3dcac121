"""Rows for PostgreSQL, written in batches off the way of a reply: each batch once, also where the connection broke after it was written.

Batches of all writers go in one after the other, so that the numbers of rows grow as they come to be seen: whoever has read up to a
number has missed none before it. What cannot be written in ten minutes is counted.
"""

import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from uuid import uuid4

from psycopg import DataError, IntegrityError, errors

from outcome_monitors.events.event import COLUMNS, Event, Row, storable_row
from outcome_monitors.events.sinks import Background, QueuedStore
from outcome_monitors.files import storable
from outcome_monitors.learning.recorder import TraceLine
from outcome_monitors.storage.labels import Labels
from outcome_monitors.storage.storage import PATIENCE

from .connections import Connection, Connections, cut_after, without_nul

OF_A_ROW = (DataError, IntegrityError, errors.ProgramLimitExceeded)
"""Errors that are one row's own: it has no form, or a name in it is too long for an index."""


class BatchWriter:
    """Writes rows of one table, on a connection that it keeps; for one thread."""

    def __init__(self, state: Connections, table: str, columns: Sequence[str]) -> None:
        self.refused = 0
        """Rows that the database would not take."""
        self._state, self._table = state, table
        names, marks = ", ".join(columns), ", ".join(["%s"] * len(columns))
        self._insert = f"INSERT INTO {table} ({names}) VALUES ({marks})".encode()  # noqa: S608 - names of our own
        self._begin()

    def _begin(self) -> None:
        """Begin as a writer of a name of its own."""
        self._name, self._number = f"{self._table} {uuid4().hex}", 0
        self._in_hand: object = None
        self._connection: Connection | None = None
        self._process = os.getpid()

    def write(self, batch: object, rows: Iterable[Row]) -> None:
        """Write the rows of a batch; raise StateError where that cannot be done now.

        The same `batch`, given again after an error, is the same rows.
        """
        if self._process != os.getpid():
            # A fork: the connection is the parent's, and so are the numbers of its batches.
            self._begin()
        if batch is not self._in_hand:
            self._in_hand = batch
            self._number += 1
        try:
            with self._state.as_state_error():
                if self._connection is None:
                    self._connection = self._state.connect_to_write()
                with cut_after(self._connection, PATIENCE):
                    self._write(self._connection, [*map(without_nul, rows)])
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Let the connection go."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(Exception):
                connection.close()

    def _write(self, connection: Connection, rows: list[Row]) -> None:
        try:
            with connection.transaction():
                if self._is_new(connection):
                    self._insert_all(connection, rows)
        except OF_A_ROW:
            # One row that has no form must not cost the others.
            with connection.transaction():
                if self._is_new(connection):
                    self.refused += sum(not self._insert_alone(connection, row) for row in rows)

    def _is_new(self, connection: Connection) -> bool:
        """Note the batch; say whether it was not written before."""
        connection.execute(
            "SELECT pg_advisory_xact_lock(hashtextextended(%s, 2))",
            (f"{self._state.address.schema} {self._table}",),
        )
        found = connection.execute(
            "INSERT INTO writers VALUES (%s, %s, 0, now()) ON CONFLICT (writer) DO UPDATE SET batch = excluded.batch,"
            " seen = excluded.seen WHERE writers.batch < excluded.batch",
            (self._name, self._number),
        )
        return bool(found.rowcount == 1)

    def _insert_all(self, connection: Connection, rows: Iterable[Row]) -> None:
        with connection.cursor() as cursor:
            cursor.executemany(self._insert, rows)

    def _insert_alone(self, connection: Connection, row: Row) -> bool:
        try:
            with connection.transaction():
                self._insert_all(connection, [row])
        except OF_A_ROW:
            return False
        return True


GATHER = 0.5
"""Seconds that events gather for: batches of all hosts go in one after the other."""
OUTAGE = 600.0
"""Seconds for which a database may be away before events are given up; the queue's bounds hold meanwhile."""


class SharedStore(QueuedStore):
    """Takes events for a fleet's store; neither waits nor raises."""

    def __init__(self, state: Connections, labels: Labels | None = None) -> None:
        self._state, self._labels = state, Labels() if labels is None else labels
        self._writer = BatchWriter(state, "events", (*COLUMNS, *Labels._fields))
        name = f"events to {state}"
        super().__init__(Background(name, self._write, self._writer.close, gather=GATHER, patience=OUTAGE))

    @property
    def lost(self) -> int:
        """How many events could not be written."""
        return super().lost + self._writer.refused

    def _write(self, events: Sequence[Event]) -> None:
        rows = [storable_row(event) for event in events]
        self._writer.write(events, (self._row(row) for row, _ in rows))
        self.escaped += sum(escaped for _, escaped in rows)

    def _row(self, row: Row) -> Row:
        # By the database's clock.
        return row[0] + self._state.behind, *row[1:], *self._labels


class SharedTraces:
    """The table of recorded calls, as a target of a recorder: lines as a trace file has them."""

    gather, patience = GATHER, OUTAGE

    def __init__(self, state: Connections, labels: Labels) -> None:
        self._state, self._labels = state, labels
        self._writer = BatchWriter(state, "traces", ("time", "tool", "session", "line", *Labels._fields))

    def __str__(self) -> str:
        return str(self._state)

    @property
    def refused(self) -> int:
        """Calls that the database would not take."""
        return self._writer.refused

    def write(self, lines: Sequence[TraceLine]) -> None:
        """Write calls once, however often they are given."""
        self._writer.write(lines, map(self._row, lines))

    def close(self) -> None:
        """Let the connection go."""
        self._writer.close()

    def _row(self, line: TraceLine) -> tuple[object, ...]:
        session = None if line.session is None else storable(line.session)
        return line.time, storable(line.tool), session, line.text, *self._labels
