"""A state moved from one home to another, either way: what is there is copied, and nothing is left out in silence."""

from collections.abc import Callable, Iterator
from typing import Any

from outcome_monitors.exceptions import StateError

from .home import TABLES, StateHome

__all__ = ["copy_state", "rows_of"]

AT_ONCE = 5000
_COUNTERS = ("progress", "turns")
"""Tables that have one row from the first."""

Told = Callable[[str, int], None]
"""Is told what was copied, and how much of it."""


def copy_state(source: StateHome, target: StateHome, told: Told = lambda _what, _number: None) -> None:
    """Copy all of a state into one that is empty."""
    _refuse_full(target)
    for name, body in source.documents().items():
        target.put(name, body)
        told(name, 1)
    for table in TABLES:
        told(table, target.fill(table, rows_of(source, table)))
    told("recorded calls", target.record(source.lines()))


def rows_of(source: StateHome, table: str) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a table, in order where they are numbered."""
    columns = TABLES[table]
    query = f"SELECT {', '.join(columns)} FROM {table}"  # noqa: S608 - names of our own
    with source.opened(table) as rows:
        if table != "events":
            yield from rows.execute(query).fetchall()
            return
        last: int | None = -1
        while last is not None:
            # In pieces: of millions not all are in memory at once.
            found = rows.execute(f"{query} WHERE id > ? ORDER BY id LIMIT ?", (last, AT_ONCE)).fetchall()
            yield from found
            last = found[-1][0] if found else None


def _refuse_full(target: StateHome) -> None:
    there = [table for table in TABLES if table not in _COUNTERS and _has_rows(target, table)]
    if there or target.documents() or next(target.lines(), None) is not None:
        raise StateError(f"{target.shown} is not empty: name a folder or a fleet that is, so that two states do not mix")


def _has_rows(target: StateHome, table: str) -> bool:
    with target.opened(table) as rows:
        return rows.execute(f"SELECT 1 FROM {table} LIMIT 1").fetchone() is not None  # noqa: S608 - names of our own
