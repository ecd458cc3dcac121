"""Whether two sums are equal by a rule or by chance, in all records or in those that one field tells.

Much is tried, so a relation must be too unlikely to be chance in two ways: that so many sums agree, given how often two of them
drawn at random would, and that all that disagree share a few values of one field. Both count times the number of tries.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from outcome_monitors.rules.conservation import MOST_PLACES
from outcome_monitors.values.paths import parent

from ._sums import Sheet, Side

__all__ = ["LEAST_EACH", "LEAST_RECORDS", "Guards", "SumVerdict", "judge"]

LEAST_RECORDS = 20
"""Records that must show a relation, with sums other than zero."""
LEAST_EACH = 5
"""How many of them must do so for each value of the guard, have more than one row, and have sums of their own."""
CHANCE = 1e-4
"""How likely it may be that a table without any relation gives one."""

Guards = Mapping[str, Sequence[str | None]]
"""The category of each record, by the path of the field that says it."""


class SumVerdict(NamedTuple):
    """How two sides do on a table; records are named by their position."""

    left: Side
    right: Side
    judged: int
    equal: int
    guard: str | None = None
    values: Sequence[str] = ()
    """The values of the guard for which the relation holds."""
    evidence: Sequence[int] = ()
    """The records that show it."""
    cancelled: Sequence[int] = ()
    """The records outside of it where what counts for and what counts against come to the same."""
    refused: str = ""

    def rank(self) -> tuple[bool, int, int, bool]:
        """Order verdicts on the same two columns: the last is the best."""
        return not self.refused, len(self.evidence), len(self.cancelled), not self.left.by


def judge(sheet: Sheet, left: Side, right: Side, guards: Guards, tries: int) -> SumVerdict:
    """Compare two sides on all records."""
    totals = list(zip(sheet.totals(left), sheet.totals(right), strict=True))
    judged = [place for place, both in enumerate(totals) if None not in both]
    failing = [place for place in judged if totals[place][0] != totals[place][1]]
    shown = [place for place in judged if totals[place][0] == totals[place][1] != 0]
    verdict = SumVerdict(left, right, len(judged), len(shown), evidence=shown)
    outside = len(judged)
    if failing:
        verdict = verdict._replace(evidence=(), cancelled=_cancelled(sheet, left, failing))
        for guard, categories in sorted(guards.items()):
            values = _values(categories, failing, shown)
            evidence = [place for place in shown if categories[place] in values]
            if len(evidence) > len(verdict.evidence):
                verdict = verdict._replace(guard=guard, values=sorted(values), evidence=evidence)
                outside = sum(categories[place] not in values for place in judged)
    agreed = [totals[place][0] for place in verdict.evidence]
    refused = (
        _too_few(sheet, verdict, agreed)
        or _by_accident(agreed, tries)
        or _guarded_by_accident(len(failing), outside, len(judged), tries)
    )
    return verdict._replace(refused=refused)


def _values(categories: Sequence[str | None], failing: Sequence[int], shown: Sequence[int]) -> set[str]:
    """Return the values of a guard that enough records show the relation for, and none breaks it for."""
    broken = {categories[place] for place in failing}
    support = Counter(categories[place] for place in shown)
    return {
        value
        for value, count in support.items()
        if value is not None and value not in broken and count >= LEAST_EACH
    }


def _cancelled(sheet: Sheet, side: Side, failing: Sequence[int]) -> Sequence[int]:
    """Return the records where the signed rows of a side come to nothing, if they are enough to show a sign."""
    if not side.by:
        return ()
    totals, parts = sheet.totals(side), sheet.parts(side._replace(signs=()))
    found = [place for place in failing if totals[place] == 0 and any((parts[place] or {}).values())]
    return found if len(found) >= LEAST_EACH else ()


def _too_few(sheet: Sheet, verdict: SumVerdict, agreed: Sequence[int | None]) -> str:
    left, right, evidence = verdict.left.path, verdict.right.path, verdict.evidence
    if not evidence and verdict.equal < verdict.judged:
        return "no field tells in which"
    if len(evidence) < LEAST_RECORDS:
        return f"fewer than {LEAST_RECORDS} show it"
    if len(set(agreed)) < LEAST_EACH:
        return f"fewer than {LEAST_EACH} different sums"
    first, second = sheet.units(left), sheet.units(right)
    if sum(len(first[place] or ()) > 1 or len(second[place] or ()) > 1 for place in evidence) < LEAST_EACH:
        return f"fewer than {LEAST_EACH} have more than one row"
    if parent(left) == parent(right) and all(first[place] == second[place] for place in evidence):
        return "the numbers are the same row by row"
    if max(sheet.decimals(left), sheet.decimals(right)) == MOST_PLACES:
        # Some were rounded to that many, so the sums may be equal here and not when results are checked.
        return f"the numbers have {MOST_PLACES} decimal places or more"
    return ""


def _by_accident(agreed: Sequence[int | None], tries: int) -> str:
    """Say where two sums drawn at random would agree so often that all of these might."""
    same = sum((count / len(agreed)) ** 2 for count in Counter(agreed).values())
    return "that could be chance" if _too_likely(len(agreed) * math.log(same), tries) else ""


def _guarded_by_accident(failing: int, outside: int, judged: int, tries: int) -> str:
    """Say where records that fail, strewn at random, might all be among those outside the guard."""
    likely = _log_choose(outside, failing) - _log_choose(judged, failing)
    return "no field tells in which" if failing and _too_likely(likely, tries) else ""


def _too_likely(log_likely: float, tries: int) -> bool:
    return log_likely + math.log(tries) > math.log(CHANCE)


def _log_choose(many: int, few: int) -> float:
    return math.lgamma(many + 1) - math.lgamma(few + 1) - math.lgamma(many - few + 1)
