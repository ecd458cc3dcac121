"""The search for sums that are equal: which two, which rows count against, and in which records.

Every pair of sums, and every sum with every field, is tried with every way of signing the rows of one of them by a category. The
work is bounded: so many columns, so many categories, and few records for what does not look promising.
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import NamedTuple

from outcome_monitors.model import Json
from outcome_monitors.values.paths import parse

from ._columns import MOST_KEPT, RecordTable, TableColumn
from ._records import Record
from ._sums import Sheet, Side, is_sum
from ._verdict import LEAST_EACH, LEAST_RECORDS, SumVerdict, judge

__all__ = ["EqualSums", "NearMiss", "find_relations"]

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
    sums, fields = _numbers(table.columns)
    signed = {path: list(_signed(path, table.columns)) for path in sums}
    pairs = [*itertools.combinations(sums, 2), *itertools.product(fields, sums)]
    ways = [list(_ways(*pair, signed)) for pair in pairs]
    sheet, screen = Sheet(table.records), Sheet(_some(table.records))
    guards = {
        path: [found[0] if found else None for found in sheet.categories(path)]
        for path in _guards(table.columns)
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


def _numbers(columns: Columns) -> tuple[list[str], list[str]]:
    """Return the paths of sums, and those of fields."""
    paths = [path for path, column in sorted(columns.items()) if column.only(column.numbers)]
    sums, fields = filter(is_sum, paths), itertools.filterfalse(is_sum, paths)
    return [*sums][:MOST_COLUMNS], [*fields][:MOST_COLUMNS]


def _guards(columns: Columns) -> list[str]:
    return [path for path, column in columns.items() if not is_sum(path) and _is_category(column, MOST_KEPT)]


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
        sides = [_as_seen(sheet, side, verdict, signed) for side in (verdict.left, verdict.right)]
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


def _as_seen(sheet: Sheet, side: Side, verdict: SumVerdict, signed: Signed) -> Side:
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
