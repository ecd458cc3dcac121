"""The state of a fleet in PostgreSQL: the verbs of `outcome_monitors.state.storage.Storage`, and what only a fleet has."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from outcome_monitors.contracts.identity import known_clauses
from outcome_monitors.contracts.registry import Registry, owned
from outcome_monitors.exceptions import StateError
from outcome_monitors.model import Clause
from outcome_monitors.state.address import StateAddress
from outcome_monitors.state.labels import NO_LABELS, Labels
from outcome_monitors.state.shared import PATIENCE, lines_known
from outcome_monitors.state.storage import Busy, End, Near, RecordedLine
from outcome_monitors.state.tables import columns_of
from outcome_monitors.traces.lines import Line
from outcome_monitors.values.database_files import storable
from outcome_monitors.values.folders import CONTRACTS, VERSIONS

from .connections import TOLERATED, Connection, Connections, SharedConnection, cut_after, without_nul
from .contract_lines import composed, named_for, split
from .documents import NAMES, changing, put
from .schema import refuse_other

__all__ = ["TOLERATED", "Postgres", "SharedConnection"]

LONG = 3600.0
"""Seconds that work on all of a table may take."""
FETCHING = 6 * PATIENCE
"""Seconds that one batch of rows may take: the first of them wait for the server to begin."""
PAGE, RECENT = 2000, 100
"""Lines that are taken from the database at once, and where the newest are asked for."""
AT_ONCE, BATCH = 20_000, 1000
"""Events that are deleted in one transaction, and lines."""
_NUMBERED = {"events": "id", "traces": "id", "versions": "number"}
"""Tables whose rows the database numbers, and by which column."""
_TRACES = ("time", "tool", "session", "line", *Labels._fields)
_BEYOND = """
SELECT max(id) FROM (SELECT id, sum(octet_length(line)) OVER (ORDER BY id DESC) AS size FROM traces) AS sizes WHERE size > ?
HAVING max(id) IS NOT NULL"""
_LEARNING = "hashtextextended(%s, 3)"
_LEARNER = f"""SELECT a.application_name, a.client_addr::text FROM pg_locks l JOIN pg_stat_activity a USING (pid)
WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1 AND l.database = a.datid
AND (l.classid::bigint << 32 | l.objid::bigint) = {_LEARNING}"""  # noqa: S608 - a text of our own


class Postgres(Connections):
    """The state at an address."""

    labelled = True

    @property
    def labels(self) -> Labels:
        """For whom contracts and decisions are meant here."""
        return self.address.labels

    def documents(self) -> dict[str, str]:
        """Return the small files, those of lines too."""
        with self.reading() as shared:
            return _documents(shared)

    def put(self, name: str, body: str) -> None:
        """Put a document in the place of the one before it, and tell all hosts."""
        with changing(self, name) as shared:
            put(shared, self.address, name, body)

    def table(self, _name: str, *, change: bool = False) -> AbstractContextManager[SharedConnection]:
        """Give a connection to a table: all are in one database."""
        return self.writing(LONG) if change else self.reading(LONG)

    def fill(self, table: str, rows: Iterable[Sequence[Any]], *, labelled: bool = False) -> int:
        """Write rows of a table."""
        with self.writing(LONG) as shared:
            # The rows of a counter are there from the first.
            shared.execute(f"DELETE FROM {table}")  # noqa: S608 - a name of our own
            return _copied(shared, table, columns_of(table, labelled=labelled), rows)

    def recorded_lines(self) -> Iterator[RecordedLine]:
        """Yield the recorded lines; they come as they are asked for."""
        with self.reading(LONG) as shared, shared.raw.cursor(name="outcome_monitors") as rows:
            rows.itersize = BATCH
            rows.execute("SELECT id, line, service, environment, server, agent FROM traces ORDER BY id")
            for number, line, *labels in rows:
                yield RecordedLine(("traces", number), line, Labels(*labels))

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

    def record(self, lines: Iterable[RecordedLine]) -> int:
        """Write recorded lines behind those that are there."""
        rows = ((line.seconds, line.tool, line.session, line.text, *line.labels) for line in lines)
        with self.writing(LONG) as shared:
            return _copied(shared, "traces", _TRACES, rows)

    def drop(self, places: Collection[tuple[str, int]]) -> None:
        """Delete recorded lines."""
        numbers = sorted(number for _, number in places)
        with self.writing(LONG) as shared:
            for start in range(0, len(numbers), BATCH):
                shared.execute("DELETE FROM traces WHERE id = ANY(?)", (numbers[start : start + BATCH],))

    def bound_lines(self, since: float | None, most: int | None, *, dry: bool) -> int:
        """Delete the recorded lines from before a time, and of more than so many bytes the oldest."""
        with self.writing(LONG) as shared:
            beyond = None if most is None else shared.execute(_BEYOND, (most,)).fetchone()
            values = (since, since, beyond[0] if beyond else -1)
            condition = "(?::double precision IS NOT NULL AND time < ?) OR id <= ?"
            what = "SELECT id" if dry else "DELETE"
            # What is only counted is numbered and thrown away.
            return int(shared.execute(f"{what} FROM traces WHERE {condition}", values).rowcount)

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

    def tidy(self) -> None:
        """Have the space of deleted rows used again; who may not is told nothing, since the database does so by itself in time."""
        with self.told(), self.connect() as connection:
            connection.autocommit = True
            for table in (*_NUMBERED, "documents", "clauses", "ways"):
                connection.execute(f"VACUUM {table}".encode())

    @contextmanager
    def versions(self, *, change: bool = False) -> Iterator["FleetVersions"]:
        """Give the versions of contracts for one step; of several at once each waits for the others."""
        with changing(self, VERSIONS) if change else self.reading() as shared:
            yield FleetVersions(self.address, shared)

    @contextmanager
    def snapshot(self) -> Iterator["TableSnapshot"]:
        """Give the traces with the labels of the address as they are now; the transaction lasts as long as the work."""
        with self.told(), self.connect_to_read() as connection:
            with cut_after(connection, PATIENCE):
                # The work between two batches may take longer than an administrator lets transactions wait.
                connection.execute("SET idle_in_transaction_session_timeout = 0")
                connection.commit()
                connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
                refuse_other(connection, self.address)
            yield TableSnapshot(self, connection)

    @contextmanager
    def learning(self, name: str) -> Iterator[Callable[[], None]]:
        """Hold the lock of the one who learns, under a name that others are told; give what fails where it was lost."""
        # Labels that can have no contracts are refused before the work. Each line of contracts has its own learner.
        key = (named_for(f"{self.address.schema} learn", self.labels),)
        with self.told(), closing(self.connect()) as connection:
            with cut_after(connection, PATIENCE):
                refuse_other(connection, self.address)
                connection.commit()
                connection.autocommit = True
                connection.execute("SELECT set_config('application_name', %s, false)", (name,))
                held = connection.execute(
                    f"SELECT pg_try_advisory_lock({_LEARNING})".encode(), key
                ).fetchone()
                if held != (True,):
                    who, host = connection.execute(_LEARNER.encode(), key).fetchone() or ("", "")
                    raise Busy(
                        f"{who or 'another'}{f', from {host},' if who and host else ''} learns at {self}"
                    )
            yield lambda: self._refuse_lost(connection)

    def _refuse_lost(self, connection: Connection) -> None:
        try:
            with cut_after(connection, PATIENCE):
                connection.execute("SELECT 1")
        except Exception as error:
            raise StateError(
                f"the lock at {self} was lost while contracts were mined: nothing is written, and they are mined again"
            ) from error

    def clauses_of_other_lines(self, copy: Path) -> dict[str, tuple[str, Clause]]:
        """Return the clauses of contracts that are for some of those whose state this is: their alarms are here too."""
        found = dict[str, tuple[str, Clause]]()
        lines = [Labels.read(text) for text in lines_known(copy).get("others", ())]
        names = [named_for(CONTRACTS, line) for line in lines if self.labels.hold_for(line)]
        if names:
            with self.reading() as shared:
                rows = shared.execute(
                    "SELECT name, body FROM documents WHERE name = ANY(?) AND body <> ''", (names,)
                ).fetchall()
            for name, body in rows:
                found |= known_clauses(owned(Registry.loads(body, name)))
        return found

    @contextmanager
    def changing_decisions(self, name: str) -> Iterator["DecisionsDocument"]:
        """Give what people have decided to be changed by one at a time; whoever names labels decides for those who have them."""
        from .copies import refresh  # noqa: PLC0415 - it is made of this class

        document = named_for(name, self.labels)
        with changing(self, document) as shared:
            yield DecisionsDocument(self, shared, document, name)
        # It holds; who looks into the copy next, looks again.
        with suppress(StateError):
            refresh(self, self.address.cache)


class DecisionsDocument:
    """What people have decided, while one of them decides."""

    def __init__(self, state: Postgres, shared: SharedConnection, document: str, name: str) -> None:
        row = shared.execute("SELECT body FROM documents WHERE name = ?", (document,)).fetchone()
        self.text: str | None = None if row is None else row[0]
        self.name = f"{name} of {state}"
        self._address, self._shared, self._document = state.address, shared, document

    def put(self, text: str, by: str) -> None:
        """Put another in its place."""
        put(self._shared, self._address, self._document, text, by)


class FleetVersions:
    """The table of versions and the documents beside it, in one transaction."""

    def __init__(self, address: StateAddress, shared: SharedConnection) -> None:
        self._address, self._shared = address, shared
        self.labels = address.labels

    def rows(self, query: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Run a query and return its rows; of one that gives none, nothing."""
        found = self._shared.execute(query, values)
        return found.fetchall() if found.description is not None else []

    def document(self, name: str, line: Labels = NO_LABELS) -> str | None:
        """Return what a document of a line says."""
        found = self.rows("SELECT body FROM documents WHERE name = ?", (named_for(name, line),))
        return str(found[0][0]) or None if found else None

    def put(self, name: str, body: str, by: str, line: Labels = NO_LABELS) -> None:
        """Put a document of a line in the place of the one before it."""
        put(self._shared, self._address, named_for(name, line), body, by)


class TableSnapshot:
    """The table of traces in a transaction that sees one state of it: what comes in or goes meanwhile is neither seen nor missed."""

    def __init__(self, state: Postgres, connection: Connection) -> None:
        self._state, self._connection = state, connection
        self.names = [f"traces of {state}"]

    def lines(self) -> Iterator[Line]:
        """Yield the lines in the order of their ids, which stand for their numbers."""
        with self._state.told(), self._connection.cursor(name="outcome_monitors_traces") as cursor:
            with cut_after(self._connection, FETCHING):
                cursor.execute("SELECT id, line FROM traces ORDER BY id")
            while True:
                with cut_after(self._connection, FETCHING):
                    rows = cursor.fetchmany(BATCH)
                if not rows:
                    return
                yield from ((0, int(number), text.encode()) for number, text in rows)

    def ends(self) -> tuple[End, End] | None:
        """Return the first line and the last, by id."""
        query = (
            "(SELECT id, time FROM traces ORDER BY id LIMIT 1) UNION ALL"
            " (SELECT id, time FROM traces ORDER BY id DESC LIMIT 1)"
        )
        with self._state.told(), cut_after(self._connection, FETCHING):
            rows = self._connection.execute(query).fetchall()
        if not rows:
            return None
        first, last = ({"id": int(number), "time": float(time)} for number, time in rows)
        return first, last

    def documents(self) -> dict[str, str]:
        """Return the documents as they are for those with the labels of the address."""
        labels = self._state.labels
        with self._state.told(), cut_after(self._connection, FETCHING):
            found = _documents(SharedConnection(self._connection))
        bodies = {split(name): body for name, body in found.items()}
        return composed({one: body for one, body in bodies.items() if one[1].hold_for(labels)}, labels)[1]


def _documents(shared: SharedConnection) -> dict[str, str]:
    found = shared.execute("SELECT name, body FROM documents ORDER BY name").fetchall()
    return {str(name): str(body) for name, body in found if split(name)[0] in NAMES}


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
