"""What people have decided, heeded while results come: what is muted, accepted, or was called wrong is not told.

The file is looked at when a result breaks something, at most once a second, so that a decision holds within that second, and no result
that breaks nothing pays for it. A file that is half written or cannot be used changes nothing: what was decided before stays.
"""

import logging
import time
from collections.abc import Callable
from pathlib import Path

from outcome_monitors.contracts.identity import identify
from outcome_monitors.contracts.overrides import Override, Overrides, news_hash
from outcome_monitors.contracts.shapes import fields_of
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.model import Broken, Clause, Untold, Violation
from outcome_monitors.rules import KINDS
from outcome_monitors.values.files import FilePath

from .changes import LONGEST_NEWS
from .policy import Found, Policy, Telling

__all__ = ["HeedingPolicy", "LiveOverrides"]

log = logging.getLogger("outcome_monitors")

EVERY = 1.0
"""Seconds between two looks at the file."""

_Stamp = tuple[int, int, int] | None
_WHY: dict[str, Untold] = {"muted": "muted", "called wrong": "called wrong"}


class LiveOverrides:
    """The decisions of a file, as they are now."""

    def __init__(self, path: FilePath, clock: Callable[[], float] = time.monotonic) -> None:
        self._path, self._clock = Path(path), clock
        self._next = 0.0
        self._stamp: _Stamp = None
        self._said = ""
        self.overrides = Overrides()
        self.shapes: tuple[str, ...] = ()
        """Shapes on whose clauses something was decided."""
        self.current()

    def current(self) -> Overrides:
        """Return the decisions; a file that has changed is read anew."""
        now = self._clock()
        if now >= self._next:
            self._next = now + EVERY
            self._look()
        return self.overrides

    def _look(self) -> None:
        try:
            found = self._path.stat()
            stamp: _Stamp = (found.st_mtime_ns, found.st_size, found.st_ino)
        except FileNotFoundError:
            stamp = None
        except OSError as error:
            self._trouble(f"{self._path} cannot be read: {error}")
            return
        if stamp == self._stamp:
            return
        try:
            self._take(Overrides.load(self._path) if stamp is not None else Overrides())
        except OutcomeMonitorsError as error:
            self._trouble(str(error))
        else:
            self._said = ""
            log.info("%s: %d decisions are heeded", self._path, len(self.overrides.entries))
        self._stamp = stamp

    def _take(self, overrides: Overrides) -> None:
        # Worked out once, not for every result that breaks something.
        owners = dict.fromkeys(entry.tool for entry in overrides.entries.values())
        self.shapes = tuple(owner for owner in owners if fields_of(owner) is not None)
        self.overrides = overrides

    def _trouble(self, words: str) -> None:
        if words != self._said:
            self._said = words
            log.warning("%s; what was decided before holds", words)


class HeedingPolicy:
    """A policy around another, which hears nothing of what people have silenced."""

    def __init__(
        self, weighs: Policy, decided: LiveOverrides, clock: Callable[[], float] = time.time
    ) -> None:
        self._weighs, self._decided, self._clock = weighs, decided, clock
        # Every clean result comes there: no step more than before.
        self.kept = weighs.kept
        self.report = weighs.report
        self.save = weighs.save

    def __call__(self, found: Found) -> Telling:
        """Decide on a result that breaks something."""
        overrides = self._decided.current()
        if not overrides.entries and not overrides.feedback:
            return self._weighs(found)
        left, why = self._left(found, overrides)
        return self._weighs(found._replace(broken=left)) if left else Telling((), why)

    def _left(self, found: Found, overrides: Overrides) -> tuple[Broken, Untold]:
        """Return the broken clauses that nobody has silenced, and why the last of the others is."""
        now, left = self._clock(), []
        why: Untold = "muted"
        for clause, violation in found.broken:
            # By its tool, and, where something was decided on shapes, by each of those.
            names = [identify(owner, clause) for owner in (found.tool, *self._decided.shapes)]
            silent = next(filter(None, (overrides.silences(name, now) for name in names)), "")
            if silent:
                why = _WHY[silent]
            elif any(_accepted(overrides.entries.get(name), clause, violation) for name in names):
                why = "a change"
            else:
                left.append((clause, violation))
        return tuple(left), why


def _accepted(entry: Override | None, clause: Clause, violation: Violation) -> bool:
    if entry is None or not entry.accepted or clause.kind not in KINDS:
        return False
    return news_hash(KINDS[clause.kind].news(violation)[:LONGEST_NEWS]) in entry.accepted
