"""Where events are kept: an SQLite store, safe under many processes, or a file of JSON lines."""

import logging
import os
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Protocol

from outcome_monitors.state.event_file import MOST_BYTES, EventFile, bound
from outcome_monitors.values.database_files import fits, is_torn, put_aside
from outcome_monitors.values.files import FilePath, append, private_folder

from .background import Background
from .event import Event, Payload
from .insertion import insert
from .rows import TABLE, escaped_line, line_of

__all__ = ["Fan", "JsonLines", "QueuedStore", "Sink", "Store", "default_store"]

log = logging.getLogger("outcome_monitors.events")


class Sink(Protocol):
    """Takes events; neither waits nor raises."""

    def put(self, event: Event) -> None:
        """Take one event."""

    def close(self) -> None:
        """Write what still waits."""

    @property
    def lost(self) -> int:
        """How many events could not be written."""


def default_store() -> Path:
    """Return where events go unless someone says otherwise."""
    state = os.environ.get("XDG_STATE_HOME") or "~/.local/state"
    return Path(state).expanduser() / "outcome-monitors" / "events.sqlite"


class QueuedStore:
    """What stores of events share: events wait in a queue until they are written."""

    keeps = True
    """Events are read back from it."""

    def __init__(self, background: Background[Event]) -> None:
        self.escaped = 0
        """Events that had no form as they were, and were kept in an escaped one."""
        self._background = background

    def put(self, event: Event) -> None:
        """Take one event."""
        payload = event.payload
        self._background.put(event, 0 if payload is None else _weight(payload))

    def close(self) -> None:
        """Write what still waits."""
        self._background.close()

    @property
    def lost(self) -> int:
        """How many events could not be written."""
        return self._background.lost


class Store(QueuedStore):
    """An SQLite store. Many processes may write and read it at once, and one that is killed leaves it whole.

    It holds at most so many bytes; the oldest events go first. A file that is torn, or no such store, is put aside.
    """

    def __init__(self, path: FilePath, most: int = MOST_BYTES) -> None:
        self.path = Path(path)
        self._most = most
        self._connection: sqlite3.Connection | None = None
        super().__init__(Background(f"events to {self.path}", self._write, self._stop))

    def _write(self, events: Sequence[Event]) -> None:
        try:
            if self._connection is None:
                self._connection = EventFile(self.path).opened()
            self.escaped += insert(self._connection, events)
        except Exception as error:
            # A store that was moved away or whose disk was full is opened anew.
            self._stop()
            if isinstance(error, sqlite3.Error) and is_torn(error):
                self._put_aside(error)
            raise
        bound(self._connection, self._most, len(events))

    def _put_aside(self, error: Exception) -> None:
        aside = put_aside(self.path, self._is_whole)
        if aside is not None:
            log.warning("%s is torn (%r): it is now %s, and another is begun", self.path, error, aside)

    def _is_whole(self) -> bool:
        with closing(EventFile(self.path).opened()) as connection:
            return fits(connection, (TABLE,))

    def _stop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(sqlite3.Error):
                connection.close()


class JsonLines(QueuedStore):
    """A file of JSON lines, appended to; the lines of several processes do not mix."""

    def __init__(self, path: FilePath) -> None:
        self.path = Path(path)
        super().__init__(Background(f"events to {self.path}", self._write))

    def _write(self, events: Sequence[Event]) -> None:
        private_folder(self.path.parent)
        append(self.path, "".join(f"{self._line(event)}\n" for event in events).encode())

    def _line(self, event: Event) -> str:
        try:
            return line_of(event)
        except Exception:  # noqa: BLE001 - what one event holds is not the others' affair
            self.escaped += 1
            return escaped_line(event)


class Fan:
    """Several sinks as one."""

    def __init__(self, sinks: Iterable[Sink]) -> None:
        self.sinks = tuple(sinks)

    def observe(self, stages: Callable[[], Mapping[str, str]], order: Sequence[str]) -> None:
        """Have those that measure stages do so."""
        for sink in self.sinks:
            if hasattr(sink, "observe"):
                sink.observe(stages, order)

    def put(self, event: Event) -> None:
        """Take one event."""
        for sink in self.sinks:
            sink.put(event)

    def close(self) -> None:
        """Write what still waits."""
        for sink in self.sinks:
            sink.close()

    @property
    def lost(self) -> int:
        """How many events could not be written."""
        return sum(sink.lost for sink in self.sinks)


def _weight(payload: Payload) -> int:
    return 1000 + len(payload.arguments) + len(payload.result)
