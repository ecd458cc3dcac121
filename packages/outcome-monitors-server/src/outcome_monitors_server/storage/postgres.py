"""PostgreSQL as a home of state: connections that never wait for ever, and queries in the words that SQLite has too.

A connection that hangs without closing is cut after a while by a thread of its own, so that whoever waits for it gets an error; what
the driver says becomes one sentence that shows neither user nor password.
"""

import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg import sql

from outcome_monitors.contracts.addresses import known_clauses
from outcome_monitors.contracts.owners import owned
from outcome_monitors.contracts.registry import Registry
from outcome_monitors.exceptions import StateError
from outcome_monitors.model import Clause
from outcome_monitors.state.address import StateAddress
from outcome_monitors.state.folder import Near
from outcome_monitors.state.labels import Labels
from outcome_monitors.state.shared import PATIENCE, lines_known
from outcome_monitors.values.folders import CONTRACTS

from .contract_lines import named_for
from .schema import prepare, refuse_other

if TYPE_CHECKING:
    from .decisions import DecisionsDocument

__all__ = ["Postgres", "SharedConnection"]

CONNECTING = 5
"""Seconds."""
PAGE = 2000
"""Lines that are taken from the database at once."""
RECENT = 100
"""The same, where the newest are asked for."""
AT_ONCE = 20_000
"""Events that are deleted from a database in one transaction."""
_LABELLED = ("events", "traces")
TOLERATED = 5.0
"""Seconds by which a host's clock may differ from the database's and is taken as it is."""
GRANT = "; its owner gives the right to it by `outcome-monitors state grant`"
_NO_RIGHT = "42501"
"""PostgreSQL's code for a right that a role has not."""
_KEPT_ALIVE: dict[str, Any] = {
    "keepalives": 1,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
}


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

    def pooled(self) -> "Postgres":
        """Return the same for one who asks often: connections are used again. Who asks closes it."""
        from .pool import ReadingPool  # noqa: PLC0415 - it is made of this class

        return ReadingPool(self.address)

    def close(self) -> None:
        """Let connections go; none is kept here."""

    def lines(self) -> Iterator[bytes]:
        """Yield the recorded calls, each as a line of a trace file; some at a time, so that no transaction is open for long."""
        last = 0
        while True:
            with self.reading() as shared:
                query = "SELECT id, line FROM traces WHERE id > ? ORDER BY id LIMIT ?"
                rows = shared.execute(query, (last, PAGE)).fetchall()
            for _, line in rows:
                yield line.encode()
            if len(rows) < PAGE:
                return
            last = rows[-1][0]

    def recent_lines(self, tool: str, reach: int, near: Near | None = None) -> Iterator[bytes]:
        """Yield the recorded calls of a tool, the newest first, of so many bytes together."""
        condition, values = "tool = ?", list[Any]([tool])
        if near is not None:
            # By the time of the database's clock; the line has that of its host.
            condition += " AND session IS NOT DISTINCT FROM ? AND time BETWEEN ? AND ?"
            values += near
        query = f"SELECT id, line FROM traces WHERE {condition} AND id < ? ORDER BY id DESC LIMIT {RECENT}"  # noqa: S608 - words of our own
        last, rows = 2**62, RECENT
        while reach > 0 and rows == RECENT:
            with self.reading() as shared:
                found = shared.execute(query, (*values, last)).fetchall()
            for last, line in found:  # noqa: B007 - the last one is where the next page begins
                reach -= len(line)
                yield line.encode()
            rows = len(found)

    def clauses_of_other_lines(self, copy: Path) -> dict[str, tuple[str, Clause]]:
        """Return the clauses of contracts that are for some of those whose state this is: their alarms are here too."""
        mine, found = self.address.labels, dict[str, tuple[str, Clause]]()
        lines = [Labels.read(text) for text in lines_known(copy).get("others", ())]
        names = [named_for(CONTRACTS, line) for line in lines if mine.hold_for(line)]
        if names:
            with self.reading() as shared:
                rows = shared.execute(
                    "SELECT name, body FROM documents WHERE name = ANY(?) AND body <> ''", (names,)
                ).fetchall()
            for name, body in rows:
                found |= known_clauses(owned(Registry.loads(body, name)))
        return found

    def forget_events(self, before: float) -> int:
        """Delete events that are older than a time, some at a time: nobody who writes waits for long."""
        with self.reading():
            # What is not there is not made by this.
            pass
        forgotten, gone = 0, AT_ONCE
        while gone == AT_ONCE:
            with self.writing() as shared:
                query = "DELETE FROM events WHERE id IN (SELECT id FROM events WHERE time < ? ORDER BY time LIMIT ?)"
                gone = shared.execute(query, (before, AT_ONCE)).rowcount
            forgotten += gone
        return forgotten

    def changing_decisions(self, name: str) -> "AbstractContextManager[DecisionsDocument]":
        """Give what people have decided to be changed by one at a time."""
        from .decisions import changing_decisions  # noqa: PLC0415 - it is made of this class

        return changing_decisions(self, name)

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
