"""Events in a fleet's PostgreSQL: written in batches off the way of a reply; what cannot be written in ten minutes is counted."""

from collections.abc import Sequence

from outcome_monitors.events.event import COLUMNS, Event, Row, row_of, storable_event
from outcome_monitors.events.sinks import Background, QueuedStore
from outcome_monitors.storage.labels import Labels

from .batches import BatchWriter
from .connections import Connections

__all__ = ["SharedStore"]

GATHER = 0.5
"""Seconds that events gather for: batches of all hosts go in one after the other."""
PATIENCE = 600.0
"""Seconds for which a database may be away before events are given up; the queue's bounds hold meanwhile."""


class SharedStore(QueuedStore):
    """Takes events for a fleet's store; neither waits nor raises."""

    def __init__(self, state: Connections, labels: Labels | None = None) -> None:
        self._state, self._labels = state, Labels() if labels is None else labels
        self._writer = BatchWriter(state, "events", (*COLUMNS, *Labels._fields))
        name = f"events to {state}"
        super().__init__(Background(name, self._write, self._writer.close, gather=GATHER, patience=PATIENCE))

    @property
    def lost(self) -> int:
        """How many events could not be written."""
        return super().lost + self._writer.refused

    def _write(self, events: Sequence[Event]) -> None:
        self._writer.write(events, map(self._row, events), self.lost)

    def _row(self, event: Event) -> Row:
        try:
            row = row_of(event)
            "".join(value for value in row if isinstance(value, str)).encode()
        except Exception:  # noqa: BLE001 - what one event holds is not the others' affair
            self.escaped += 1
            row = row_of(storable_event(event))
        # By the database's clock; a truth is a number there, as it is in a folder's store.
        behind = self._state.behind
        time = row[0] + behind if behind and isinstance(row[0], float) else row[0]
        return time, *row[1:4], int(row[4]), *row[5:], *self._labels
