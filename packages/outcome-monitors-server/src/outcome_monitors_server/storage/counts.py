"""What hosts count together in a fleet's PostgreSQL: the rollout of tools, and what has become usual; by the same verbs as in a file.

What they have counted adds up there, and what becomes of a tool is decided by one host at a time: a change that ten hosts see is one
change. Until the database is there, what is known is the host's copy.
"""

import logging
import sqlite3
import threading
import weakref
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from pathlib import Path

from outcome_monitors.alerting.change_store import ChangeStore, read_signatures
from outcome_monitors.alerting.changes import Changes
from outcome_monitors.exceptions import StateError
from outcome_monitors.storage.layout import CHANGES, STAGES
from outcome_monitors.storage.sqlite import TableFile, empty_tables, transaction
from outcome_monitors.storage.storage import PATIENCE
from outcome_monitors.storage.tables import Rows

from .connections import SharedConnection

log = logging.getLogger("outcome_monitors")

_LOCKS = {STAGES: ("stages", 3), CHANGES: ("ways", 4)}


def lock_tables(shared: SharedConnection, file: str) -> None:
    """Have what follows in a transaction be done by one host at a time, for tables that hosts count in together."""
    if file in _LOCKS:
        lock, number = _LOCKS[file]
        query = "SELECT pg_advisory_xact_lock(hashtextextended(current_schema() || ?, ?))"
        shared.execute(query, (f" {lock}", number))


class SharedTables:
    """Tables of a fleet, on a connection that another opens (`on`); until then, those of the host's copy."""

    def __init__(self, copy: Path) -> None:
        self._copy = TableFile(copy, copy.name)
        self._shared: SharedConnection | None = None

    def __str__(self) -> str:
        return f"the fleet's {self._copy.path.stem}"

    @contextmanager
    def on(self, shared: SharedConnection) -> Iterator[None]:
        """Have all that is done in a block be done on a connection outside of a transaction."""
        self._shared = shared
        try:
            yield
        finally:
            self._shared = None

    @contextmanager
    def reading(self) -> Iterator[Rows]:
        """Give the rows; of a copy that is torn, and is made again, nothing."""
        if self._shared is not None:
            yield self._shared
            return
        with ExitStack() as opened:
            try:
                rows = opened.enter_context(self._copy.reading())
            except sqlite3.Error:
                rows = Rows(opened.enter_context(closing(empty_tables(self._copy.path.name))))
            yield rows

    @contextmanager
    def writing(self, _patience: float) -> Iterator[Rows]:
        """Give the rows in one transaction, of one host at a time."""
        if self._shared is None:
            raise StateError("the fleet's database is not there")
        with self._shared.raw.transaction():
            lock_tables(self._shared, self._copy.path.name)
            yield self._shared

    def set_aside(self) -> Path | None:
        """Leave what is wrong there to its operators, and the copy to those who make it."""
        return None


class SharedChanges:
    """Keeps a table in memory in step with a fleet's."""

    def __init__(self, copy: Path) -> None:
        """Begin with what a host's copy of the fleet's state has."""
        self.table = MemoryTable()
        """What the policy exchanges with."""
        self._changes, self._home = Changes(), SharedTables(copy / CHANGES)
        self._begin_with(copy / CHANGES)
        self._there = ChangeStore(self._home, self._changes, known=True)
        self._here = ChangeStore(self.table, self._changes)

    def exchange(self, shared: SharedConnection) -> None:
        """Carry what is new either way, on a connection outside of a transaction."""
        self._here.exchange()
        with self._there.undone(), self._home.on(shared):
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
        self._connection = empty_tables(CHANGES)
        # It goes with the last one who knows of it; at the end of the process a thread may still be at work on it.
        weakref.finalize(self, self._connection.close).atexit = False

    def reading(self) -> AbstractContextManager[Rows]:
        """Give the table to one thread."""
        return self.writing(PATIENCE)

    @contextmanager
    def writing(self, patience: float) -> Iterator[Rows]:
        """Give the table to one thread, in one transaction."""
        if not self._lock.acquire(timeout=patience):
            raise TimeoutError("another thread has it")
        try:
            with transaction(self._connection):
                yield Rows(self._connection)
        finally:
            self._lock.release()

    def set_aside(self) -> Path | None:
        """Nothing of it can be torn."""
        return None
