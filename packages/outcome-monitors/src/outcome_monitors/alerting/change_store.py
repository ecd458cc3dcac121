"""Drift signatures on disk: one SQLite file that survives restarts and is shared between processes.

Each process counts for itself and, at most once a second, adds what it has counted since: evidence from several processes adds up,
whatever the order. A file that cannot be used is logged once, and the counting goes on in memory.
"""

import json
import logging
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from outcome_monitors.files import storable
from outcome_monitors.rules import current_name
from outcome_monitors.storage.layout import CHANGES as CHANGES_FILE
from outcome_monitors.storage.sqlite import TableFile, is_torn
from outcome_monitors.storage.tables import Row, Rows, Tables

from .changes import Changes, ChangeTest, DriftSignature, ObservedDrift, test_of
from .config import CONFIG

__all__ = [
    "CHANGES_FILE",
    "ChangeStore",
    "read_changes",
    "read_signatures",
]

log = logging.getLogger("outcome_monitors")

EVERY = 1.0
"""Seconds between two exchanges with the file."""
PATIENCE, HASTE = 5.0, 0.2
"""Seconds that another process may keep it locked: at the beginning and the end, and while results wait."""
LONGEST = 1900
"""Bytes of the name of a signature that an index of any database takes."""

_NOTHING: "_Counted" = ([0.0] * len(CONFIG.drift_rates), 0, 0, False, False)
_Counted = tuple[list[float], int, int, bool, bool]
"""What the file had when it was last looked at: evidence, broken, kept, whether it is a change, whether it was reported."""


class ChangeStore:
    """Keeps the changes of a process in step with a file, or with another table of ways."""

    def __init__(
        self,
        table: Path | Tables,
        changes: Changes,
        clock: Callable[[], float] = time.monotonic,
        *,
        known: bool = False,
    ) -> None:
        """Take over what there is at once; or, where the changes are `known` to be from there, add from now on what is new."""
        self.table = TableFile(table / CHANGES_FILE, CHANGES_FILE) if isinstance(table, Path) else table
        self._changes, self._clock = changes, clock
        self._stamp = 0
        self._next = clock()
        self._known: dict[DriftSignature, _Counted] = {}
        self._silent = False
        """The file cannot be used, and that was said."""
        if known:
            self._note(changes.signatures)
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
                if not is_torn(error) or (aside := self.table.set_aside()) is None:
                    raise
                log.warning("%s cannot be read and is now %s: %s", self.table, aside.name, error)
                self.join(HASTE)
            self._silent = False
        except Exception as error:  # noqa: BLE001 - whatever the file holds, it is not the host's affair
            if not self._silent:
                log.warning("%s cannot be used, changes are kept in memory: %s", self.table, error)
            self._silent = True

    def join(self, patience: float) -> None:
        """Do the same, and raise where that cannot be done."""
        with self.table.writing(patience) as rows:
            self._join(rows)

    @contextmanager
    def undone(self) -> Iterator[None]:
        """Have a block that fails change nothing here: what was counted is added another time."""
        ways, known, stamp = self._changes.signatures.copy(), self._known.copy(), self._stamp
        try:
            yield
        except BaseException:
            self._changes.signatures, self._known, self._stamp = ways, known, stamp
            raise

    def _note(self, signatures: Iterable[DriftSignature]) -> None:
        there = self._changes.signatures
        self._known |= {
            signature: _counted(there[signature]) for signature in signatures if signature in there
        }
        if len(self._known) > 2 * CONFIG.max_signatures:
            self._known = {signature: known for signature, known in self._known.items() if signature in there}

    def _join(self, rows: Rows) -> None:
        stamp = rows.last("ways")
        ours = [signature for signature in self._changes.signatures if self._counted_since(signature)]
        theirs = []
        for row in rows.select("ways", after=self._stamp):
            try:
                signature, drift = _read(row)
                self._take(signature, drift)
                theirs.append(signature)
            except (ValueError, TypeError, RecursionError) as error:
                # One row is one signature of changing: the others are whole.
                log.warning("a row of %s cannot be read, and is left out: %s", self.table, error)
        new = [self._row(signature, stamp + 1) for signature in ours if signature in self._changes.signatures]
        rows.put("ways", [row for row in new if len(row["way"]) <= LONGEST])
        self._stamp = stamp + 1 if ours else stamp
        self._note([*ours, *theirs])

    def _counted_since(self, signature: DriftSignature) -> bool:
        """Say whether something was counted here since."""
        return self._known.get(signature) != _counted(self._changes.signatures[signature])

    def _take(self, signature: DriftSignature, theirs: ObservedDrift) -> None:
        """Join what another process has counted with what this one has counted since."""
        mine = self._changes.signatures.get(signature)
        if mine is not None:
            before = self._known.get(signature, _NOTHING)
            theirs.test = _joined(theirs.test, mine.test, before)
            theirs.reported = theirs.reported or mine.reported
        self._changes.put(signature, theirs)

    def _row(self, signature: DriftSignature, stamp: int) -> Row:
        drift = self._changes.signatures[signature]
        test = drift.test
        return {
            "way": json.dumps(signature),
            "stamp": stamp,
            "path": storable(drift.path),
            "kind": drift.kind,
            "first": storable(drift.first),
            "faults": test.faults,
            "logs": json.dumps(test.logs),
            "tasks": json.dumps(test.tasks),
            "broken": test.violated,
            "kept": test.passed,
            "changed": int(test.changed),
            "least": test.least,
            "bar": test.bar,
            "over": test.over,
            "reported": int(drift.reported),
        }


def read_changes(file: Path) -> list[ObservedDrift]:
    """Return what a file has as a change now, in no order; nothing is written, and a signature that cannot be read is left out."""
    return [drift for _, drift in read_signatures(file, changed=1)]


def read_signatures(file: Path, **which: Any) -> list[tuple[DriftSignature, ObservedDrift]]:
    """Return signatures that a file has, in the same manner."""
    found = []
    with TableFile(file, CHANGES_FILE).reading() as rows:
        for row in rows.select("ways", **which):
            try:
                found.append(_read(row))
            except (ValueError, TypeError) as error:
                log.warning("a change in %s cannot be read: %s", file, error)
    return found


def _counted(drift: ObservedDrift) -> _Counted:
    test = drift.test
    return [*test.logs], test.violated, test.passed, test.changed, drift.reported


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
        max(theirs.violated + mine.violated - broken, 0 if ended_there else mine.violated),
        max(theirs.passed + mine.passed - kept, 0 if ended_there else mine.passed),
        mine.waiting,
        mine.changed if ended else theirs.changed or (mine.changed and not ended_there),
        max(theirs.least, mine.least),
        max(theirs.bar, mine.bar),
        theirs.over if ended_there else max(theirs.over, mine.over),
        mine.least_witnesses,
    )
    if new and not ended:
        joined.believe()
    return joined


def _together(some: Iterable[int], others: Iterable[int]) -> list[int]:
    return [*dict.fromkeys((*some, *others))][-CONFIG.max_tasks :]


def _read(row: Row) -> tuple[DriftSignature, ObservedDrift]:
    """Read a row; raise ValueError or TypeError where it is not one."""
    tool, clause, news, *told_apart = json.loads(str(row["way"]))
    client = str(told_apart[0]) if told_apart else ""
    signature = (tool, clause, news, client)
    evidence = [float(value) for value in json.loads(str(row["logs"]))]
    if len(evidence) != len(CONFIG.drift_rates):
        raise ValueError(f"a signature has {len(evidence)} rates, and there are {len(CONFIG.drift_rates)}")
    test = replace(
        test_of(signature),
        faults=float(row["faults"]),
        logs=evidence,
        tasks=[int(task) for task in json.loads(str(row["tasks"]))],
        violated=int(row["broken"]),
        passed=int(row["kept"]),
        changed=bool(row["changed"]),
        least=float(row["least"]),
        bar=float(row["bar"]),
        over=float(row["over"]),
    )
    kind, path, first = current_name(str(row["kind"])), str(row["path"]), str(row["first"])
    drift = ObservedDrift(tool, clause if tool else "", path, kind, news, test, first, client=client)
    drift.reported = bool(row["reported"])
    return signature, drift
