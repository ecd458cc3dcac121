"""Events that come over HTTP, from hosts without rights in the database, or in another language: written before they are answered for.

All lines of a request are written, or none: what is refused can be mended and sent again, and nothing stands there twice.
"""

import threading
import time
from collections.abc import Mapping, Sequence
from email.utils import parsedate_to_datetime

from outcome_monitors.events.lines import BadLine, incoming_events
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.learning.folder import StateFolder
from outcome_monitors.storage.labels import Labels
from outcome_monitors_server.storage.connections import TOLERATED

__all__ = ["LARGEST_BODY", "BadEvents", "EventIntake"]

LARGEST_BODY = 4 * 2**20
MOST_NAMED = 20
"""Bad lines that are named in one answer."""


class BadEvents(OutcomeMonitorsError):  # noqa: N818 - it names the lines
    """Some lines are no events; nothing was written."""

    def __init__(self, bad: Sequence[BadLine]) -> None:
        self.lines = [one._asdict() for one in bad[:MOST_NAMED]]
        more = f", and {len(bad) - 1:,} more" if len(bad) > 1 else ""
        super().__init__(f"{bad[0]}{more}; nothing was written")


class EventIntake:
    """Writes events into a state; for any number of threads."""

    def __init__(self, state: StateFolder) -> None:
        self._storage, self._lock = state.storage, threading.Lock()

    def write(self, data: bytes, labels: Labels, headers: Mapping[str, str]) -> int:
        """Write the events of a request, whose writer has these labels whatever it claims; return how many."""
        events, bad = incoming_events(data)
        if bad:
            raise BadEvents(bad)
        ahead = self._ahead(headers.get("Date", ""))
        rows = [((one.row[0] - ahead, *one.row[1:]), labels.over(one.labels)) for one in events]
        if rows:
            with self._lock:
                refused = self._storage.events.append(rows)
            if refused:
                raise OutcomeMonitorsError(
                    f"{refused} of {len(rows)} events had no form that the database takes, and were left out"
                )
        return len(rows)

    def close(self) -> None:
        """Let the connection go."""
        with self._lock:
            self._storage.close()

    def _ahead(self, date: str) -> float:
        """Return by how many seconds a writer's clock is ahead of that of the state, as its header `Date` says; a few are let pass."""
        try:
            theirs = parsedate_to_datetime(date).timestamp()
        except (ValueError, TypeError, OverflowError):
            return 0.0
        ahead = theirs - (time.time() + self._storage.behind)
        return ahead if abs(ahead) > TOLERATED else 0.0
