"""Connections to PostgreSQL that never wait for ever, and queries in the words that SQLite has too.

A connection that hangs without closing is cut after a while by a thread of its own, so that whoever waits for it gets an error; what
the driver says becomes one sentence that shows neither user nor password.
"""

import os
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from typing import Any

import psycopg
from psycopg import sql

from outcome_monitors.exceptions import StateError
from outcome_monitors.storage.address import StateAddress
from outcome_monitors.storage.storage import PATIENCE
from outcome_monitors.storage.tables import Rows

from .schema import Connection, prepare, refuse_other

__all__ = ["TOLERATED", "Connection", "Connections", "SharedConnection", "cut_after", "without_nul"]

CONNECTING = 5
"""Seconds."""
TOLERATED = 5.0
"""Seconds by which a host's clock may differ from the database's and is taken as it is."""
MOST_IDLE = 4
"""Connections that wait to be used again."""
GRANT = "; its owner gives the right to it by `outcome-monitors state grant`"
_NO_RIGHT = "42501"
"""PostgreSQL's code for a right that a role has not."""
_KEPT_ALIVE: dict[str, Any] = {
    "keepalives": 1,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
}


class SharedConnection(Rows):
    """A connection that takes queries as SQLite has them, with question marks, and names that come from anywhere."""

    def __init__(self, connection: Connection) -> None:
        self.raw = connection

    def execute(self, query: str, values: Sequence[object] = (), /) -> "psycopg.Cursor[tuple[Any, ...]]":
        """Run a query."""
        return self.raw.execute(_translated(query), without_nul(values))

    def executemany(self, query: str, rows: Iterable[Sequence[object]], /) -> None:
        """Run a query for each row."""
        storable = [*map(without_nul, rows)]
        if storable:
            with self.raw.cursor() as cursor:
                cursor.executemany(_translated(query), storable)


@lru_cache(maxsize=256)
def _translated(query: str) -> bytes:
    """Return a query of ours with the driver's marks for values."""
    return query.replace("%", "%%").replace("?", "%s").encode()


def without_nul(row: Iterable[object]) -> tuple[object, ...]:
    """Return a row with the one sign that PostgreSQL's texts cannot have written out."""
    return tuple(
        value.replace("\x00", "\\x00") if isinstance(value, str) and "\x00" in value else value
        for value in row
    )


class Connections:
    """Connections to the state at an address, for any number of threads; those that have read are used again."""

    def __init__(self, address: StateAddress, clock: Callable[[], float] = time.time) -> None:
        self.address = address
        self.behind = 0.0
        """Seconds by which this host's clock is behind the database's, where that is more than a few."""
        self._clock = clock
        self._idle: list[tuple[int, Connection]] = []
        """Each with the process that it is of: a fork leaves its parent's alone."""
        self._lock = threading.Lock()

    def now(self) -> float:
        """Return the time by the database's clock, as far as that is known: all hosts of a fleet go by it."""
        return self._clock() + self.behind

    def __str__(self) -> str:
        return str(self.address)

    def close(self) -> None:
        """Let idle connections go."""
        with self._lock:
            idle, self._idle = self._idle, []
        for process, connection in idle:
            if process == os.getpid():
                with suppress(Exception):
                    connection.close()

    __del__ = close

    @contextmanager
    def reading(self, patience: float = PATIENCE) -> Iterator[SharedConnection]:
        """Give a connection that reads one state of all tables; refuse where there is none, or a later release's."""
        with self.as_state_error():
            connection = self._taken(patience)
            try:
                with cut_after(connection, patience):
                    yield SharedConnection(connection)
                    connection.rollback()
            except BaseException:
                connection.close()
                raise
            with self._lock:
                if len(self._idle) < MOST_IDLE:
                    self._idle.append((os.getpid(), connection))
                    return
            connection.close()

    @contextmanager
    def writing(self, patience: float = PATIENCE) -> Iterator[SharedConnection]:
        """Give a connection in one transaction; tables that are not there yet are made."""
        with self.as_state_error(), self.connect() as connection, cut_after(connection, patience):
            prepare(connection, self.address)
            yield SharedConnection(connection)

    def connect(self) -> Connection:
        """Open a connection whose names are those of the fleet; who asks closes it."""
        connection = psycopg.connect(
            self.address.dsn,
            connect_timeout=CONNECTING,
            application_name="outcome-monitors",
            **_KEPT_ALIVE,
        )
        with _closed_on_error(connection), cut_after(connection, CONNECTING):
            found = connection.execute(
                "SELECT extract(epoch FROM clock_timestamp())::float8, set_config('search_path', quote_ident(%s), false),"
                " set_config('lock_timeout', '10s', false)",
                (self.address.schema,),
            ).fetchone()
            connection.commit()
            behind = 0.0 if found is None else float(found[0]) - self._clock()
            self.behind = behind if abs(behind) > TOLERATED else 0.0
        return connection

    def connect_to_write(self, patience: float = PATIENCE) -> Connection:
        """Open a connection to tables that are there, or are made now; a transaction on it is what says so. Who asks closes it."""
        connection = self.connect()
        with _closed_on_error(connection), cut_after(connection, patience):
            prepare(connection, self.address)
            connection.commit()
            connection.autocommit = True
        return connection

    def connect_to_read(self) -> Connection:
        """Open a connection that sees, of events and traces, those with the labels of the address; who asks closes it."""
        connection = self.connect()
        labels = self.address.labels.items()
        with _closed_on_error(connection):
            if labels:
                # Before the views, so that what is not there is said as it is without labels.
                refuse_other(connection, self.address)
                for table in ("events", "traces"):
                    # A view of this connection alone, which is found before the table of that name.
                    connection.execute(_narrowed(self.address.schema, table, labels))
            connection.commit()
        return connection

    @contextmanager
    def as_state_error(self) -> Iterator[None]:
        """Turn what the driver says into a sentence."""
        try:
            yield
        except psycopg.Error as error:
            reason = str(error).strip().partition("\n")[0] or type(error).__name__
            secret = self.address.secret
            shown = reason.replace(secret, "***") if secret else reason
            hint = GRANT if error.sqlstate == _NO_RIGHT else ""
            raise StateError(f"the state at {self} cannot be used: {shown}{hint}") from error

    def _taken(self, patience: float) -> Connection:
        with self._lock:
            process, idle = self._idle.pop() if self._idle else (0, None)
        if idle is not None and process == os.getpid():
            try:
                self._begin(idle, patience)
            except Exception:  # noqa: BLE001 - the server has closed it meanwhile; another says whether it is there
                idle.close()
            else:
                return idle
        connection = self.connect_to_read()
        with _closed_on_error(connection):
            self._begin(connection, patience)
        return connection

    def _begin(self, connection: Connection, patience: float) -> None:
        with cut_after(connection, patience):
            connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            refuse_other(connection, self.address)


def _narrowed(schema: str, table: str, labels: Sequence[tuple[str, str]]) -> sql.Composed:
    whole = sql.SQL("{}.{}").format(sql.Identifier(schema), sql.Identifier(table))
    parts = [sql.SQL("{} = {}").format(sql.Identifier(name), sql.Literal(value)) for name, value in labels]
    return sql.SQL("CREATE TEMP VIEW {} AS SELECT * FROM {} WHERE {}").format(
        sql.Identifier(table), whole, sql.SQL(" AND ").join(parts)
    )


@contextmanager
def _closed_on_error(connection: Connection) -> Iterator[None]:
    try:
        yield
    except BaseException:
        connection.close()
        raise


@contextmanager
def cut_after(connection: Connection, seconds: float) -> Iterator[None]:
    """Cut a connection that a block keeps for longer than so many seconds; the block then fails."""
    timer = threading.Timer(seconds, _cut, [connection])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _cut(connection: Connection) -> None:
    # Whatever it is by then, it is not ours to mend.
    with suppress(Exception), socket.socket(fileno=socket.dup(connection.fileno())) as end:
        end.shutdown(socket.SHUT_RDWR)
