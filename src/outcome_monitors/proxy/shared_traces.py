"""Recorded calls in a fleet's PostgreSQL: lines as a trace file has them, each with its time, tool, session and labels."""

from collections.abc import Sequence

from outcome_monitors.events.shared_store import GATHER, PATIENCE
from outcome_monitors.state.batches import BatchWriter
from outcome_monitors.state.labels import Labels
from outcome_monitors.state.postgres import Postgres
from outcome_monitors.values.database_files import storable

from .recorder import TraceLine

__all__ = ["SharedTraces"]


class SharedTraces:
    """The table of traces, as a target of a recorder."""

    gather, patience = GATHER, PATIENCE

    def __init__(self, state: Postgres, labels: Labels) -> None:
        self._state, self._labels = state, labels
        self._writer = BatchWriter(state, "traces", ("time", "tool", "session", "line", *Labels._fields))

    def __str__(self) -> str:
        return str(self._state)

    @property
    def refused(self) -> int:
        """Calls that the database would not take."""
        return self._writer.refused

    def write(self, lines: Sequence[TraceLine], lost: int) -> None:
        """Write calls once, however often they are given."""
        self._writer.write(lines, map(self._row, lines), lost)

    def close(self) -> None:
        """Let the connection go."""
        self._writer.close()

    def _row(self, line: TraceLine) -> tuple[object, ...]:
        session = None if line.session is None else storable(line.session)
        return line.time, storable(line.tool), session, line.text, *self._labels
