"""A fleet's PostgreSQL as a home of state."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from outcome_monitors.state.address import StateAddress
from outcome_monitors.state.labels import Labels
from outcome_monitors.state.tables import TableConnection
from outcome_monitors.values.database_files import storable
from outcome_monitors_server.storage.batches import without_nul
from outcome_monitors_server.storage.contract_lines import split
from outcome_monitors_server.storage.documents import NAMES, changing, put
from outcome_monitors_server.storage.postgres import Postgres, SharedConnection

from .home import RecordedLine, columns_of, seconds_of_line

__all__ = ["FleetHome"]

LONG = 3600.0
"""Seconds that work on all of a table may take."""
AT_ONCE = 1000
_BEYOND = """
SELECT max(id) FROM (SELECT id, sum(octet_length(line)) OVER (ORDER BY id DESC) AS size FROM traces) AS sizes WHERE size > ?
HAVING max(id) IS NOT NULL"""
_NUMBERED = {"events": "id", "traces": "id", "versions": "number"}
"""Tables whose rows the database numbers, and by which column."""


class FleetHome:
    """The state that many hosts share."""

    knows_labels = True

    def __init__(self, address: StateAddress) -> None:
        self.shown = str(address)
        self._state = Postgres(address)

    @contextmanager
    def reading(self, table: str) -> Iterator[TableConnection]:
        """Give a connection to look into a table."""
        del table  # all are in one database
        with self._state.reading(LONG) as shared:
            yield shared

    @contextmanager
    def opened(self, table: str) -> Iterator[TableConnection]:
        """Give a connection to a table."""
        del table  # the same
        with self._state.writing(LONG) as shared:
            yield shared

    def fill(self, table: str, rows: Iterable[Sequence[Any]], *, labelled: bool = False) -> int:
        """Write rows of a table."""
        with self._state.writing(LONG) as shared:
            # The rows of a counter are there from the first.
            shared.execute(f"DELETE FROM {table}")  # noqa: S608 - a name of our own
            return _copied(shared, table, columns_of(table, labelled=labelled), rows)

    def documents(self) -> dict[str, str]:
        """Return the small files, those of lines too."""
        with self._state.reading() as shared:
            found = shared.execute("SELECT name, body FROM documents ORDER BY name").fetchall()
            return {str(name): str(body) for name, body in found if split(name)[0] in NAMES}

    def put(self, name: str, body: str) -> None:
        """Put a document in the place of the one before it, and tell all hosts."""
        with changing(self._state, name) as shared:
            put(shared, self._state.address, name, body)

    def lines(self) -> Iterator[RecordedLine]:
        """Yield the recorded lines; they come as they are asked for."""
        with self._state.reading(LONG) as shared, shared.raw.cursor(name="outcome_monitors") as rows:
            rows.itersize = AT_ONCE
            rows.execute("SELECT id, line, service, environment, server, agent FROM traces ORDER BY id")
            for number, line, *labels in rows:
                yield RecordedLine(("traces", number), line, Labels(*labels))

    def record(self, lines: Iterable[RecordedLine]) -> int:
        """Write recorded lines behind those that are there."""
        with self._state.writing(LONG) as shared:
            return _copied(
                shared, "traces", ("time", "tool", "session", "line", *Labels._fields), map(_row, lines)
            )

    def drop(self, places: Collection[tuple[str, int]]) -> None:
        """Delete recorded lines."""
        numbers = sorted(number for _, number in places)
        with self._state.writing(LONG) as shared:
            for start in range(0, len(numbers), AT_ONCE):
                shared.execute("DELETE FROM traces WHERE id = ANY(?)", (numbers[start : start + AT_ONCE],))

    def bound_lines(self, since: float | None, most: int | None, *, dry: bool) -> int:
        """Delete the recorded lines from before a time, and of more than so many bytes the oldest."""
        with self._state.writing(LONG) as shared:
            beyond = None if most is None else shared.execute(_BEYOND, (most,)).fetchone()
            values = (since, since, beyond[0] if beyond else -1)
            condition = "(?::double precision IS NOT NULL AND time < ?) OR id <= ?"
            what = "SELECT id" if dry else "DELETE"
            # What is only counted is numbered and thrown away.
            return int(shared.execute(f"{what} FROM traces WHERE {condition}", values).rowcount)

    def tidy(self) -> None:
        """Have the space of deleted rows used again; who may not is told nothing, since the database does so by itself in time."""
        with self._state.told(), self._state.connect() as connection:
            connection.autocommit = True
            for table in (*_NUMBERED, "documents", "clauses", "ways"):
                connection.execute(f"VACUUM {table}".encode())


def _row(line: RecordedLine) -> tuple[Any, ...]:
    call = line.call
    session = call.get("session")
    return (
        seconds_of_line(call),
        str(call.get("tool", "")),
        session if isinstance(session, str) else None,
        line.text,
        *line.labels,
    )


def _copied(
    shared: SharedConnection, table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]
) -> int:
    number = 0
    query = f"COPY {table} ({', '.join(columns)}) FROM STDIN".encode()
    with shared.raw.cursor() as cursor, cursor.copy(query) as copy:
        for number, row in enumerate(rows, 1):  # noqa: B007 - how many they were
            copy.write_row(without_nul(storable(value) if isinstance(value, str) else value for value in row))
    if table in _NUMBERED:
        column = _NUMBERED[table]
        shared.execute(
            f"SELECT setval(pg_get_serial_sequence(?, ?), (SELECT greatest(coalesce(max({column}), 0), 1) FROM {table}))",  # noqa: S608 - names of our own
            (table, column),
        )
    return number
