"""What hosts count together in a fleet's PostgreSQL: the rollout of tools, and what has become usual; by the same queries as in a file.

What they have counted adds up there, and what becomes of a tool is decided by one host at a time: a change that ten hosts see is one
change. Until the database is there, what is known is the host's copy.
"""

import logging
import sqlite3
import threading
import weakref
from collections.abc import Hashable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from outcome_monitors.alerting.change_store import CHANGES_FILE, ChangeStore, read_signatures
from outcome_monitors.alerting.changes import Changes
from outcome_monitors.exceptions import StateError
from outcome_monitors.learning.rollout_store import RolloutStore
from outcome_monitors.storage.labels import NO_LABELS, Labels
from outcome_monitors.storage.layout import STAGES
from outcome_monitors.storage.opening import line_of
from outcome_monitors.storage.sqlite import empty_tables, transaction
from outcome_monitors.storage.storage import PATIENCE
from outcome_monitors.storage.tables import TableConnection, columns_of

from .connections import SharedConnection
from .contract_lines import END, line_rows, row_prefix

__all__ = ["SharedChanges", "SharedStages"]


class SharedStages(RolloutStore):
    """The rollout of one line of contracts, on a connection that another opens (`on`)."""

    def __init__(self, copy: Path) -> None:
        super().__init__(copy)
        self._shared: SharedConnection | None = None
        self.line = line_of(copy.parent)

    def key(self, tool: str) -> str:
        """Return what a tool is called where all lines are; the host's copy has one."""
        return tool if self._shared is None else f"{row_prefix(self.line)}{tool}"

    def tools(self, key: str) -> list[str]:
        """Return the tool that a row of the line is of; nothing of a row of another."""
        if self._shared is None:
            return [key]
        prefix = row_prefix(self.line)
        tool = key[len(prefix) :]
        return [tool] if key.startswith(prefix) and END not in tool else []

    def turn(self) -> Hashable:
        """Return what is another when stages or clauses have changed, or the line is another."""
        return self.line, super().turn()

    @contextmanager
    def on(self, shared: SharedConnection) -> Iterator[None]:
        """Have all that is done in a block be done on a connection."""
        self._shared = shared
        try:
            yield
        finally:
            self._shared = None

    @contextmanager
    def together(self) -> Iterator[None]:
        """Have what is read and written in a block be one transaction, of one host at a time."""
        shared = self._connection()
        with shared.raw.transaction():
            shared.execute("SELECT pg_advisory_xact_lock(hashtextextended(current_schema() || ' stages', 3))")
            yield

    def set_aside(self) -> Path | None:
        """Leave the copy to those who make it."""
        return None

    @contextmanager
    def _reading(self) -> Iterator[TableConnection]:
        if self._shared is not None:
            yield self._shared
            return
        with closing(empty_tables(STAGES)) as nothing:
            try:
                with self._file.reading() as copy:
                    copy.execute("SELECT turn FROM turns").fetchone()
                    copy.backup(nothing)
            except sqlite3.Error:
                # There is none yet, or it is torn and is made again.
                pass
            yield nothing

    @contextmanager
    def _writing(self) -> Iterator[TableConnection]:
        shared = self._connection()
        with shared.raw.transaction():
            yield shared

    def _connection(self) -> SharedConnection:
        if self._shared is None:
            raise StateError("the fleet's database is not there")
        return self._shared


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
