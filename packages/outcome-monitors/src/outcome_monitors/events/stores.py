"""Where events are written: an SQLite store, safe under many processes, or a file of JSON lines; and what names each sink."""

import logging
import os
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.files import FilePath, append, private_folder
from outcome_monitors.storage.event_file import BUSY, INSERT, MOST_BYTES, bound
from outcome_monitors.storage.layout import EVENTS
from outcome_monitors.storage.sqlite import TableFile, is_torn, transaction

from .event import Event, line_of, row_of, storable_event
from .sinks import Background, QueuedStore, Sink, fanned

__all__ = ["JsonLines", "Store", "default_store", "open_sink", "open_sinks"]

log = logging.getLogger("outcome_monitors.events")

STORES, LINES = (".sqlite", ".sqlite3", ".db"), (".jsonl",)


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
