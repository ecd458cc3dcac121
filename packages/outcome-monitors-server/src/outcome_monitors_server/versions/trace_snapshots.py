"""All that was recorded in a state, as it is at one moment, to be read more than once with bounded memory.

A fleet's table is read in the order of its ids by a cursor on the server, in one transaction: what comes in or goes meanwhile is
neither seen nor missed. A connection that hangs is cut, and the work ends with a sentence.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from outcome_monitors.contracts.overrides import Overrides, loads
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.learning.miner import decisions_in, prune
from outcome_monitors.learning.storage import private_in
from outcome_monitors.state.shared import PATIENCE
from outcome_monitors.traces.lines import Line, file_names, read_lines
from outcome_monitors.traces.private import private_paths
from outcome_monitors.values.folders import OVERRIDES, PRIVATE, TRACES
from outcome_monitors_server.storage.contract_lines import composed, split
from outcome_monitors_server.storage.postgres import Postgres, cut_after
from outcome_monitors_server.storage.schema import refuse_other

if TYPE_CHECKING:
    import psycopg

__all__ = ["FolderSnapshot", "TableSnapshot", "TraceSnapshot", "table_snapshot"]

AT_ONCE = 1000
"""Rows that are asked for at once."""
FETCHING = 6 * PATIENCE
"""Seconds that so many may take: the first of them wait for the server to begin."""

End = dict[str, Any]


class TraceSnapshot(Protocol):
    """Recorded lines, and what people have decided about them."""

    names: list[str]
    """What the files of lines are called in reports."""

    def lines(self) -> Iterator[Line]:
        """Yield all lines, oldest first; the same whenever they are asked for."""

    def ends(self) -> tuple[End, End] | None:
        """Return where the first line and the last one stand, and when they were recorded; None where there is none."""

    def decided(self) -> Overrides:
        """Return what people have decided."""

    def private(self) -> tuple[str, ...]:
        """Return the paths whose values are kept nowhere."""


class FolderSnapshot:
    """The trace files of a folder. They grow at their ends alone: the lines that are there now are what counts."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files = prune(folder / TRACES)
        self.names = file_names(self._files)
        self._many = 0
        self._first: Line | None = None
        self._last: Line | None = None
        for line in read_lines(self._files):
            self._many += 1
            self._first, self._last = self._first or line, line

    def lines(self) -> Iterator[Line]:
        """Yield the lines of the files."""
        return islice(read_lines(self._files), self._many)

    def ends(self) -> tuple[End, End] | None:
        """Return the first line and the last, by file and line."""
        if self._first is None or self._last is None:
            return None
        return self._end(self._first), self._end(self._last)

    def decided(self) -> Overrides:
        """Return what people have decided."""
        return decisions_in(self._folder)

    def private(self) -> tuple[str, ...]:
        """Return the paths whose values are kept nowhere."""
        return private_in(self._folder)

    def _end(self, line: Line) -> End:
        time = None
        with suppress(ValueError, TypeError, AttributeError):
            time = json.loads(line[2] if isinstance(line[2], bytes) else b"").get("time")
        return {"id": f"{Path(self.names[line[0]]).name}:{line[1]}", "time": time}


class TableSnapshot:
    """The table of traces in a transaction that sees one state of it."""

    def __init__(self, state: Postgres, connection: "psycopg.Connection[tuple[Any, ...]]") -> None:
        self._state, self._connection = state, connection
        self.names = [f"traces of {state}"]

    def lines(self) -> Iterator[Line]:
        """Yield the lines in the order of their ids, which stand for their numbers."""
        with self._state.told(), self._connection.cursor(name="outcome_monitors_traces") as cursor:
            with cut_after(self._connection, FETCHING):
                cursor.execute("SELECT id, line FROM traces ORDER BY id")
            while True:
                with cut_after(self._connection, FETCHING):
                    rows = cursor.fetchmany(AT_ONCE)
                if not rows:
                    return
                yield from ((0, int(number), text.encode()) for number, text in rows)

    def ends(self) -> tuple[End, End] | None:
        """Return the first line and the last, by id."""
        rows = self._rows(
            "(SELECT id, time FROM traces ORDER BY id LIMIT 1) UNION ALL (SELECT id, time FROM traces ORDER BY id DESC LIMIT 1)"
        )
        if not rows:
            return None
        first, last = ({"id": int(number), "time": float(time)} for number, time in rows)
        return first, last

    def decided(self) -> Overrides:
        """Return what people have decided for those with the labels; nothing is mined where that cannot be read."""
        rows = self._rows(
            "SELECT name, body FROM documents WHERE split_part(name, '?', 1) = %s", (OVERRIDES,)
        )
        labels = self._state.address.labels
        bodies = {split(name): body for name, body in rows if split(name)[1].hold_for(labels)}
        text = composed(bodies, labels)[1].get(OVERRIDES)
        return Overrides() if text is None else loads(text, f"{OVERRIDES} of {self._state}")

    def private(self) -> tuple[str, ...]:
        """Return the paths whose values are kept nowhere."""
        text = self._document(PRIVATE)
        try:
            return () if text is None else private_paths(json.loads(text))
        except (ValueError, TypeError) as error:
            raise OutcomeMonitorsError(
                f"{PRIVATE} of {self._state} cannot be used, and nothing is mined without it: {error}"
            ) from None

    def _document(self, name: str) -> str | None:
        found = self._rows("SELECT body FROM documents WHERE name = %s", (name,))
        return str(found[0][0]) if found else None

    def _rows(self, query: str, values: tuple[object, ...] = ()) -> list[tuple[Any, ...]]:
        with self._state.told(), cut_after(self._connection, FETCHING):
            return [*self._connection.execute(query.encode(), values)]


@contextmanager
def table_snapshot(state: Postgres) -> Iterator[TableSnapshot]:
    """Open a fleet's traces, those with the labels of the address, as they are now; the transaction lasts as long as the work."""
    with state.told(), state.connect_to_read() as connection:
        with cut_after(connection, PATIENCE):
            # The work between two batches may take longer than an administrator lets transactions wait.
            connection.execute("SET idle_in_transaction_session_timeout = 0")
            connection.commit()
            connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            refuse_other(connection, state.address)
        yield TableSnapshot(state, connection)
