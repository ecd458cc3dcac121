"""Exact sums over the records of a table, in whole units of 1e-9."""

import math
from collections.abc import Callable, Iterator, Sequence
from decimal import Context, Decimal
from functools import cache
from typing import NamedTuple, TypeVar

from outcome_monitors.model import Json
from outcome_monitors.rules.base.sides import category, leaves
from outcome_monitors.rules.conservation import MOST_PLACES
from outcome_monitors.values.paths import Each, parse, render
from outcome_monitors.values.types import finite

from ._records import Record

__all__ = ["Sheet", "Side", "is_sum"]

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
        self.units = cache(self._units)
        self.categories = cache(self._categories)
        self.parts = cache(self._parts)
        self.totals = cache(self._totals)
        self.decimals = cache(self._decimals)

    def _units(self, path: str) -> list[list[int] | None]:
        """Return the numbers that each record has at a path."""
        return [_all(_in_units, found) for found in self._leaves(path)]

    def _categories(self, path: str) -> list[list[str] | None]:
        """Return the categories that each record has at a path."""
        return [_all(category, found) for found in self._leaves(path)]

    def _parts(self, side: Side) -> list[dict[str, int] | None]:
        """Return the sums of each record by category of the row."""
        by = render((*parse(side.path)[:-1], side.by))
        return [
            None if numbers is None or kinds is None else _add_up(numbers, kinds)
            for numbers, kinds in zip(self.units(side.path), self.categories(by), strict=True)
        ]

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

    def _leaves(self, path: str) -> Iterator[list[Json] | None]:
        steps = parse(path)
        return (leaves(record, steps) for record in self.records)


def _all(read: Callable[[Json], T | None], values: list[Json] | None) -> list[T] | None:
    """Read all values, or none where one cannot be read."""
    if values is None:
        return None
    found = [one for one in map(read, values) if one is not None]
    return found if len(found) == len(values) else None


def _add_up(numbers: list[int], kinds: list[str]) -> dict[str, int]:
    parts: dict[str, int] = {}
    for number, kind in zip(numbers, kinds, strict=True):
        parts[kind] = parts.get(kind, 0) + number
    return parts


def _in_units(number: Json) -> int | None:
    """Return a number, as its shortest decimal form says it, in units of 1e-9."""
    if not finite(number) or not -_LARGEST < number < _LARGEST:
        return None
    return int(_EXACT.to_integral_value(_EXACT.scaleb(Decimal(repr(number)), MOST_PLACES)))
