"""The trials of all tools in a fleet's PostgreSQL, by the same queries as in a file.

What hosts have counted adds up there, and what becomes of a tool is decided by one host at a time on all of it: a change that ten
hosts see is one change. Until the database is there, stages and clauses are those of the host's copy, which nobody writes.
"""

import sqlite3
from collections.abc import Hashable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

from outcome_monitors.exceptions import StateError
from outcome_monitors.learning.rollout import ResultCounts, ToolRollout, ToolSnapshot, Transition
from outcome_monitors.learning.rollout_store import RolloutStore
from outcome_monitors.storage.opening import line_of
from outcome_monitors.storage.sqlite_files import looking_into
from outcome_monitors.storage.tables import STAGES_TABLES, TableConnection

from .connections import SharedConnection
from .contract_lines import END, row_prefix

__all__ = ["SharedStages"]


class SharedStages(RolloutStore):
    """The trials of a fleet, on a connection that another opens (`on`)."""

    def __init__(self, copy: Path) -> None:
        super().__init__(copy)
        self._shared: SharedConnection | None = None
        self.line = line_of(copy.parent)
        """The line of contracts whose trials these are."""

    def takes(self, tool: str) -> bool:
        """Say whether a tool's name cannot be taken for that of a line with a tool."""
        return END not in tool

    def read(self) -> dict[str, ToolRollout]:
        """Return the trial of each tool of the line."""
        return {tool: trial for key, trial in super().read().items() for tool in self._tools(key)}

    def in_force(self) -> dict[tuple[str, str], str]:
        """Return what each clause of the line says that is in force."""
        found = super().in_force().items()
        return {(tool, clause): text for (key, clause), text in found for tool in self._tools(key)}

    def texts(self, tool: str) -> dict[str, str]:
        """Return what each clause of a tool of the line says."""
        return super().texts(self._key(tool))

    def turn(self) -> Hashable:
        """Return what is another when stages or clauses have changed, or the line is another."""
        return self.line, super().turn()

    def snapshot(self, tool: str) -> ToolSnapshot:
        """Return how a tool of the line stands."""
        return super().snapshot(self._key(tool))

    def add(self, counts: Mapping[str, ResultCounts]) -> None:
        """Count results of tools of the line."""
        super().add({self._key(tool): each for tool, each in counts.items()})

    def apply(self, transitions: Mapping[str, Transition]) -> None:
        """Write what becomes of tools of the line."""
        super().apply({self._key(tool): move for tool, move in transitions.items()})

    def _key(self, tool: str) -> str:
        """Return what a tool is called where all lines are; the host's copy has one."""
        return tool if self._shared is None else f"{row_prefix(self.line)}{tool}"

    def _tools(self, key: str) -> list[str]:
        """Return the tool that a row of the line is of; nothing of a row of another."""
        if self._shared is None:
            return [key]
        prefix = row_prefix(self.line)
        tool = key[len(prefix) :]
        return [tool] if key.startswith(prefix) and END not in tool else []

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
        with closing(_nothing()) as nothing:
            try:
                with looking_into(self._path) as copy:
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


def _nothing() -> sqlite3.Connection:
    empty = sqlite3.connect(":memory:", isolation_level=None)
    for statement in STAGES_TABLES:
        empty.execute(statement)
    return empty
