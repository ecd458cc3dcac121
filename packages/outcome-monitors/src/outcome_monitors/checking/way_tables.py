"""Homes of the table of ways: a file that processes of a host share, and memory.

Whoever exchanges with one has it alone for that while.
"""

import sqlite3
import threading
import weakref
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Protocol

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.state.tables import CHANGES_TABLES, CHANGES_VERSION as VERSION, TableConnection
from outcome_monitors.values.database_files import fits, put_aside
from outcome_monitors.values.files import make_private

__all__ = ["WayFile", "WayMemory", "WayTable"]

HASTE = 0.2


class WayTable(Protocol):
    """A home of ways."""

    def alone(self, patience: float) -> Any:
        """Give a connection in a transaction that nobody else is in, as a context."""

    def mended(self, error: Exception) -> Path | None:
        """Put what is torn aside, and say where it is; None where nothing can be done."""


class WayFile:
    """An SQLite file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __str__(self) -> str:
        return str(self.path)

    @contextmanager
    def alone(self, patience: float) -> Iterator[TableConnection]:
        """Give the file, which is made where there is none."""
        make_private(self.path)
        with closing(sqlite3.connect(self.path, timeout=patience, isolation_level=None)) as file:
            # One transaction for all of it: two processes that make the file at once must not meet half of it.
            file.execute("BEGIN IMMEDIATE")
            with file:
                _prepare(file)
                yield file

    def mended(self, _error: Exception) -> Path | None:
        """Put a file that is none of ours, or torn, out of the way; what is of a later version stays."""
        return put_aside(self.path, self._is_whole)

    def _is_whole(self) -> bool:
        with closing(sqlite3.connect(self.path, timeout=HASTE)) as file:
            _refuse_later(file)
            return fits(file, CHANGES_TABLES)


class WayMemory:
    """A table in memory, between threads of a process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._rows = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        _prepare(self._rows)
        # It goes with the last one who knows of it; at the end of the process a thread may still be at work on it.
        weakref.finalize(self, self._rows.close).atexit = False

    def __str__(self) -> str:
        return "memory"

    @contextmanager
    def alone(self, patience: float) -> Iterator[TableConnection]:
        """Give the table to one thread."""
        if not self._lock.acquire(timeout=patience):
            raise TimeoutError("another thread has it")
        try:
            self._rows.execute("BEGIN")
            with self._rows:
                yield self._rows
        finally:
            self._lock.release()

    def mended(self, _error: Exception) -> Path | None:
        """Nothing of it can be torn."""
        return None


def _prepare(file: sqlite3.Connection) -> None:
    if _refuse_later(file) == 0:
        for statement in CHANGES_TABLES:
            file.execute(statement)


def _refuse_later(file: sqlite3.Connection) -> int:
    version: int = file.execute("PRAGMA user_version").fetchone()[0]
    if version not in (0, VERSION):
        raise OutcomeMonitorsError(f"it is of version {version}, and this reads {VERSION}")
    return version
