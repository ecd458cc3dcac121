"""What always holds in the clean results of a tool: fields always there, times in order, sorted lists, sums.

Each class learns from one walked result at a time and answers one question. All are bounded by the number of
distinct paths.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from outcome_monitors.jsonvalue.types import finite
from outcome_monitors.model import Json

from .places import Node
from .times import moment

__all__ = ["FieldPresence", "Orders", "Sorting", "Sum", "Sums", "sums_in"]

# Fewer sightings than this are no regularity.
ENOUGH = 3
# Of wide objects and long lists, the first few fields and rows say enough.
MOST_FIELDS = 12
MOST_ROWS = 100

Spot = tuple[str, str]
"""A tool and a path."""


class FieldPresence:
    """Which fields every object at a place has."""

    def __init__(self) -> None:
        self._always: dict[Spot, set[str]] = {}
        self._seen: Counter[Spot] = Counter()

    def learn(self, tool: str, nodes: Sequence[Node]) -> None:
        """Look at the parts of one clean result."""
        for node in nodes:
            if isinstance(node.value, dict):
                spot = (tool, node.path)
                self._seen[spot] += 1
                keys = self._always.setdefault(spot, set(node.value))
                keys.intersection_update(node.value)

    def always(self, tool: str, path: str) -> frozenset[str]:
        """Return the keys that every object there had."""
        spot = (tool, path)
        return frozenset(self._always[spot]) if self._seen[spot] >= ENOUGH else frozenset()


class Orders:
    """Which two times of one object are always in the same order."""

    def __init__(self) -> None:
        self._strict: dict[Spot, Counter[tuple[str, str]]] = {}

    def learn(self, tool: str, nodes: Sequence[Node]) -> None:
        """Look at the parts of one clean result."""
        for node in nodes:
            if isinstance(node.value, dict):
                times = [(key, at) for key, value in node.value.items() if (at := moment(value))][
                    :MOST_FIELDS
                ]
                if len(times) > 1:
                    self._count(self._strict.setdefault((tool, node.path), Counter()), times)

    @staticmethod
    def _count(strict: Counter[tuple[str, str]], times: list[tuple[str, tuple[str, Json]]]) -> None:
        for first, (sort, one) in times:
            for second, (other, two) in times:
                if sort == other and one < two:
                    strict[first, second] += 1

    def ordered(self, tool: str, path: str) -> list[tuple[str, str]]:
        """Return the pairs of keys of which the first was often before the second and never after it."""
        strict = self._strict.get((tool, path), Counter())
        return [(a, b) for (a, b), seen in strict.items() if seen >= ENOUGH and (b, a) not in strict]


class Sorting:
    """By which fields the rows of a list are always sorted, one way or the other."""

    def __init__(self) -> None:
        self._sorted: dict[tuple[str, str, bool], Counter[str]] = {}
        self._broken: dict[tuple[str, str, bool], set[str]] = {}

    def learn(self, tool: str, nodes: Sequence[Node]) -> None:
        """Look at the parts of one clean result."""
        for node in nodes:
            rows = node.value
            if isinstance(rows, list) and len(rows) >= ENOUGH and isinstance(rows[0], dict):
                for key in list(rows[0])[:MOST_FIELDS]:
                    self._see(tool, node.path, key, _column(rows[:MOST_ROWS], key))

    def _see(self, tool: str, path: str, key: str, column: list[Json]) -> None:
        for falling in (False, True) if column else ():
            if column == sorted(column, reverse=falling):
                self._sorted.setdefault((tool, path, falling), Counter())[key] += 1
            else:
                self._broken.setdefault((tool, path, falling), set()).add(key)

    def sort_keys(self, tool: str, path: str) -> frozenset[str]:
        """Return the keys by which the lists there were often sorted and never otherwise."""
        return frozenset(
            key
            for falling in (False, True)
            for key, seen in self._sorted.get((tool, path, falling), {}).items()
            if seen >= ENOUGH and key not in self._broken.get((tool, path, falling), ())
        )


def _column(rows: Sequence[Json], key: str) -> list[Json]:
    """Return the values of a key in all rows, where they can be sorted at all and are not all the same."""
    column = _cells(rows, key)
    if not all(isinstance(value, str) for value in column) and not all(map(finite, column)):
        return []
    return column if any(value != column[0] for value in column) else []


def _cells(rows: Sequence[Json], key: str) -> list[Json]:
    return [row.get(key) if isinstance(row, dict) else None for row in rows]


class Sum(NamedTuple):
    """A number that is the sum of a column."""

    total: Node
    rows: Node
    key: str


def sums_in(nodes: Sequence[Node]) -> Iterator[Sum]:
    """Yield the numbers that equal the sum of a column of two rows or more elsewhere in the result."""
    sums: dict[float, tuple[Node, str]] = {}
    for node in nodes:
        rows = node.value
        if isinstance(rows, list) and len(rows) > 1 and isinstance(rows[0], dict):
            for key in rows[0]:
                column = _cells(rows, key)
                if all(finite(value) and 0 < value < 1e12 for value in column):
                    sums.setdefault(round(sum(column), 2), (node, key))
    for node in nodes if sums else ():
        if finite(node.value) and abs(node.value) < 1e15:
            found = sums.get(round(node.value, 2))
            if found and node.place[: len(found[0].place)] != found[0].place:
                yield Sum(node, *found)


class Sums:
    """Which sums hold often enough to be no chance."""

    def __init__(self) -> None:
        self._seen: Counter[tuple[str, str, str, str]] = Counter()

    def learn(self, tool: str, nodes: Sequence[Node]) -> None:
        """Look at the parts of one clean result."""
        for total, rows, key in sums_in(nodes):
            self._seen[tool, total.path, rows.path, key] += 1

    def holds(self, tool: str, found: Sum) -> bool:
        """Say whether this sum was seen before."""
        return self._seen[tool, found.total.path, found.rows.path, found.key] >= ENOUGH
