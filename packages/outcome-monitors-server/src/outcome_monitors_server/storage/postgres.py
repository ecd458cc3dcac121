# ruff: noqa: D102 - what each verb does is said in Storage and DocumentStep
"""The state of a fleet in PostgreSQL: the verbs of `outcome_monitors.storage.storage.Storage`, and what only a fleet has."""

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from typing import Any

import psycopg

from outcome_monitors.exceptions import StateError
from outcome_monitors.files import storable
from outcome_monitors.storage.address import StateAddress
from outcome_monitors.storage.labels import NO_LABELS, Labels
from outcome_monitors.storage.layout import OVERRIDES, VERSIONS
from outcome_monitors.storage.storage import PATIENCE, Busy, Near, RecordedLine
from outcome_monitors.storage.tables import FILES, Row, columns_of

from .connections import TOLERATED, Connection, Connections, SharedConnection, cut_after, without_nul
from .counts import lock_tables
from .documents import NAMES, body_of, changing, put
from .replica import copied_at, refresh
from .schema import refuse_other

__all__ = ["TOLERATED", "Postgres", "SharedConnection"]

LONG = 3600.0
"""Seconds that work on all of a table may take."""
PAGE, RECENT = 2000, 100
"""Lines that are taken from the database at once, and where the newest are asked for."""
BATCH = 1000
"""Lines that are deleted at once."""
_NUMBERED = {"events": "id", "traces": "id", "versions": "number"}
"""Tables whose rows the database numbers, and by which column."""
_UNITS = ((86400, "day"), (3600, "hour"), (60, "minute"), (1, "second"))
_TRACES = ("time", "tool", "session", "line", *Labels._fields)


class Postgres(Connections):
    """The state at an address."""

    labelled, trouble = True, ""

    def __init__(self, address: StateAddress, clock: Callable[[], float] = time.time) -> None:
        super().__init__(address, clock)
        self.folder = address.cache

    @property
    def title(self) -> str:
        return f"fleet {self.address.fleet}"

    @property
    def events(self) -> "Postgres":
        """The same: they are in one database."""
        return self

    def exists(self) -> bool:
        """Say yes: whether there is something to read the reading says."""
        return True

    def whole(self) -> "Postgres":
        """Return the same for everyone."""
        return Postgres(replace(self.address, labels=NO_LABELS), self._clock)

    def refresh(self, *, required: bool = True) -> None:
        try:
            refresh(self, self.folder)
            self.trouble = ""
        except StateError as error:
            copied = copied_at(self.folder)
            away = isinstance(error.__cause__, psycopg.OperationalError)
            if required or copied is None or not away:
                raise
            self.trouble = f"{error}; what follows is this host's copy of {_ago(time.time() - copied)}"

    @property
    def labels(self) -> Labels:
        return self.address.labels

    def documents(self) -> dict[str, str]:
        with self.reading() as shared:
            return _documents(shared)

    def put(self, name: str, body: str) -> None:
        with changing(self, name) as shared:
            put(shared, name, body)

    @contextmanager
    def table(self, name: str, *, change: bool = False) -> Iterator[SharedConnection]:
        with self.writing(LONG) if change else self.reading(LONG) as shared:
            if change:
                lock_tables(shared, FILES[name])
            yield shared

    def fill(self, table: str, rows: Iterable[Row]) -> int:
        names = columns_of(table, labelled=True)
        with self.writing(LONG) as shared:
            # The rows of a counter are there from the first.
            shared.delete(table)
            return _copied(shared, table, names, ([row.get(name, "") for name in names] for row in rows))

    def recorded_lines(self, until: tuple[str, int] | None = None) -> Iterator[RecordedLine]:
        """Yield the recorded lines, some at a time, so that no transaction is open for long; ids grow as rows come to be seen."""
        last, end, names = 0, None if until is None else until[1] + 1, ("id", "line", *Labels._fields)
        while True:
            with self.reading(LONG) as rows:
                found = rows.select("traces", *names, after=last, before=end, most=PAGE)
            for last, line, *labels in map(dict.values, found):
                yield RecordedLine(("traces", last), line, Labels(*labels))
            if len(found) < PAGE:
                return

    def ends(self) -> tuple[RecordedLine, RecordedLine] | None:
        with self.reading() as rows:
            first = rows.select("traces", "id", "line", most=1)
            last = rows.select("traces", "id", "line", most=1, newest=True)
        found = [RecordedLine(("traces", row["id"]), row["line"]) for row in first + last]
        return (found[0], found[1]) if found else None

    def recent_lines(self, tool: str, reach: int, near: Near | None = None) -> Iterator[bytes]:
        # By the time of the database's clock; the line has that of its host.
        session, begin, end = near or (None, None, None)
        last, number = None, RECENT
        while reach > 0 and number == RECENT:
            with self.reading() as rows:
                found = rows.select(
                    "traces",
                    "id",
                    "line",
                    tool=tool,
                    session=session,
                    since=begin,
                    until=end,
                    before=last,
                    most=RECENT,
                    newest=True,
                )
            for row in found:
                last = row["id"]
                reach -= len(row["line"])
                yield row["line"].encode()
            number = len(found)

    def record(self, lines: Iterable[RecordedLine]) -> int:
        rows = ((line.seconds, line.tool, line.session, line.text, *line.labels) for line in lines)
        with self.writing(LONG) as shared:
            return _copied(shared, "traces", _TRACES, rows)

    def drop(self, places: Collection[tuple[str, int]]) -> None:
        numbers = sorted(number for _, number in places)
        with self.writing(LONG) as rows:
            for start in range(0, len(numbers), BATCH):
                rows.delete("traces", id=numbers[start : start + BATCH])

    def bound_lines(self, since: float | None, most: int | None, *, dry: bool) -> int:
        with self.writing(LONG) as rows:
            return rows.bound("traces", "line", since=since, most=most, dry=dry)

    def tidy(self) -> None:
        """Have the space of deleted rows used again; who may not is told nothing, since the database does so by itself in time."""
        with self.as_state_error(), self.connect() as connection:
            connection.autocommit = True
            for table in (*_NUMBERED, "documents", "clauses", "ways"):
                connection.execute(f"VACUUM {table}".encode())

    @contextmanager
    def versions(self, *, change: bool = False) -> Iterator["FleetStep"]:
        with changing(self, VERSIONS) if change else self.reading() as shared:
            yield FleetStep(self, shared)

    @contextmanager
    def deciding(self) -> Iterator["FleetStep"]:
        with changing(self, OVERRIDES) as shared:
            yield FleetStep(self, shared)
        # It holds; who looks into the copy next, looks again.
        with suppress(StateError):
            refresh(self, self.folder)

    @contextmanager
    def learning(self) -> Iterator[Callable[[], None]]:
        """Hold the lock of the one who learns; give what fails where it was lost."""
        key = f"{self.address.schema} learn"
        with self.as_state_error(), closing(self.connect()) as connection:
            with cut_after(connection, PATIENCE):
                refuse_other(connection, self.address)
                connection.commit()
                connection.autocommit = True
                query = "SELECT pg_try_advisory_lock(hashtextextended(%s, 3))"
                if connection.execute(query, (key,)).fetchone() != (True,):
                    raise Busy(f"another process learns at {self}")
            yield lambda: self._refuse_lost(connection)

    def _refuse_lost(self, connection: Connection) -> None:
        try:
            with cut_after(connection, PATIENCE):
                connection.execute("SELECT 1")
        except Exception as error:
            raise StateError(
                f"the lock at {self} was lost while contracts were mined: nothing is written, and they are mined again"
            ) from error


class FleetStep:
    """The table of versions and the documents beside it, in one transaction."""

    def __init__(self, state: Postgres, shared: SharedConnection) -> None:
        self._state, self.rows = state, shared

    def where(self, name: str) -> str:
        return f"{name} of {self._state}"

    def document(self, name: str) -> str | None:
        return body_of(self.rows, name)

    def put(self, name: str, body: str, by: str) -> None:
        put(self.rows, name, body, by)


def _documents(shared: SharedConnection) -> dict[str, str]:
    found = shared.execute("SELECT name, body FROM documents ORDER BY name").fetchall()
    return {str(name): str(body) for name, body in found if name in NAMES}


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


def _ago(seconds: float) -> str:
    unit, word = next(((unit, word) for unit, word in _UNITS if seconds >= unit), _UNITS[-1])
    number = max(0, int(seconds // unit))
    return f"{number} {word}{'' if number == 1 else 's'} ago"
