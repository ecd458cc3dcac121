"""What has become usual, on disk: one SQLite file that survives restarts and that several processes may share.

Each process counts for itself and, at most once a second, adds what it has counted since: evidence from several processes adds up,
whatever the order. A file that cannot be used is never the host's affair: it is said once, and the counting goes on in memory.
"""

import json
import logging
import sqlite3
import time
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.state.tables import CHANGES_TABLES, CHANGES_VERSION as VERSION
from outcome_monitors.values.database_files import fits, is_torn, put_aside, storable
from outcome_monitors.values.files import make_private
from outcome_monitors.values.folders import CHANGES as CHANGES_FILE
from outcome_monitors.values.sqlite_files import looking_into

from .change_test import MOST_TASKS, RATES, ChangeTest
from .changes import Changes, Novelty, Way

__all__ = ["CHANGES_FILE", "ChangeStore", "read_changes"]

log = logging.getLogger("outcome_monitors")

EVERY = 1.0
"""Seconds between two exchanges with the file."""
PATIENCE, HASTE = 5.0, 0.2
"""Seconds that another process may keep it locked: at the beginning and the end, and while results wait."""
_PUT = "INSERT OR REPLACE INTO ways VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_NEW = """
SELECT way, path, kind, first, faults, logs, tasks, broken, kept, changed, least, bar, over, reported
FROM ways WHERE stamp > ?"""

_Counted = tuple[list[float], int, int, bool, bool]
"""What the file had when it was last looked at: evidence, broken, kept, whether it is a change, whether it was reported."""


class ChangeStore:
    """Keeps the changes of a process in step with a file."""

    def __init__(self, folder: Path, changes: Changes, clock: Callable[[], float] = time.monotonic) -> None:
        self._path, self._changes, self._clock = folder / CHANGES_FILE, changes, clock
        self._stamp = 0
        self._next = clock()
        self._known: dict[Way, _Counted] = {}
        self._silent = False
        """The file cannot be used, and that was said."""
        self.exchange()

    def exchange(self, *, now: bool = True) -> None:
        """Add what was counted here, and take over what was counted elsewhere; unless `now`, at most once a second."""
        if not now and self._clock() < self._next:
            return
        self._next = self._clock() + EVERY
        try:
            try:
                self._exchange(PATIENCE if now else HASTE)
            except Exception as error:
                if not is_torn(error) or not self._put_aside(error):
                    raise
                self._exchange(HASTE)
            self._silent = False
        except Exception as error:  # noqa: BLE001 - whatever the file holds, it is not the host's affair
            if not self._silent:
                log.warning("%s cannot be used, changes are kept in memory: %s", self._path, error)
            self._silent = True

    def _put_aside(self, error: Exception) -> bool:
        """Put a file that is none of ours, or torn, out of the way; what is of a later version stays."""
        aside = put_aside(self._path, self._is_whole)
        if aside is not None:
            log.warning("%s cannot be read and is now %s: %s", self._path, aside.name, error)
        return aside is not None

    def _is_whole(self) -> bool:
        with closing(sqlite3.connect(self._path, timeout=HASTE)) as file:
            _refuse_later(file)
            return fits(file, CHANGES_TABLES)

    def _exchange(self, patience: float) -> None:
        make_private(self._path)
        with closing(sqlite3.connect(self._path, timeout=patience, isolation_level=None)) as file:
            # One transaction for all of it: two processes that make the file at once must not meet half of it.
            file.execute("BEGIN IMMEDIATE")
            with file:
                _prepare(file)
                self._join(file)

    def _join(self, file: sqlite3.Connection) -> None:
        [stamp] = file.execute("SELECT coalesce(max(stamp), 0) FROM ways").fetchone()
        ours = [way for way in self._changes.ways if self._news_of(way)]
        for row in file.execute(_NEW, (self._stamp,)).fetchall():
            try:
                self._take(*_read(row))
            except (ValueError, TypeError, RecursionError) as error:
                # One row is one way of changing: the others are whole.
                log.warning("a row of %s cannot be read, and is left out: %s", self._path, error)
        file.executemany(_PUT, [self._row(way, stamp + 1) for way in ours])
        self._stamp = stamp + 1 if ours else stamp
        self._known = {way: _counted(novelty) for way, novelty in self._changes.ways.items()}

    def _news_of(self, way: Way) -> bool:
        """Say whether something was counted here since."""
        return self._known.get(way) != _counted(self._changes.ways[way])

    def _take(self, way: Way, theirs: Novelty) -> None:
        """Join what another process has counted with what this one has counted since."""
        mine = self._changes.ways.get(way)
        if mine is not None:
            before = self._known.get(way, ([0.0] * len(RATES), 0, 0, False, False))
            theirs.test = _joined(theirs.test, mine.test, before)
            theirs.reported = theirs.reported or mine.reported
        self._changes.put(way, theirs)

    def _row(self, way: Way, stamp: int) -> tuple[object, ...]:
        novelty = self._changes.ways[way]
        test = novelty.test
        return (
            json.dumps(way),
            stamp,
            storable(novelty.path),
            novelty.kind,
            storable(novelty.first),
            test.faults,
            json.dumps(test.logs),
            json.dumps(test.tasks),
            test.broken,
            test.kept,
            test.changed,
            test.least,
            test.bar,
            test.over,
            novelty.reported,
        )


def read_changes(file: Path) -> list[Novelty]:
    """Return what a file has as a change now, in no order; nothing is written, and a way that cannot be read is left out."""
    query = _NEW.replace("stamp > ?", "changed = 1")
    found = []
    with looking_into(file) as connection:
        for row in connection.execute(query):
            try:
                found.append(_read(row)[1])
            except (ValueError, TypeError) as error:
                log.warning("a change in %s cannot be read: %s", file, error)
    return found


def _prepare(file: sqlite3.Connection) -> None:
    if _refuse_later(file) == 0:
        for statement in CHANGES_TABLES:
            file.execute(statement)


def _refuse_later(file: sqlite3.Connection) -> int:
    version: int = file.execute("PRAGMA user_version").fetchone()[0]
    if version not in (0, VERSION):
        raise OutcomeMonitorsError(f"it is of version {version}, and this reads {VERSION}")
    return version


def _counted(novelty: Novelty) -> _Counted:
    test = novelty.test
    return [*test.logs], test.broken, test.kept, test.changed, novelty.reported


def _joined(theirs: ChangeTest, mine: ChangeTest, before: _Counted) -> ChangeTest:
    """Add to what the file has what was counted here since it was last looked at."""
    logs, broken, kept, changed, _ = before
    # A change that has ended here has ended; what was counted before it counts no more.
    ended = changed and not mine.changed
    # What the same task has shown elsewhere is no second witness.
    new = not set(mine.tasks) <= set(theirs.tasks)
    gained = [now - then if new else 0.0 for now, then in zip(mine.logs, logs, strict=True)]
    joined = ChangeTest(
        theirs.faults,
        mine.logs
        if ended
        else [max(0.0, value + more) for value, more in zip(theirs.logs, gained, strict=True)],
        _together(theirs.tasks, mine.tasks),
        max(theirs.broken + mine.broken - broken, mine.broken),
        max(theirs.kept + mine.kept - kept, mine.kept),
        mine.waiting,
        mine.changed if ended else theirs.changed or mine.changed,
        max(theirs.least, mine.least),
        max(theirs.bar, mine.bar),
        max(theirs.over, mine.over),
    )
    if new and not ended:
        joined.believe()
    return joined


def _together(some: Iterable[int], others: Iterable[int]) -> list[int]:
    return [*dict.fromkeys((*some, *others))][-MOST_TASKS:]


def _read(row: tuple[object, ...]) -> tuple[Way, Novelty]:
    """Read a row; raise ValueError or TypeError where it is not one."""
    name, path, kind, first, faults, logs, tasks, broken, kept, changed, least, bar, over, reported = row
    tool, clause, news = json.loads(str(name))
    evidence = [float(value) for value in json.loads(str(logs))]
    if len(evidence) != len(RATES):
        raise ValueError(f"a way has {len(evidence)} rates, and there are {len(RATES)}")
    test = ChangeTest(
        float(str(faults)),
        evidence,
        [int(task) for task in json.loads(str(tasks))],
        int(str(broken)),
        int(str(kept)),
        0,
        bool(changed),
        float(str(least)),
        float(str(bar)),
        float(str(over)),
    )
    novelty = Novelty(tool, clause if tool else "", str(path), str(kind), news, test, str(first))
    novelty.reported = bool(reported)
    return (tool, clause, news), novelty
