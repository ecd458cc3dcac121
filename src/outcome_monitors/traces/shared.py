"""The traces of a fleet: lines as a trace file has them, in the order in which they were written."""

from collections.abc import Iterator
from contextlib import closing

from outcome_monitors.state.address import StateAddress
from outcome_monitors.state.pool import ReadingPool
from outcome_monitors.state.postgres import Postgres
from outcome_monitors.values.files import FilePath

__all__ = ["lines_in", "refuse_unreadable_state", "shared_lines"]

PAGE = 2000
"""Lines that are taken from the database at once."""


def shared_lines(path: FilePath) -> Iterator[bytes]:
    """Yield the lines at an address."""
    with closing(ReadingPool(StateAddress.read(path))) as state:
        yield from lines_in(state)


def lines_in(state: Postgres) -> Iterator[bytes]:
    """Yield the lines of a state; some at a time, so that no transaction is open for long."""
    last = 0
    while True:
        with state.reading() as shared:
            query = "SELECT id, line FROM traces WHERE id > ? ORDER BY id LIMIT ?"
            rows = shared.execute(query, (last, PAGE)).fetchall()
        for _, line in rows:
            yield line.encode()
        if len(rows) < PAGE:
            return
        last = rows[-1][0]


def refuse_unreadable_state(path: FilePath) -> None:
    """Refuse a state that cannot be read now, before anything is."""
    with closing(ReadingPool(StateAddress.read(path))) as state, state.reading() as shared:
        shared.execute("SELECT id FROM traces LIMIT 1")
