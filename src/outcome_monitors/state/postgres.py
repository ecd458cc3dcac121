"""PostgreSQL as a home of state: connections that never wait for ever, and queries in the words that SQLite has too.

A connection that hangs without closing is cut after a while by a thread of its own, so that whoever waits for it gets an error; what
the driver says becomes one sentence that shows neither user nor password.
"""

import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from outcome_monitors.exceptions import MissingExtra, StateError

from .address import StateAddress
from .schema import prepare, refuse_other

if TYPE_CHECKING:
    import psycopg
    from psycopg import sql

__all__ = ["Postgres", "SharedConnection"]

CONNECTING = 5
"""Seconds."""
PATIENCE = 20.0
"""Seconds that one piece of work may take before its connection is cut."""
_LABELLED = ("events", "traces")
TOLERATED = 5.0
"""Seconds by which a host's clock may differ from the database's and is taken as it is."""
GRANT = "; its owner gives the right to it by `outcome-monitors state grant`"
_NO_RIGHT = "42501"
"""PostgreSQL's code for a right that a role has not."""
_KEPT_ALIVE = {"keepalives": 1, "keepalives_idle": 5, "keepalives_interval": 2, "keepalives_count": 3}


class SharedConnection:
    """A connection that takes queries as SQLite has them, with question marks."""

    def __init__(self, connection: "psycopg.Connection[tuple[Any, ...]]") -> None:
        self.raw = connection

    def execute(self, query: str, values: Sequence[object] = ()) -> "psycopg.Cursor[tuple[Any, ...]]":
        """Run a query."""
        return self.raw.execute(_translated(query), values)

    def executemany(self, query: str, rows: Iterable[Sequence[object]]) -> None:
        """Run a query for each row."""
        rows = list(rows)
        if rows:
            with self.raw.cursor() as cursor:
                cursor.executemany(_translated(query), rows)


class Postgres:
    """The state at an address. Methods open a connection each; who works often keeps one (`connect`)."""

    def __init__(self, address: StateAddress, clock: Callable[[], float] = time.time) -> None:
        self.address = address
        self.behind = 0.0
        """Seconds by which this host's clock is behind the database's, where that is more than a few."""
        self._clock = clock

    def now(self) -> float:
        """Return the time by the database's clock, as far as that is known: all hosts of a fleet go by it."""
        return self._clock() + self.behind

    def __str__(self) -> str:
        return str(self.address)

    @contextmanager
    def reading(self, patience: float = PATIENCE) -> Iterator[SharedConnection]:
        """Give a connection that reads one state of all tables; refuse where there is none, or a later release's."""
        with self.told(), self.connect_to_read() as connection, cut_after(connection, patience):
            connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            refuse_other(connection, self.address)
            yield SharedConnection(connection)

    @contextmanager
    def writing(self, patience: float = PATIENCE) -> Iterator[SharedConnection]:
        """Give a connection in one transaction; tables that are not there yet are made."""
        with self.told(), self.connect() as connection, cut_after(connection, patience):
            prepare(connection, self.address)
            yield SharedConnection(connection)

    def connect(self) -> "psycopg.Connection[tuple[Any, ...]]":
        """Open a connection whose names are those of the fleet; who asks closes it."""
        try:
            import psycopg  # noqa: PLC0415 - an extra
        except ImportError as error:
            raise MissingExtra("a fleet's state in PostgreSQL", "psycopg", "postgres") from error
        connection = psycopg.connect(
            self.address.dsn,
            connect_timeout=CONNECTING,
            application_name="outcome-monitors",
            **_KEPT_ALIVE,
        )
        try:
            with cut_after(connection, CONNECTING):
                found = connection.execute(
                    "SELECT extract(epoch FROM clock_timestamp())::float8, set_config('search_path', quote_ident(%s), false),"
                    " set_config('lock_timeout', '10s', false)",
                    (self.address.schema,),
                ).fetchone()
                connection.commit()
                behind = 0.0 if found is None else float(found[0]) - self._clock()
                self.behind = behind if abs(behind) > TOLERATED else 0.0
        except BaseException:
            connection.close()
            raise
        return connection

    def connect_to_write(self, patience: float = PATIENCE) -> "psycopg.Connection[tuple[Any, ...]]":
        """Open a connection to tables that are there, or are made now; a transaction on it is what says so. Who asks closes it."""
        connection = self.connect()
        try:
            with cut_after(connection, patience):
                prepare(connection, self.address)
                connection.commit()
                connection.autocommit = True
        except BaseException:
            connection.close()
            raise
        return connection

    def connect_to_read(self) -> "psycopg.Connection[tuple[Any, ...]]":
        """Open a connection that sees, of events and traces, those with the labels of the address; who asks closes it."""
        connection = self.connect()
        labels = self.address.labels.items()
        try:
            if labels:
                # Before the views, so that what is not there is said as it is without labels.
                refuse_other(connection, self.address)
            for table in _LABELLED if labels else ():
                # A view of this connection alone, which is found before the table of that name.
                connection.execute(_narrowed(self.address.schema, table, labels))
            connection.commit()
        except BaseException:
            connection.close()
            raise
        return connection

    @contextmanager
    def told(self) -> Iterator[None]:
        """Turn what the driver says into a sentence."""
        try:
            yield
        except StateError:
            raise
        except Exception as error:
            if not _from_the_driver(error):
                raise
            raise StateError(f"the state at {self} cannot be used: {self._shown(error)}") from error

    def _shown(self, error: Exception) -> str:
        reason = str(error).strip().partition("\n")[0] or type(error).__name__
        secret = self.address.secret
        hint = GRANT if getattr(error, "sqlstate", None) == _NO_RIGHT else ""
        return (reason.replace(secret, "***") if secret else reason) + hint


def _narrowed(schema: str, table: str, labels: Sequence[tuple[str, str]]) -> "sql.Composed":
    from psycopg import sql  # noqa: PLC0415 - an extra

    whole = sql.SQL("{}.{}").format(sql.Identifier(schema), sql.Identifier(table))
    parts = [sql.SQL("{} = {}").format(sql.Identifier(name), sql.Literal(value)) for name, value in labels]
    return sql.SQL("CREATE TEMP VIEW {} AS SELECT * FROM {} WHERE {}").format(
        sql.Identifier(table), whole, sql.SQL(" AND ").join(parts)
    )


def _from_the_driver(error: Exception) -> bool:
    return type(error).__module__.partition(".")[0] == "psycopg"


@contextmanager
def cut_after(connection: "psycopg.Connection[tuple[Any, ...]]", seconds: float) -> Iterator[None]:
    """Cut a connection that a block keeps for longer than so many seconds; the block then fails."""
    timer = threading.Timer(seconds, _cut, [connection])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _cut(connection: "psycopg.Connection[tuple[Any, ...]]") -> None:
    with (
        suppress(Exception),
        socket.socket(fileno=socket.dup(connection.fileno())) as end,
    ):  # whatever it is by then, it is not ours to mend
        end.shutdown(socket.SHUT_RDWR)


@lru_cache(maxsize=256)
def _translated(query: str) -> bytes:
    """Return a query of ours with the driver's marks for values."""
    return query.replace("%", "%%").replace("?", "%s").encode()
