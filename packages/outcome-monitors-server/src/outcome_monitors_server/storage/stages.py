"""The rollout of all tools in a fleet's PostgreSQL, by the same queries as in a file.

What hosts have counted adds up there, and what becomes of a tool is decided by one host at a time on all of it: a change that ten
hosts see is one change. Until the database is there, stages and clauses are those of the host's copy, which nobody writes.
"""

import sqlite3
from collections.abc import Hashable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from outcome_monitors.exceptions import StateError
from outcome_monitors.learning.rollout_store import RolloutStore
from outcome_monitors.storage.layout import STAGES
from outcome_monitors.storage.opening import line_of
from outcome_monitors.storage.sqlite import empty_tables
from outcome_monitors.storage.tables import TableConnection

from .connections import SharedConnection
from .contract_lines import END, row_prefix

__all__ = ["SharedStages"]


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
