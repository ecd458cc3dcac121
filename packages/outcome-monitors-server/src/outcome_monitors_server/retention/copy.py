"""A state moved from one home to another, either way: all of it, and nothing is left out in silence."""

from collections.abc import Callable, Iterator

from outcome_monitors.exceptions import StateError
from outcome_monitors.storage.storage import Storage
from outcome_monitors.storage.tables import COUNTERS, TABLES, Row, columns_of

AT_ONCE = 5000
SORTS = {
    "events": ("events",),
    "rows of trials": ("trials", "progress", "shares", "clauses", "witnesses", "turns"),
    "changes": ("ways",),
    "versions": ("versions",),
}
"""What the tables are to people."""

OnCopied = Callable[[str, int], None]
"""Takes what was copied, and how much of it."""


def copy_state(source: Storage, target: Storage, on_copied: OnCopied = lambda _what, _number: None) -> None:
    """Copy all of a state into one that is empty."""
    _refuse_full(target)
    documents = source.documents()
    for name, body in documents.items():
        target.put(name, body)
    on_copied("contracts, tools and decisions", len(documents))
    for what, tables in SORTS.items():
        on_copied(what, sum(target.fill(one, rows_of(source, one)) for one in tables))
    on_copied("recorded calls", target.record(source.recorded_lines()))


def rows_of(source: Storage, table: str) -> Iterator[Row]:
    """Yield the rows of a table, with labels where there are any; in order where they are numbered."""
    names = columns_of(table, labelled=source.labelled)
    with source.table(table) as rows:
        if table != "events":
            yield from rows.select(table, *names)
            return
        last: int | None = -1
        while last is not None:
            # In pieces: of millions not all are in memory at once.
            found = rows.select(table, *names, after=last, most=AT_ONCE)
            yield from found
            last = found[-1]["id"] if found else None


def _refuse_full(target: Storage) -> None:
    there = [table for table in TABLES if table not in COUNTERS and _has_rows(target, table)]
    if there or target.documents() or next(target.recorded_lines(), None) is not None:
        raise StateError(
            f"{target} is not empty: name a folder or a fleet that is, so that two states do not mix"
        )


def _has_rows(target: Storage, table: str) -> bool:
    with target.table(table, change=True) as rows:
        return rows.count(table) != [(0,)]
