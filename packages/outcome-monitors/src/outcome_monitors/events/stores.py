"""Where events are written: an SQLite store, safe under many processes, or a file of JSON lines; and what names each sink."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.files import FilePath, append, private_folder
from outcome_monitors.storage.event_file import MOST_BYTES, EventFile

from .event import Event, line_of, storable_event, storable_row
from .sinks import Background, QueuedStore, Sink, fanned

STORES, LINES = (".sqlite", ".sqlite3", ".db"), (".jsonl",)


class Store(QueuedStore):
    """An SQLite store. Many processes may write and read it at once, and one that is killed leaves it whole.

    It holds at most so many bytes; the oldest events go first.
    """

    def __init__(self, path: FilePath, most: int = MOST_BYTES) -> None:
        self.path = Path(path)
        self._file = EventFile(self.path, most)
        super().__init__(Background(f"events to {self.path}", self._write))

    def _write(self, events: Sequence[Event]) -> None:
        rows = [storable_row(event) for event in events]
        self._file.append(row for row, _ in rows)
        self.escaped += sum(escaped for _, escaped in rows)


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
    """Return the sink of a store (`.sqlite`), a file (`.jsonl`), `otel`, `prometheus`, `default`, or None."""
    if where is None or where == "none":
        return None
    if where == "otel":
        from .otel import exporting  # noqa: PLC0415 - an extra

        return exporting()
    if where == "prometheus":
        from .prometheus import of_process  # noqa: PLC0415 - an extra

        return of_process()
    if where == "default":
        return Store(default_store())
    if where.endswith(STORES):
        return Store(where)
    if where.endswith(LINES):
        return JsonLines(where)
    raise OutcomeMonitorsError(
        f"events cannot go to {where!r}: name a file that ends in .sqlite or .jsonl, otel, prometheus, default, or none"
    )


def open_sinks(where: Iterable[str]) -> Sink | None:
    """Return the sinks of several words as one."""
    return fanned(*map(open_sink, where))
