"""People's decisions, followed while results come: what is muted, accepted or called wrong is suppressed.

The file is checked when a result violates something, at most once a second. One that is half written or cannot be used changes
nothing: what was decided before stays.
"""

import logging
import time
from collections.abc import Callable, Collection, Iterable
from pathlib import Path

from outcome_monitors.contracts.identity import address, identify, names_of
from outcome_monitors.contracts.overrides import Overrides, novelty_hash
from outcome_monitors.contracts.shapes import fields_of
from outcome_monitors.exceptions import OutcomeMonitorsError, StateError
from outcome_monitors.files import FilePath, refuse_special
from outcome_monitors.model import Clause, Untold
from outcome_monitors.rules import KINDS

from .changes import novel_value
from .policy import NO_CONTEXT, AlertContext, AlertDecision, BrokenClause, Detection

log = logging.getLogger("outcome_monitors")

EVERY = 1.0
"""Seconds between two looks at the file."""

_Stamp = tuple[int, int, int] | None


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
            refuse_special(self._path)
            found = self._path.stat()
            stamp: _Stamp = (found.st_mtime_ns, found.st_size, found.st_ino)
        except FileNotFoundError:
            stamp = None
        except (OSError, StateError) as error:
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


class SuppressionPolicy:
    """Suppresses the violations that people have muted, accepted or called wrong."""

    def __init__(self, decided: LiveOverrides, clock: Callable[[], float] = time.time) -> None:
        self._decided, self._clock = decided, clock

    def __call__(self, detection: Detection, context: AlertContext = NO_CONTEXT) -> AlertDecision:
        """Decide on a result that violates something."""
        decided = self._decided.current()
        if not decided.entries and not decided.feedback:
            return AlertDecision(detection.broken)
        left: list[BrokenClause] = []
        suppressed: Untold = ""
        for broken in detection.broken:
            why = self._why(detection.tool, broken)
            if why:
                suppressed = why
            else:
                left.append(broken)
        faults = {address(detection.tool, one.clause) for one in left if self._is_fault(detection.tool, one)}
        return AlertDecision(tuple(left), "" if left else suppressed, faults=frozenset(faults))

    def _why(self, tool: str, broken: BrokenClause) -> Untold:
        """Return why a violation is suppressed; empty where it is not."""
        overrides, now, names = self._decided.overrides, self._clock(), self._names(tool, broken.clause)
        silent = next(filter(None, (overrides.suppression(name, now) for name in names)), "")
        if silent:
            return "called wrong" if silent == "called wrong" else "muted"
        entries = map(overrides.entries.get, names)
        accepted = [entry.accepted for entry in entries if entry is not None]
        return "a change" if _is_in(accepted, broken) else ""

    def _is_fault(self, tool: str, broken: BrokenClause) -> bool:
        """Say whether people have called what violates a clause a fault."""
        entries = map(self._decided.overrides.entries.get, self._names(tool, broken.clause))
        return _is_in([entry.rejected for entry in entries if entry is not None], broken)

    def _names(self, tool: str, clause: Clause) -> list[str]:
        """Return a clause's names: by its tool, of a built-in rule for all tools, and by each shape on which something was decided."""
        return [*names_of(tool, clause), *(identify(owner, clause) for owner in self._decided.shapes)]


def _is_in(decided: Iterable[Collection[str]], broken: BrokenClause) -> bool:
    """Say whether what is new about a violation is among what was decided on."""
    decided = [hashes for hashes in decided if hashes]
    if not decided or broken.clause.kind not in KINDS:
        return False
    new = novelty_hash(novel_value(broken.clause, broken.violation))
    return any(new in hashes for hashes in decided)
