"""Events into the table of an SQLite store: all of a batch, in order; one that has no form costs nothing but itself.

Most events say that a result was clean, and nothing else. Many such rows go in by one statement that has only what differs between
them for parameters: that takes a third of the time, and the interpreter's lock is given up and fought for once, not with every row.
"""

import sqlite3
from collections.abc import Sequence
from itertools import chain, groupby

from .event import CLEAN, Event
from .rows import escaped_row, row_of

__all__ = ["insert"]

AT_ONCE = 50
"""Rows of one statement; SQLite of any age takes 999 parameters."""
_ANY = f"INSERT INTO events VALUES (NULL{', ?' * 11})"  # noqa: S608 - nothing but question marks
_CLEAN = f"(NULL, ?, ?, ?, '{CLEAN}', 0, ?, '', '[]', 'null', NULL, NULL)"
"""What `row_of` makes of a clean event; the time, the session, the tool and the duration differ."""
_ONE_CLEAN = f"INSERT INTO events VALUES {_CLEAN}"  # noqa: S608 - question marks and constants
_MANY_CLEAN = f"INSERT INTO events VALUES {', '.join([_CLEAN] * AT_ONCE)}"  # noqa: S608 - the same
_OF_THE_ROW = (sqlite3.DataError, sqlite3.IntegrityError, sqlite3.InterfaceError, sqlite3.ProgrammingError)
"""What SQLite, and Python before it, say of a value and not of the file."""


def insert(connection: sqlite3.Connection, events: Sequence[Event]) -> int:
    """Write all events; return how many had no form, and were written in an escaped one."""
    try:
        with connection:
            for bare, group in groupby(events, _is_bare):
                if bare:
                    _insert_bare(connection, list(group))
                else:
                    connection.executemany(_ANY, map(row_of, group))
    except Exception as error:
        if isinstance(error, sqlite3.Error) and not isinstance(error, _OF_THE_ROW):
            raise
        with connection:
            return sum(_insert_one(connection, event) for event in events)
    return 0


def _is_bare(event: Event) -> bool:
    """Say whether an event says no more than that a result was clean."""
    _, _, _, outcome, violations, receipt, advised, _, why, payload, *_ = event
    nothing = receipt is None and payload is None and advised is False
    return nothing and outcome == CLEAN and violations == () and why == ""


def _insert_bare(connection: sqlite3.Connection, events: Sequence[Event]) -> None:
    values = [(event.time, event.session, event.tool, event.duration) for event in events]
    full = len(values) - len(values) % AT_ONCE
    for start in range(0, full, AT_ONCE):
        connection.execute(_MANY_CLEAN, [*chain.from_iterable(values[start : start + AT_ONCE])])
    connection.executemany(_ONE_CLEAN, values[full:])


def _insert_one(connection: sqlite3.Connection, event: Event) -> bool:
    """Write an event; say whether that took an escaped form."""
    try:
        connection.execute(_ANY, row_of(event))
    except Exception as error:
        if isinstance(error, sqlite3.Error) and not isinstance(error, _OF_THE_ROW):
            raise
        connection.execute(_ANY, escaped_row(event))
        return True
    return False
