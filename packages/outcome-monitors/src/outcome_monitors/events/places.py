"""Where events are: a store in a file, a file of JSON lines, or a fleet's PostgreSQL; a folder or an address names them too.

Queries are written in words that both sorts of store have, with question marks for values.
"""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Union

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.state.opening import event_table
from outcome_monitors.state.storage import PATIENCE, EventTable
from outcome_monitors.state.tables import TableConnection
from outcome_monitors.values.files import FilePath

__all__ = ["EventPlace", "Where", "forget_events"]

Where = Union[FilePath, "EventPlace"]
"""What names a place of events."""


@dataclass(frozen=True, slots=True)
class EventPlace:
    """A place of events."""

    table: EventTable

    @classmethod
    def at(cls, where: Where) -> "EventPlace":
        """Return the place that is meant: of a folder that something is learned in, the store in it."""
        return where if isinstance(where, EventPlace) else cls(event_table(where))

    @property
    def lines(self) -> Path | None:
        """The file of JSON lines, where it is one."""
        return self.table.lines

    def __str__(self) -> str:
        return str(self.table)

    def exists(self) -> bool:
        """Say whether there is something to read; of a database the reading says that."""
        return self.table.exists()

    def required(self) -> "EventPlace":
        """Return it; refuse one where nothing is."""
        if not self.exists():
            raise OutcomeMonitorsError(
                f"there is no store {self}; name the one that a proxy writes to (--events)"
            )
        return self

    @contextmanager
    def kept(self) -> Iterator["EventPlace"]:
        """Give the same place for one who asks often: connections to a database are used again."""
        if (pool := self.table.pooled()) is self.table:
            yield self
            return
        with closing(pool):
            yield EventPlace(pool)

    @contextmanager
    def reading(self, patience: float = PATIENCE) -> Iterator[TableConnection]:
        """Open a store to look into it; what goes wrong meanwhile is one sentence."""
        with self.table.reading(patience) as connection:
            yield connection


def forget_events(where: Where, before: float) -> int:
    """Delete what is older than a time, in seconds since 1970, from a store, and return how many events that were."""
    place = EventPlace.at(where).required()
    if place.lines is not None:
        raise OutcomeMonitorsError(f"{place} is appended to by others: rotate it as you rotate logs")
    return place.table.forget_events(before)
