"""Connections that are used again, for one who reads a fleet's state often: a page that lives, a command that asks several things."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from outcome_monitors.state.address import StateAddress
from outcome_monitors.state.shared import PATIENCE

from .postgres import Postgres, SharedConnection, cut_after
from .schema import refuse_other

if TYPE_CHECKING:
    import psycopg

__all__ = ["ReadingPool"]

MOST_IDLE = 4


class ReadingPool(Postgres):
    """The state at an address; who has read leaves the connection to the next. For any number of threads; who made it closes it."""

    def __init__(self, address: StateAddress) -> None:
        super().__init__(address)
        self._idle: list[psycopg.Connection[tuple[Any, ...]]] = []
        self._lock = threading.Lock()
        self._closed = False

    @contextmanager
    def reading(self, patience: float = PATIENCE) -> Iterator[SharedConnection]:
        """Give a connection that reads one state of all tables; refuse where there is none, or a later release's."""
        with self.told():
            connection = self._taken(patience)
            try:
                with cut_after(connection, patience):
                    yield SharedConnection(connection)
                    connection.rollback()
            except BaseException:
                connection.close()
                raise
            self._leave(connection)

    def close(self) -> None:
        """Let the connections go; those that are in use go when they are left."""
        with self._lock:
            idle, self._idle, self._closed = self._idle, [], True
        for connection in idle:
            with suppress(Exception):
                connection.close()

    def _taken(self, patience: float) -> "psycopg.Connection[tuple[Any, ...]]":
        with self._lock:
            idle = self._idle.pop() if self._idle else None
        if idle is not None:
            try:
                self._begin(idle, patience)
            except Exception:  # noqa: BLE001 - the server has closed it meanwhile; another says whether it is there
                idle.close()
            else:
                return idle
        connection = self.connect_to_read()
        try:
            self._begin(connection, patience)
        except BaseException:
            connection.close()
            raise
        return connection

    def _begin(self, connection: "psycopg.Connection[tuple[Any, ...]]", patience: float) -> None:
        with cut_after(connection, patience):
            connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            refuse_other(connection, self.address)

    def _leave(self, connection: "psycopg.Connection[tuple[Any, ...]]") -> None:
        with self._lock:
            if len(self._idle) < MOST_IDLE and not self._closed:
                self._idle.append(connection)
                return
        connection.close()
