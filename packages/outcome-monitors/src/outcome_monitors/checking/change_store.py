"""What has become usual, on disk: one SQLite file that survives restarts and that several processes may share.

Each process counts for itself and, at most once a second, adds what it has counted since: evidence from several processes adds up,
whatever the order. A file that cannot be used is never the host's affair: it is said once, and the counting goes on in memory.
"""

import json
import logging
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from outcome_monitors.state.tables import TableConnection
from outcome_monitors.values.database_files import is_torn, storable
from outcome_monitors.values.folders import CHANGES as CHANGES_FILE
from outcome_monitors.values.sqlite_files import looking_into

from .change_test import MOST_TASKS, RATES, ChangeTest
from .changes import Changes, Novelty, Way
from .way_tables import WayFile, WayTable

__all__ = ["CHANGES_FILE", "ChangeStore", "read_changes", "read_ways"]

log = logging.getLogger("outcome_monitors")

EVERY = 1.0
"""Seconds between two exchanges with the file."""
PATIENCE, HASTE = 5.0, 0.2
"""Seconds that another process may keep it locked: at the beginning and the end, and while results wait."""
_PUT = """
INSERT INTO ways VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (way) DO UPDATE SET
  stamp = excluded.stamp, path = excluded.path, kind = excluded.kind, first = excluded.first, faults = excluded.faults,
  logs = excluded.logs, tasks = excluded.tasks, broken = excluded.broken, kept = excluded.kept, changed = excluded.changed,
  least = excluded.least, bar = excluded.bar, over = excluded.over, reported = excluded.reported"""
_NEW = """
SELECT way, path, kind, first, faults, logs, tasks, broken, kept, changed, least, bar, over, reported
FROM ways WHERE stamp > ?"""

_Counted = tuple[list[float], int, int, bool, bool]
"""What the file had when it was last looked at: evidence, broken, kept, whether it is a change, whether it was reported."""


class ChangeStore:
    """Keeps the changes of a process in step with a file, or with another table of ways."""

    def __init__(
        self,
        home: Path | WayTable,
        changes: Changes,
        clock: Callable[[], float] = time.monotonic,
        *,
        known: bool = False,
    ) -> None:
        """Take over what there is at once; or, where the changes are `known` to be from there, add from now on what is new."""
        self.home = WayFile(home / CHANGES_FILE) if isinstance(home, Path) else home
        self._changes, self._clock = changes, clock
        self._stamp = 0
        self._next = clock()
        self._known: dict[Way, _Counted] = {}
        self._silent = False
        """The file cannot be used, and that was said."""
        if known:
            self._note()
        else:
            self.exchange()

    def exchange(self, *, now: bool = True) -> None:
        """Add what was counted here, and take over what was counted elsewhere; unless `now`, at most once a second."""
        if not now and self._clock() < self._next:
            return
        self._next = self._clock() + EVERY
        try:
            try:
                self.join(PATIENCE if now else HASTE)
            except Exception as error:
                if not is_torn(error) or (aside := self.home.mended(error)) is None:
                    raise
                log.warning("%s cannot be read and is now %s: %s", self.home, aside.name, error)
                self.join(HASTE)
            self._silent = False
        except Exception as error:  # noqa: BLE001 - whatever the file holds, it is not the host's affair
            if not self._silent:
                log.warning("%s cannot be used, changes are kept in memory: %s", self.home, error)
            self._silent = True

    def join(self, patience: float) -> None:
        """Do the same, and raise where that cannot be done."""
        with self.home.alone(patience) as rows:
            self._join(rows)

    @contextmanager
    def undone(self) -> Iterator[None]:
        """Have a block that fails change nothing here: what was counted is added another time."""
        ways, known, stamp = self._changes.ways.copy(), self._known, self._stamp
        try:
            yield
        except BaseException:
            self._changes.ways, self._known, self._stamp = ways, known, stamp
            raise

    def look_anew(self) -> None:
        """Take over all rows at the next exchange, since they are others; what was added to the former ones is not added to these."""
        self._stamp = 0

    def _note(self) -> None:
        self._known = {way: _counted(novelty) for way, novelty in self._changes.ways.items()}

    def _join(self, file: TableConnection) -> None:
        [stamp] = file.execute("SELECT coalesce(max(stamp), 0) FROM ways").fetchone()
        ours = [way for way in self._changes.ways if self._news_of(way)]
        for row in file.execute(_NEW, (self._stamp,)).fetchall():
            try:
                self._take(*_read(row))
            except (ValueError, TypeError, RecursionError) as error:
                # One row is one way of changing: the others are whole.
                log.warning("a row of %s cannot be read, and is left out: %s", self.home, error)
        file.executemany(_PUT, [self._row(way, stamp + 1) for way in ours])
        self._stamp = stamp + 1 if ours else stamp
        self._note()

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
            int(test.changed),
            test.least,
            test.bar,
            test.over,
            int(novelty.reported),
        )


def read_changes(file: Path) -> list[Novelty]:
    """Return what a file has as a change now, in no order; nothing is written, and a way that cannot be read is left out."""
    return [novelty for _, novelty in read_ways(file, "changed = 1")]


def read_ways(file: Path, which: str = "true") -> list[tuple[Way, Novelty]]:
    """Return ways that a file has, in the same manner."""
    found = []
    with looking_into(file) as connection:
        for row in connection.execute(_NEW.replace("stamp > ?", which)):
            try:
                found.append(_read(row))
            except (ValueError, TypeError) as error:
                log.warning("a change in %s cannot be read: %s", file, error)
    return found


def _counted(novelty: Novelty) -> _Counted:
    test = novelty.test
    return [*test.logs], test.broken, test.kept, test.changed, novelty.reported


def _joined(theirs: ChangeTest, mine: ChangeTest, before: _Counted) -> ChangeTest:
    """Add to what the file has what was counted here since it was last looked at."""
    logs, broken, kept, changed, _ = before
    # A change that has ended here, or there, has ended; what was counted before it counts no more.
    ended = changed and not mine.changed
    ended_there = changed and not theirs.changed and not ended
    # What the same task has shown elsewhere is no second witness.
    new = not set(mine.tasks) <= set(theirs.tasks)
    gained = [now - then if new else 0.0 for now, then in zip(mine.logs, logs, strict=True)]
    joined = ChangeTest(
        theirs.faults,
        mine.logs
        if ended
        else [max(0.0, value + more) for value, more in zip(theirs.logs, gained, strict=True)],
        _together(theirs.tasks, mine.tasks),
        max(theirs.broken + mine.broken - broken, 0 if ended_there else mine.broken),
        max(theirs.kept + mine.kept - kept, 0 if ended_there else mine.kept),
        mine.waiting,
        mine.changed if ended else theirs.changed or (mine.changed and not ended_there),
        max(theirs.least, mine.least),
        max(theirs.bar, mine.bar),
        theirs.over if ended_there else max(theirs.over, mine.over),
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
