"""What has become usual in a fleet: counted on each host on the way of results, in memory, and exchanged with the database beside it.

Between the two stands a table in memory: the policy adds to it as it would to a file, and a thread that may wait for the database
carries what is new either way. A task that two hosts have seen is one witness, and a change that ten of them see is one change.
"""

import logging
import sqlite3
from pathlib import Path

from outcome_monitors.state.documents import line_of
from outcome_monitors.state.labels import NO_LABELS, Labels
from outcome_monitors.state.postgres import PATIENCE, SharedConnection

from .change_store import CHANGES_FILE, ChangeStore, read_ways
from .changes import Changes
from .way_tables import WayMemory, WaysOnConnection

__all__ = ["SharedChanges"]

log = logging.getLogger("outcome_monitors")


class SharedChanges:
    """Keeps a table in memory in step with a fleet's."""

    def __init__(self, copy: Path) -> None:
        """Begin with what a host's copy of the fleet's state has."""
        self.table = WayMemory()
        """What the policy exchanges with."""
        self._changes, self._home = Changes(), WaysOnConnection()
        self._home.line = line_of(copy)
        self._begin_with(copy / CHANGES_FILE)
        self._there = ChangeStore(self._home, self._changes, known=True)
        self._here = ChangeStore(self.table, self._changes)

    def exchange(self, shared: SharedConnection, line: Labels = NO_LABELS) -> None:
        """Carry what is new either way, on a connection outside of a transaction, with what a line has in the database."""
        self._here.exchange()
        if line != self._home.line:
            self._home.line = line
            self._there.look_anew()
        with self._there.undone(), shared.raw.transaction():
            self._home.shared = shared
            self._there.join(PATIENCE)
        self._here.exchange()

    def _begin_with(self, file: Path) -> None:
        try:
            for way, novelty in read_ways(file) if file.exists() else ():
                self._changes.put(way, novelty)
        except (OSError, sqlite3.Error) as error:
            log.warning(
                "%s cannot be read; what has become usual is known when the database is: %s", file, error
            )
