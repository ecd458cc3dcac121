"""Alarms and changes to every open page, as they come: one task looks, however many pages are open.

A page that does not keep up, or whose browser has gone, is dropped; it asks again with the number of the last alarm it has, and gets
what it missed from the store.
"""

import asyncio
import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from outcome_monitors.events.reader import newest
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.storage.layout import CHANGES, CONTRACTS, OVERRIDES, STAGES
from outcome_monitors.storage.storage import EventTable

from .alarms import last_alarm
from .site import Site

log = logging.getLogger("outcome_monitors_server.console")

MOST_WAITING = 100
"""Notes that a page may be behind."""
BETWEEN = 0.5
"""Seconds between two looks."""
REFRESH = 2.0
"""Seconds between two that bring the copy of a fleet's state up."""


class Note(NamedTuple):
    """Something that happened in the folder."""

    sort: str
    """`alarm`, `changed` (something but decisions), `decided`, or `end`, behind which nothing comes."""
    alarm: int = 0
    """The number of its event."""


class Feed:
    """Looks into the state, and tells the pages."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._pages: set[asyncio.Queue[Note]] = set()
        self._refreshed = time.monotonic()
        self._last: int | None = None
        self._marks: list[object] = []
        self._look()

    @contextmanager
    def page(self) -> Iterator[asyncio.Queue[Note]]:
        """Give what a page is told by, for as long as it is open."""
        notes: asyncio.Queue[Note] = asyncio.Queue(MOST_WAITING)
        self._pages.add(notes)
        try:
            yield notes
        finally:
            self._pages.discard(notes)

    async def run(self) -> None:
        """Look until it is cancelled; then let the pages go."""
        try:
            while True:
                await asyncio.sleep(BETWEEN)
                for note in await asyncio.to_thread(self._look):
                    self._hand_out(note)
        finally:
            self._hand_out(Note("end"))

    def _look(self) -> list[Note]:
        """Return what has happened since the last look."""
        if time.monotonic() - self._refreshed >= REFRESH:
            self._site.refresh()
            self._refreshed = time.monotonic()
        folder, store = self._site.state.path, self._site.store
        try:
            alarm = self._new_alarm(store)
            notes = [Note("alarm", alarm)] if alarm else []
        except (OutcomeMonitorsError, OSError, ValueError) as error:
            log.warning("%s cannot be read just now: %s", store, error)
            notes = []
        files = (OVERRIDES, CHANGES, CONTRACTS, STAGES)
        before, self._marks = self._marks, [*(_stamp(folder / name) for name in files), self._last]
        if before and self._marks != before:
            # Pages that are told ask again at once.
            self._site.forget()
            notes.append(Note("changed" if self._marks[0] == before[0] else "decided"))
        return notes

    def _new_alarm(self, store: EventTable) -> int:
        before, self._last = self._last, newest(store)
        # Not from the first on, because it could not be read once; but a store in the place of another counts from one again.
        after = self._last if before is None else before if self._last >= before else 0
        return last_alarm(store, after) if self._last > after else 0

    def _hand_out(self, note: Note) -> None:
        for notes in [*self._pages]:
            if notes.full():
                self._pages.discard(notes)
            else:
                notes.put_nowait(note)


def _stamp(file: Path) -> tuple[int, int]:
    """Return what is another when a file has changed."""
    try:
        found = file.stat()
    except OSError:
        return 0, 0
    return found.st_mtime_ns, found.st_size
