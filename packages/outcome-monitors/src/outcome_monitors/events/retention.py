"""How large a store of events grows, and how old what is in it: the oldest go first."""

import sqlite3
from contextlib import closing, suppress
from typing import TYPE_CHECKING

from outcome_monitors.exceptions import OutcomeMonitorsError

from .places import EventPlace

if TYPE_CHECKING:
    from .places import Where

__all__ = ["MOST_BYTES", "bound", "forget_events"]

MOST_BYTES = 256 * 2**20
"""Bytes that a store may hold, unless someone says otherwise: some three million events without payloads."""
LEAST_AT_ONCE = 1000
MOST_STEPS = 10
"""Steps in which the oldest are deleted before others may write again."""
PATIENCE = 10.0
"""Seconds that forgetting waits for those who write."""


def bound(connection: sqlite3.Connection, most: int, written: int) -> None:
    """Delete the oldest events of a store that is too large; twice as many, in each step, as were written just now.

    The file does not shrink, but what is free in it is used again. A store that is busy is left for the next time: what was
    written is written.
    """
    with suppress(sqlite3.Error):
        for _ in range(MOST_STEPS):
            if _used(connection) <= most:
                return
            with connection:
                connection.execute(
                    "DELETE FROM events WHERE id IN (SELECT id FROM events ORDER BY id LIMIT ?)",
                    (max(LEAST_AT_ONCE, 2 * written),),
                )


def forget_events(where: "Where", before: float) -> int:
    """Delete what is older than a time, in seconds since 1970, from a store, and return how many events that were."""
    place = EventPlace.at(where).required()
    if place.lines is not None:
        raise OutcomeMonitorsError(f"{place} is appended to by others: rotate it as you rotate logs")
    if place.shared is not None:
        return place.shared.forget_events(before)
    try:
        with closing(sqlite3.connect(str(place), timeout=PATIENCE)) as connection:
            with connection:
                forgotten = connection.execute("DELETE FROM events WHERE time < ?", (before,)).rowcount
            # Gives the space back, and takes what was deleted out of the file; others may be writing just then.
            with suppress(sqlite3.OperationalError):
                connection.execute("VACUUM")
    except sqlite3.Error as error:
        raise OutcomeMonitorsError(f"nothing was forgotten of {place}: {error}") from None
    return forgotten


def _used(connection: sqlite3.Connection) -> int:
    [pages], [free], [size] = (
        connection.execute(f"PRAGMA {what}").fetchone()
        for what in ("page_count", "freelist_count", "page_size")
    )
    used: int = (pages - free) * size
    return used
