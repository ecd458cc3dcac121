"""Alarms and changes to every open page, as they come: one thread looks, however many pages are open.

A page that does not keep up, or whose browser has gone, is dropped; it asks again with the number of the last alarm it has, and gets
what it missed from the store.
"""

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from outcome_monitors.events import FLAGGED
from outcome_monitors.events.reader import Wanted, follow, newest
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.learning.folder import StateFolder
from outcome_monitors.state.storage import EventTable
from outcome_monitors.values.folders import CHANGES, CONTRACTS, EVENTS, OVERRIDES, STAGES

__all__ = ["Feed", "Note", "mark_of", "newest_in"]

log = logging.getLogger("outcome_monitors_server.console")

MOST_WAITING = 100
"""Notes that a page may be behind."""
AGAIN = 1.0
"""Seconds until a store that cannot be read is tried again, and until the copy of a fleet's state is brought up again."""


class Note(NamedTuple):
    """Something that happened in the folder."""

    sort: str
    """`alarm`, `changed` (something but decisions), `decided`, or `end`, behind which nothing comes."""
    alarm: dict[str, Any] | None = None


class Feed:
    """Looks into the folder, and tells the pages."""

    def __init__(
        self, state: StateFolder, refresh: Callable[[], None], loop: asyncio.AbstractEventLoop
    ) -> None:
        self._folder, self._store, self._refresh = state.path, state.events, refresh
        self._refreshed = time.monotonic()
        self._stop = threading.Event()
        self._pages: set[asyncio.Queue[Note]] = set()
        self._loop = loop
        self._begin = self._newest()
        self._marks = self._looks()
        self._anew = False
        self._thread = threading.Thread(target=self._run, name="console feed", daemon=True)
        self._thread.start()

    @contextmanager
    def page(self) -> Iterator[asyncio.Queue[Note]]:
        """Give what a page is told by, for as long as it is open."""
        notes: asyncio.Queue[Note] = asyncio.Queue(MOST_WAITING)
        self._pages.add(notes)
        try:
            yield notes
        finally:
            self._pages.discard(notes)

    def close(self) -> None:
        """Stop looking, and let the pages go."""
        self._stop.set()
        self._tell(Note("end"))
        self._thread.join(AGAIN)

    def _newest(self) -> int | None:
        try:
            return newest(self._store)
        except (OutcomeMonitorsError, OSError):
            return None

    def _run(self) -> None:
        after = self._begin
        while not self._stop.is_set():
            try:
                # Not from the first on, because it could not be read once.
                after = newest(self._store) if after is None else after
                wanted = Wanted(outcomes=(FLAGGED,), after=after)
                for alarm in follow(self._store, wanted, on=self._goes_on, wait=self._look):
                    after = alarm["event"]
                    self._tell(Note("alarm", alarm))
                # A store in the place of another counts from one again.
                after, self._anew = 0, False
            except (OutcomeMonitorsError, OSError, ValueError) as error:
                log.warning("%s cannot be read just now: %s", self._store, error)
                self._look(AGAIN)

    def _goes_on(self) -> bool:
        return not (self._stop.is_set() or self._anew)

    def _look(self, seconds: float) -> None:
        """Say what has changed since the last look, then wait."""
        if time.monotonic() - self._refreshed >= AGAIN:
            self._refresh()
            self._refreshed = time.monotonic()
        before, self._marks = self._marks, self._looks()
        if self._marks[OVERRIDES] != before[OVERRIDES]:
            self._tell(Note("decided"))
        elif self._marks != before:
            self._tell(Note("changed"))
        self._anew = 0 < self._marks[EVENTS][0] < before[EVENTS][0]
        self._stop.wait(seconds)

    def _looks(self) -> dict[str, tuple[int, int]]:
        files = (CHANGES, CONTRACTS, OVERRIDES, STAGES)
        return {EVENTS: (newest_in(self._store), 0), **{name: mark_of(self._folder / name) for name in files}}

    def _tell(self, note: Note) -> None:
        try:
            self._loop.call_soon_threadsafe(self._hand_out, note)
        except RuntimeError:
            # The loop has ended meanwhile.
            self._stop.set()

    def _hand_out(self, note: Note) -> None:
        for notes in [*self._pages]:
            if notes.full():
                self._pages.discard(notes)
            else:
                notes.put_nowait(note)


def newest_in(store: EventTable) -> int:
    """Return the number of the last event; 0 where the store cannot be read just now."""
    try:
        return newest(store)
    except (OutcomeMonitorsError, OSError):
        return 0


def mark_of(file: Path) -> tuple[int, int]:
    """Return what is another when a file has changed."""
    try:
        found = file.stat()
    except OSError:
        return 0, 0
    return found.st_mtime_ns, found.st_size
