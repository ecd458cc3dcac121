"""The search for sums that are equal: which two, which rows count against, and in which records.

Every pair of sums, and every sum with every field, is tried with every way of signing the rows of one of them by a category. The
work is bounded: so many columns, so many categories, and few records for what does not look promising. Much is tried, so many records
with different sums must agree, and many that disagree must share a few values of one field.
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
"""How many of them must do so for each value of the guard, and have more than one row."""
LEAST_SUMS = 10
"""How many different sums must agree, and how many records must break a relation that a guard restricts: fewer may be chance."""
MOST_COLUMNS = 20
"""Sums, and fields, of one table that are paired; of more, the first by path."""
MOST_SIGNED = 4
"""Categories that signs are sought for."""
SCREENED = 200
"""Records that two sides are first tried on."""

Columns = Mapping[str, TableColumn]
Signed = Mapping[str, Sequence[Side]]
"""The ways of signing the rows of each sum."""
Guards = Mapping[str, Sequence[str | None]]
"""The category of each record, by the path of the field that says it."""


class EqualSums(NamedTuple):
    """A relation as the parameters of a clause, and the number of records that show it."""

    params: Mapping[str, Json]
    records: int


class Relation(NamedTuple):
    """Two sides that are equal wherever a guard has certain values; records are named by their position."""

    left: Side
    right: Side
    guard: str | None
    values: Sequence[str]
    evidence: Sequence[int]
    """The records that show it."""
    cancelled: Sequence[int]
    """The records outside of it where what counts for and what counts against come to the same."""

    def rank(self) -> tuple[int, int, bool]:
        """Order relations of the same two columns: the last is the best."""
        return len(self.evidence), len(self.cancelled), not self.left.by


def find_relations(table: RecordTable) -> Iterator[EqualSums]:
    """Yield the sums of a table that are equal."""
    columns = table.columns
    numbers = [path for path, column in sorted(columns.items()) if column.only(column.numbers)]
    sums = [*filter(is_sum, numbers)][:MOST_COLUMNS]
    fields = [*itertools.filterfalse(is_sum, numbers)][:MOST_COLUMNS]
    signed = {path: list(_signed(path, columns)) for path in sums}
    sheet, screen = Sheet(table.records), Sheet(_some(table.records))
    guards = {
        path: [found[0] if found else None for found in sheet.categories(path)]
        for path, column in sorted(columns.items())
        if not is_sum(path) and _is_category(column, MOST_KEPT)
    }
    for pair in (*itertools.combinations(sums, 2), *itertools.product(fields, sums)):
        tried = (_relation(sheet, *way, guards) for way in _ways(*pair, signed) if _promising(screen, *way))
        best = max((one for one in tried if one is not None), key=Relation.rank, default=None)
        if best is not None:
            yield _conclude(sheet, best, signed)


def _relation(sheet: Sheet, left: Side, right: Side, guards: Guards) -> Relation | None:
    """Return where two sides are equal; None where that is nowhere, or too seldom to be no chance."""
    totals = list(zip(sheet.totals(left), sheet.totals(right), strict=True))
    judged = [place for place, both in enumerate(totals) if None not in both]
    failing = [place for place in judged if totals[place][0] != totals[place][1]]
    shown = [place for place in judged if totals[place][0] == totals[place][1] != 0]
    found = Relation(left, right, None, (), [] if failing else shown, ())
    if len(failing) >= LEAST_SUMS:
        cancelled = _cancelled(sheet, left, failing)
        for guard, categories in guards.items():
            values = _values(categories, failing, shown)
            evidence = [place for place in shown if categories[place] in values]
            if len(evidence) > len(found.evidence):
                found = Relation(left, right, guard, sorted(values), evidence, cancelled)
    agreed = {totals[place][0] for place in found.evidence}
    return found if len(agreed) >= LEAST_SUMS and _is_shown(sheet, found) else None


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


def _is_shown(sheet: Sheet, found: Relation) -> bool:
    """Say whether enough records show a relation, as one of sums: numbers that are the same row by row are none."""
    left, right = found.left.path, found.right.path
    first, second = sheet.units(left), sheet.units(right)
    several = sum(len(first[at] or ()) > 1 or len(second[at] or ()) > 1 for at in found.evidence)
    by_row = parent(left) == parent(right) and all(first[at] == second[at] for at in found.evidence)
    # Numbers of that many places were rounded: their sums may be equal here, and not when results are checked.
    exact = max(sheet.decimals(left), sheet.decimals(right)) < MOST_PLACES
    return len(found.evidence) >= LEAST_RECORDS and several >= LEAST_EACH and not by_row and exact


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


def _conclude(sheet: Sheet, found: Relation, signed: Signed) -> EqualSums:
    sides = [_with_shown_signs(sheet, side, found, signed) for side in (found.left, found.right)]
    left, right = sorted(sides, key=lambda side: not side.by)
    params = {
        "left": left.params(),
        "right": right.params(),
        "where": None if found.guard is None else {"path": found.guard, "values": list(found.values)},
        "places": max(sheet.decimals(left.path), sheet.decimals(right.path)),
    }
    return EqualSums(params, len(found.evidence))


def _with_shown_signs(sheet: Sheet, side: Side, found: Relation, signed: Signed) -> Side:
    """Return a side with signs for those rows alone whose sign the records show: no others will be judged."""
    places = [*found.evidence, *found.cancelled]
    for way in [side] if side.by else signed.get(side.path, ()):
        parts = sheet.parts(way._replace(signs=()))
        seen = {kind for place in places for kind in parts[place] or ()}
        if side.by or len(seen) < len(way.signs):
            return way._replace(
                signs=tuple((kind, sign if side.by else 1) for kind, sign in way.signs if kind in seen)
            )
    return side
