"""What has become usual in a fleet: counted on each host on the way of results, in memory, and exchanged with the database beside it.

Between the two stands a table in memory: the policy adds to it as it would to a file, and a thread that may wait for the database
carries what is new either way. A task that two hosts have seen is one witness, and a change that ten of them see is one change.
"""

import logging
import sqlite3
import threading
import weakref
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from outcome_monitors.alerting.change_store import CHANGES_FILE, ChangeStore, read_signatures
from outcome_monitors.alerting.changes import Changes
from outcome_monitors.storage.labels import NO_LABELS, Labels
from outcome_monitors.storage.opening import line_of
from outcome_monitors.storage.sqlite import empty_tables, transaction
from outcome_monitors.storage.storage import PATIENCE
from outcome_monitors.storage.tables import TableConnection, columns_of

from .connections import SharedConnection
from .contract_lines import line_rows, row_prefix

__all__ = ["SharedChanges"]

log = logging.getLogger("outcome_monitors")

LONGEST = 2000
"""Bytes of the name of a way that an index of the database takes for sure."""


class SharedChanges:
    """Keeps a table in memory in step with a fleet's."""

    def __init__(self, copy: Path) -> None:
        """Begin with what a host's copy of the fleet's state has."""
        self.table = MemoryTable()
        """What the policy exchanges with."""
        self._changes, self._home = Changes(), SignaturesOnConnection()
        self._home.line = line_of(copy)
        self._begin_with(copy / CHANGES_FILE)
        self._there = ChangeStore(self._home, self._changes, known=True)
        self._here = ChangeStore(self.table, self._changes)

    def exchange(self, shared: SharedConnection, line: Labels = NO_LABELS) -> None:
        """Carry what is new either way, on a connection outside of a transaction, with what a line has in the database."""
        self._here.exchange()
        if line != self._home.line:
            self._home.line = line
            self._there.look_anew()
        with self._there.undone(), shared.raw.transaction():
            self._home.shared = shared
            self._there.join(PATIENCE)
        self._here.exchange()

    def _begin_with(self, file: Path) -> None:
        try:
            for way, novelty in read_signatures(file) if file.exists() else ():
                self._changes.put(way, novelty)
        except (OSError, sqlite3.Error) as error:
            log.warning(
                "%s cannot be read; what has become usual is known when the database is: %s", file, error
            )


class MemoryTable:
    """A table in memory, between threads of a process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._rows = empty_tables(CHANGES_FILE)
        # It goes with the last one who knows of it; at the end of the process a thread may still be at work on it.
        weakref.finalize(self, self._rows.close).atexit = False

    @contextmanager
    def writing(self, patience: float) -> Iterator[TableConnection]:
        """Give the table to one thread."""
        if not self._lock.acquire(timeout=patience):
            raise TimeoutError("another thread has it")
        try:
            with transaction(self._rows):
                yield self._rows
        finally:
            self._lock.release()

    def set_aside(self) -> Path | None:
        """Nothing of it can be torn."""
        return None


class SignaturesOnConnection:
    """The table of a fleet, on a connection that another has opened, in a transaction that is his."""

    def __init__(self) -> None:
        self.shared: SharedConnection | None = None
        self.line = NO_LABELS
        """The line whose ways these are."""

    def __str__(self) -> str:
        return "the fleet's table of changes"

    @contextmanager
    def writing(self, _patience: float) -> Iterator[TableConnection]:
        """Give the connection to one host; the lock goes with the transaction."""
        self.execute("SELECT pg_advisory_xact_lock(hashtextextended(current_schema() || ' ways', 4))")
        yield self

    def set_aside(self) -> Path | None:
        """Leave what is wrong there to its operators."""
        return None

    def execute(self, query: str, values: Sequence[Any] = (), /) -> Any:
        """Run a query, on the ways of the line."""
        assert self.shared is not None
        of_line = f"FROM {line_rows('ways', columns_of('ways'), self.line)} AS ways WHERE"
        return self.shared.execute(query.replace("FROM ways WHERE", of_line), values)

    def executemany(self, query: str, rows: Iterable[Sequence[Any]], /) -> None:
        """Write rows; a name that no index takes is left out."""
        assert self.shared is not None
        prefix = row_prefix(self.line)
        named = ((f"{prefix}{row[0]}", *row[1:]) for row in rows)
        self.shared.executemany(query, [row for row in named if len(row[0]) <= LONGEST])
