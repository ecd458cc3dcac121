"""Sinks of events: an SQLite store, safe under many processes, a file of JSON lines, or several as one."""

import logging
import os
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.jsonvalue.files import FilePath, append, private_folder
from outcome_monitors.jsonvalue.folders import EVENTS
from outcome_monitors.storage.event_file import BUSY, INSERT, MOST_BYTES, bound
from outcome_monitors.storage.sqlite import TableFile, is_torn, transaction

from .background import Background, QueuedSink
from .event import Event
from .rows import line_of, row_of, storable_event

__all__ = [
    "Fan",
    "JsonLines",
    "QueuedStore",
    "Sink",
    "Store",
    "default_store",
    "fanned",
    "open_sink",
    "open_sinks",
]

log = logging.getLogger("outcome_monitors.events")

WEIGHT = 1000
"""Bytes that a payload takes beside its texts, roughly."""
STORES, LINES = (".sqlite", ".sqlite3", ".db"), (".jsonl",)


class Sink(Protocol):
    """Takes events; neither waits nor raises."""

    def put(self, event: Event) -> None:
        """Take one event."""

    def close(self) -> None:
        """Write what still waits."""

    @property
    def lost(self) -> int:
        """How many events could not be written."""


class QueuedStore(QueuedSink[Event]):
    """A sink that events can be read back from."""

    escaped = 0
    """Events that had no form as they were, and were kept in an escaped one."""

    def put(self, event: Event) -> None:
        """Take one event."""
        self._background.put(event, 0 if event.payload is None else WEIGHT + sum(map(len, event.payload)))


class Store(QueuedStore):
    """An SQLite store. Many processes may write and read it at once, and one that is killed leaves it whole.

    It holds at most so many bytes; the oldest events go first. A file that is torn, or no such store, is put aside.
    """

    def __init__(self, path: FilePath, most: int = MOST_BYTES) -> None:
        self.path = Path(path)
        self._file, self._most = TableFile(self.path, EVENTS), most
        self._connection: sqlite3.Connection | None = None
        super().__init__(Background(f"events to {self.path}", self._write, self._stop))

    def _write(self, events: Sequence[Event]) -> None:
        try:
            if self._connection is None:
                self._connection = self._file.opened(BUSY)
            with transaction(self._connection):
                self.escaped += sum(_insert_one(self._connection, event) for event in events)
        except Exception as error:
            # A store that was moved away or whose disk was full is opened anew.
            self._stop()
            if isinstance(error, sqlite3.Error) and is_torn(error) and (aside := self._file.set_aside()):
                log.warning("%s is torn (%r): it is now %s, and another is begun", self.path, error, aside)
            raise
        bound(self._connection, self._most, len(events))

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
            return line_of(storable_event(event))


class Fan:
    """Several sinks as one."""

    def __init__(self, sinks: Iterable[Sink]) -> None:
        self.sinks: tuple[Sink, ...] = tuple(
            each for sink in sinks for each in (sink.sinks if isinstance(sink, Fan) else (sink,))
        )

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


def default_store() -> Path:
    """Return where events go unless someone says otherwise."""
    state = os.environ.get("XDG_STATE_HOME") or "~/.local/state"
    return Path(state).expanduser() / "outcome-monitors" / "events.sqlite"


def open_sink(where: str | None) -> Sink | None:
    """Return the sink of a store (`.sqlite`), a file (`.jsonl`), `otel`, `default`, or None."""
    if where is None or where == "none":
        return None
    if where == "otel":
        from .otel import exporting  # noqa: PLC0415 - an extra

        return exporting()
    if where == "default":
        return Store(default_store())
    if where.endswith(STORES):
        return Store(where)
    if where.endswith(LINES):
        return JsonLines(where)
    raise OutcomeMonitorsError(
        f"events cannot go to {where!r}: name a file that ends in .sqlite or .jsonl, otel, default, or none"
    )


def open_sinks(where: Iterable[str]) -> Sink | None:
    """Return the sinks of several words as one."""
    return fanned(*map(open_sink, where))


def fanned(*sinks: Sink | None) -> Sink | None:
    """Return several sinks as one; those that are None are none."""
    known = [sink for sink in sinks if sink is not None]
    return known[0] if len(known) == 1 else Fan(known) if known else None


def _insert_one(connection: sqlite3.Connection, event: Event) -> bool:
    """Write an event; say whether it had no form as it was, and was written in an escaped one."""
    try:
        connection.execute(INSERT, (None, *row_of(event)))
    except sqlite3.OperationalError:
        # It is the file, not the event.
        raise
    except Exception:  # noqa: BLE001 - whatever the event holds
        connection.execute(INSERT, (None, *row_of(storable_event(event))))
        return True
    return False
