"""The search for sums that are equal: which two, which rows count against, and in which records.

Every pair of sums, and every sum with every field, is tried with every way of signing the rows of one of them by a category. The
work is bounded: so many columns, so many categories, and few records for what does not look promising.

Much is tried, so a relation must be too unlikely to be chance in two ways: that so many sums agree, given how often two of them
drawn at random would, and that all that disagree share a few values of one field. Both count times the number of tries.
"""

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Context, Decimal
from functools import cache, partial
from random import Random
from typing import NamedTuple, TypeVar

from outcome_monitors.jsonvalue.paths import Each, parent, parse, render
from outcome_monitors.jsonvalue.types import finite
from outcome_monitors.model import Json
from outcome_monitors.rules.conservation import MOST_PLACES, category, leaves

from ._records import MOST_KEPT, Record, RecordTable, TableColumn

_LARGEST = 10**15
_EXACT = Context(prec=40)

T = TypeVar("T")


class Side(NamedTuple):
    """A sum over rows, or a field; rows count for or against by a category in them where there are signs."""

    path: str
    by: str = ""
    signs: tuple[tuple[str, int], ...] = ()

    def params(self) -> Json:
        """Return it as a clause has it, what counts for before what counts against."""
        if not self.by:
            return {"path": self.path}
        return {
            "path": self.path,
            "by": self.by,
            "signs": dict(sorted(self.signs, key=lambda s: (-s[1], s[0]))),
        }


def is_sum(path: str) -> bool:
    """Say whether a path stands for many values."""
    return any(isinstance(step, Each) for step in parse(path))


class Sheet:
    """Some records, and what their sides add up to; None stands where that cannot be told."""

    def __init__(self, records: Sequence[Record]) -> None:
        self.records = records
        # Each column is needed many times, beside many others.
        self.units = cache(partial(self._column, _in_units))
        self.categories = cache(partial(self._column, category))
        self.parts = cache(self._parts)
        self.totals = cache(self._totals)
        self.decimals = cache(self._decimals)

    def _column(self, read: Callable[[Json], T | None], path: str) -> list[list[T] | None]:
        """Return what each record has at a path; None where one value of it cannot be read."""
        steps = parse(path)
        columns: list[list[T] | None] = []
        for record in self.records:
            values = leaves(record, steps)
            found = [one for one in map(read, values or ()) if one is not None]
            columns.append(found if values is not None and len(found) == len(values) else None)
        return columns

    def _parts(self, side: Side) -> list[dict[str, int] | None]:
        """Return the sums of each record by category of the row."""
        by = render((*parse(side.path)[:-1], side.by))
        found: list[dict[str, int] | None] = []
        for numbers, kinds in zip(self.units(side.path), self.categories(by), strict=True):
            parts: dict[str, int] = {}
            for number, kind in zip(numbers or (), kinds or (), strict=False):
                parts[kind] = parts.get(kind, 0) + number
            found.append(None if numbers is None or kinds is None else parts)
        return found

    def _totals(self, side: Side) -> list[int | None]:
        """Return the total of a side in each record."""
        if not side.by:
            return [None if numbers is None else sum(numbers) for numbers in self.units(side.path)]
        signs = dict(side.signs)
        return [
            None if parts is None else sum(signs[kind] * amount for kind, amount in parts.items())
            for parts in self.parts(side._replace(signs=()))
        ]

    def _decimals(self, path: str) -> int:
        """Return how many decimal places the numbers at a path have."""
        common = math.gcd(*(number for numbers in self.units(path) for number in numbers or ()))
        return next(p for p in range(MOST_PLACES + 1) if common % 10 ** (MOST_PLACES - p) == 0)


def _in_units(number: Json) -> int | None:
    """Return a number, as its shortest decimal form says it, in units of 1e-9."""
    if not finite(number) or not -_LARGEST < number < _LARGEST:
        return None
    return int(_EXACT.to_integral_value(_EXACT.scaleb(Decimal(repr(number)), MOST_PLACES)))


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
    refused = _too_few(sheet, verdict, agreed) or _by_accident(
        agreed, len(failing), outside, len(judged), tries
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


def _by_accident(agreed: Sequence[int | None], failing: int, outside: int, judged: int, tries: int) -> str:
    """Say where it may be chance that so many sums agree, or that all records that fail are among those outside the guard."""
    bound = math.log(CHANCE) - math.log(tries)
    # Two sums drawn at random are the same so often.
    same = sum((count / len(agreed)) ** 2 for count in Counter(agreed).values())
    if len(agreed) * math.log(same) > bound:
        return "that could be chance"
    strewn = _log_choose(outside, failing) - _log_choose(judged, failing)
    return "no field tells in which" if failing and strewn > bound else ""


def _log_choose(many: int, few: int) -> float:
    return math.lgamma(many + 1) - math.lgamma(few + 1) - math.lgamma(many - few + 1)


MOST_COLUMNS = 20
"""Sums, and fields, of one table that are paired; of more, the first by path."""
MOST_SIGNED = 4
"""Categories that signs are sought for."""
SCREENED = 200
"""Records that two sides are first tried on."""

Columns = Mapping[str, TableColumn]
Signed = Mapping[str, Sequence[Side]]
"""The ways of signing the rows of each sum."""


class EqualSums(NamedTuple):
    """A relation as the parameters of a clause, and the number of records that show it."""

    params: Mapping[str, Json]
    records: int


class NearMiss(NamedTuple):
    """Two sides that are equal more often than not, and why that is no relation."""

    path: str
    why: str


def find_relations(table: RecordTable) -> Iterator[EqualSums | NearMiss]:
    """Yield the sums of a table that are equal, and those that nearly are."""
    columns = table.columns
    numbers = [path for path, column in sorted(columns.items()) if column.only(column.numbers)]
    sums = [*filter(is_sum, numbers)][:MOST_COLUMNS]
    fields = [*itertools.filterfalse(is_sum, numbers)][:MOST_COLUMNS]
    signed = {path: list(_signed(path, columns)) for path in sums}
    pairs = [*itertools.combinations(sums, 2), *itertools.product(fields, sums)]
    ways = [list(_ways(*pair, signed)) for pair in pairs]
    sheet, screen = Sheet(table.records), Sheet(_some(table.records))
    guards = {
        path: [found[0] if found else None for found in sheet.categories(path)]
        for path, column in columns.items()
        if not is_sum(path) and _is_category(column, MOST_KEPT)
    }
    tries = sum(map(len, ways)) * (1 + sum(2 ** len(set(values)) for values in guards.values()))
    for some in ways:
        verdicts = [judge(sheet, *way, guards, tries) for way in some if _promising(screen, *way)]
        best = max(verdicts, key=SumVerdict.rank, default=None)
        if best is not None:
            yield from _conclude(sheet, best, signed)


def _some(records: Sequence[Record]) -> Sequence[Record]:
    """Return some records, always the same; every n-th one would fall in step with tables that repeat themselves."""
    if len(records) <= SCREENED:
        return records
    return Random(SCREENED).sample(records, SCREENED)  # noqa: S311 - no secret hangs on it


def _is_category(column: TableColumn, most: int) -> bool:
    kinds = column.categories
    return column.only(column.texts + column.booleans) and kinds is not None and 1 < len(kinds) <= most


def _signed(path: str, columns: Columns) -> Iterator[Side]:
    """Yield every way of signing the rows of a sum, other than all alike."""
    *row, field = parse(path)
    for other, column in sorted(columns.items()):
        *beside, by = parse(other) or ("",)
        if not isinstance(field, str) or not isinstance(by, str) or not by or beside != row:
            continue
        if column.required and _is_category(column, MOST_SIGNED):
            kinds = sorted(column.categories or ())
            for signs in itertools.product((1, -1), repeat=len(kinds)):
                if len(set(signs)) > 1:
                    yield Side(path, by, tuple(zip(kinds, signs, strict=True)))


def _ways(first: str, second: str, signed: Signed) -> Iterator[tuple[Side, Side]]:
    """Yield two sides as they are, and with the one or the other signed; that one is then the left one."""
    yield Side(first), Side(second)
    for one, other in ((first, second), (second, first)):
        yield from ((side, Side(other)) for side in signed.get(one, ()))


def _promising(screen: Sheet, left: Side, right: Side) -> bool:
    """Say whether two sides agree often enough, on some of the records, to be tried on all."""
    totals = zip(screen.totals(left), screen.totals(right), strict=True)
    agreed = [first for first, second in totals if first == second and first]
    return len(agreed) >= max(LEAST_EACH, len(screen.records) // 10) and len(set(agreed)) > 1


def _conclude(sheet: Sheet, verdict: SumVerdict, signed: Signed) -> Iterator[EqualSums | NearMiss]:
    if not verdict.refused:
        sides = [_with_shown_signs(sheet, side, verdict, signed) for side in (verdict.left, verdict.right)]
        left, right = sorted(sides, key=lambda side: not side.by)
        guard, values = verdict.guard, list(verdict.values)
        params = {
            "left": left.params(),
            "right": right.params(),
            "where": None if guard is None else {"path": guard, "values": values},
            "places": max(sheet.decimals(left.path), sheet.decimals(right.path)),
        }
        yield EqualSums(params, len(verdict.evidence))
    elif verdict.judged >= LEAST_RECORDS and 2 * verdict.equal > verdict.judged:
        records = f"{verdict.equal} of {verdict.judged} records"
        yield NearMiss(verdict.left.path, f"equals {verdict.right.path} in {records}, but {verdict.refused}")


def _with_shown_signs(sheet: Sheet, side: Side, verdict: SumVerdict, signed: Signed) -> Side:
    """Return a side with signs for those rows alone whose sign the records show: no others will be judged."""
    places = [*verdict.evidence, *verdict.cancelled]
    for way in [side] if side.by else signed.get(side.path, ()):
        parts = sheet.parts(way._replace(signs=()))
        seen = {kind for place in places for kind in parts[place] or ()}
        if side.by or len(seen) < len(way.signs):
            return way._replace(
                signs=tuple((kind, sign if side.by else 1) for kind, sign in way.signs if kind in seen)
            )
    return side
