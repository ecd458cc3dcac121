"""The policy between finding and telling: calm about change, sharp on faults.

A result that breaks its contract is told only where a fault is likely. What has become usual does not count (`changes`); what is
left is weighed (`odds`); and where much of the traffic breaks something, single findings are worth less. The same sequence of
results is always decided in the same way.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from outcome_monitors.contracts.identity import address
from outcome_monitors.model import BUDGET, Broken, Clause, Violation
from outcome_monitors.rules import KINDS, own_place
from outcome_monitors.rules.base.gravity import Gravity
from outcome_monitors.rules.base.session import SessionKind
from outcome_monitors.rules.base.traits import Build
from outcome_monitors.values.hashing import stable_hash
from outcome_monitors.values.paths import ROOT, parent, select

from .blame import gravity_of
from .change_store import ChangeStore
from .changes import Changes
from .failures import failed
from .odds import Graded, least_odds, odds_of_fault
from .policy import Found, Policy, Telling, everything

if TYPE_CHECKING:
    from .way_tables import WayTable

__all__ = ["Calm", "usual_policy"]

MOST_PLACES = 32
"""Places at which one clause is broken that are looked at."""
SPAN = 100
"""Results over which the share of those that break something is taken."""
REST = 0.08
"""The share of results with findings that are not grave up to which each counts in full."""
CALM = 0.01
"""Below this share, less of it says no more."""
GRAVE_ODDS = 3.0
"""From here on something grave is among what is broken."""
_UNSURE = (Gravity.SLIGHT, Gravity.FAIR)


class Calm:
    """Decides what is told, one result after the other."""

    def __init__(self, budget: float = BUDGET, state: "Path | WayTable | None" = None) -> None:
        self.changes = Changes()
        self._store = ChangeStore(state, self.changes) if state is not None else None
        self._least = least_odds(budget)
        self._unrest = [REST for _ in _UNSURE]
        """Of late, the share of results whose gravest finding is each of these."""
        self._outages: dict[str, tuple[str, int]] = {}
        """Of each tool whose last result could not be used: since when, and how many there were."""

    def kept(self, tool: str) -> None:
        """Hear of a result that breaks nothing."""
        self.changes.kept(tool)
        slight, fair = self._unrest
        # Not in a loop, which takes thrice as long: every clean result comes here.
        self._unrest = [slight - slight / SPAN, fair - fair / SPAN]
        if self._outages:
            self._outages.pop(tool, None)

    def report(self) -> list[str]:
        """Return what has changed and people have not been told; from now on they have."""
        return [novelty.addressed() for novelty in self.changes.report()]

    def save(self) -> None:
        """Write what was counted since, where there is a file."""
        if self._store is not None:
            self._store.exchange()

    def __call__(self, found: Found) -> Telling:
        """Decide on a result that breaks something."""
        if self._store is not None:
            self._store.exchange(now=False)
        try:
            return self._decide(found)
        except Exception as error:  # noqa: BLE001 - what cannot be weighed is told
            failed("what a result of %r breaks could not be weighed: %r", found.tool, error)
            return Telling(found.broken)

    def _decide(self, found: Found) -> Telling:
        graded = list(_graded(found))
        since = self._since(found, graded)
        left = graded if since else [one for one in graded if not self.changes.usual(found.tool, one)]
        if not found.whose.again and not since:
            self.changes.heard(found.tool, stable_hash(found.whose.task), found.whose.when, graded)
        names = {id(one.clause) for one in left}
        suspended = tuple(
            address(found.tool, clause)
            for clause, _ in found.broken
            if id(clause) not in names and clause.kind in KINDS
        )
        if not left:
            self._settle(None)
            return Telling((), "a change", suspended, 0.0)
        odds = self._weighed(left, again=found.whose.again)
        if odds < self._least and not since:
            return Telling((), "slight", suspended, odds, since)
        return Telling(_in_order(found.broken, left), "", suspended, odds, since)

    def _weighed(self, left: list[Graded], *, again: bool) -> float:
        """Return the odds of a fault; what is not grave counts for less where much breaks something, and for more where little does."""
        odds, gravest = odds_of_fault(left), max(one.gravity for one in left)
        if gravest in _UNSURE:
            odds *= REST / max(self._unrest[_UNSURE.index(gravest)], CALM)
        if not again:
            self._settle(gravest)
        return odds

    def _settle(self, gravest: Gravity | None) -> None:
        """Count a result whose gravest finding is this."""
        pairs = zip(_UNSURE, self._unrest, strict=True)
        self._unrest = [unrest + ((gravity is gravest) - unrest) / SPAN for gravity, unrest in pairs]

    def _since(self, found: Found, graded: list[Graded]) -> str:
        """Return from when on a tool gives no answer, where that is so; it is no change, however long it lasts."""
        if not (any(one.gravity is Gravity.USELESS for one in graded) or _hollow(found)):
            self._outages.pop(found.tool, None)
            return ""
        when, results = self._outages.get(found.tool, (found.whose.when, 0))
        if not found.whose.again:
            self._outages[found.tool] = (when, results + 1)
        return when or f"{results + 1} results ago"


def usual_policy(profile: str, *, budget: float = BUDGET, state: "Path | WayTable | None" = None) -> Policy:
    """Return the policy for contracts of a profile: the paper's way knows none, and tells everything."""
    return everything if profile == "paper" else Calm(budget, state)


def _graded(found: Found) -> Iterator[Graded]:
    """Yield each way in which a result breaks each clause, with what it says."""
    for clause, violation in found.broken:
        seen = set()
        for one in _everywhere(found, clause, violation):
            # A clause may be told of another member than it names by itself.
            place = own_place(clause, one)
            if place not in seen:
                seen.add(place)
                yield Graded(clause, one, gravity_of(clause, one, found.result))


def _everywhere(found: Found, clause: Clause, violation: Violation) -> Iterator[Violation]:
    """Yield a violation, and those of the same clause at other places: behind one that is usual there may be one that is not."""
    yield violation
    kind = KINDS.get(clause.kind)
    if kind is not None and not isinstance(kind, SessionKind):
        yield from islice(kind.check(clause, found.arguments, found.result), MOST_PLACES)


def _hollow(found: Found) -> bool:
    """Say whether more of a result's required parts are gone than are there."""
    gone = sum(
        1
        for clause, _ in found.broken
        if clause.kind in KINDS and KINDS[clause.kind].build is Build.PRESENCE and parent(clause.path) == ROOT
    )
    there = next((len(value) for _, value in select(found.result, ROOT) if isinstance(value, dict)), 0)
    return gone > max(there, 1)


def _in_order(broken: Broken, left: list[Graded]) -> Broken:
    """Return the clauses that are left, each at its gravest place, in the order in which they explain the result."""
    gravest: dict[int, Graded] = {}
    for one in left:
        known = gravest.get(id(one.clause))
        if known is None or one.gravity > known.gravity:
            gravest[id(one.clause)] = one
    told = {id(clause): violation for clause, violation in broken}
    return tuple((one.clause, _said(told[id(one.clause)], one)) for one in gravest.values())


def _said(told: Violation, one: Graded) -> Violation:
    """Return a violation as it was found, with its support; another place of the same clause has it too."""
    return told if told.path == one.violation.path else replace(one.violation, tasks=told.tasks)
