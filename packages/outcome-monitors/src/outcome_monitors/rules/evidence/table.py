"""The records of a path, feature by feature: what the rules look at that relate the features of a record to each other.

A set of records is an int with a bit for each of them, the lowest for the first: to intersect two sets, or to count one, is then a
single step, however many records there are. Most pairs of features have nothing to do with each other, and should cost no more.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from outcome_monitors.features.feature import ABSENT, Feature, Features
from outcome_monitors.jsonvalue.text import stable_hash

if TYPE_CHECKING:
    from .samples import Witness

MOST_COLUMNS = 2048
"""Servers have a few hundred."""

Records = int
"""A set of records."""


class Column(NamedTuple):
    """One feature: its value in every record, ABSENT where there is none, and the records that have it."""

    values: list[Any]
    having: Records


class Table:
    """The distinct records of a path; columns are in the order of their names."""

    __slots__ = ("columns", "shapes", "with_times", "witnesses")

    def __init__(self, records: Sequence[tuple[Features, "Witness"]]) -> None:
        self.witnesses = [witness for _, witness in records]
        self.with_times: dict[Feature, bool] = {}
        """Whether a feature is a time in any record, of those that were asked for: several kinds do."""
        self.shapes: dict[tuple[Feature, ...], Records] = {}
        """The records that have the same features, by the names of these."""
        found: dict[Feature, Column] = {}
        shapes = _by_names(records)
        columns = _columns(shapes)
        for names, alike in shapes.items():
            having = self.shapes[names] = set_of(alike, len(records))
            rows = [records[index][0].values for index in alike]
            for name, values in zip(names, zip(*rows, strict=True), strict=True):
                if name not in columns:
                    continue
                before = found.get(name) or Column([ABSENT] * len(records), 0)
                for index, value in zip(alike, values, strict=True):
                    before.values[index] = value
                found[name] = Column(before.values, before.having | having)
        self.columns = dict(sorted(found.items()))

    def odd(self, records: Records, holds: Callable[[int], bool], most: float) -> Records | None:
        """Return the records that a test does not hold of; None where they are more than a share of those tested."""
        allowed, odd, found = most * records.bit_count(), 0, 0
        for row in members(records):
            if not holds(row):
                odd |= 1 << row
                found += 1
                if found > allowed:
                    return None
        return odd

    def tasks(self, records: Records) -> set[int]:
        """Return the tasks behind records, as far as their witnesses name them."""
        tasks: set[int] = set()
        for index in members(records):
            tasks.update(self.witnesses[index].tasks)
        return tasks

    def several(self, records: Records) -> bool:
        """Say whether more than one task stands behind records."""
        tasks: set[int] = set()
        while records and len(tasks) < 2:
            index = first_of(records)
            tasks.update(self.witnesses[index].tasks)
            records ^= 1 << index
        return len(tasks) > 1


def _by_names(records: Sequence[tuple[Features, "Witness"]]) -> dict[tuple[Feature, ...], list[int]]:
    shapes: dict[tuple[Feature, ...], list[int]] = {}
    for index, (features, _) in enumerate(records):
        shapes.setdefault(features.names, []).append(index)
    return shapes


def _columns(shapes: Mapping[tuple[Feature, ...], list[int]]) -> Collection[Feature]:
    """Return the features that are looked at: of too many, those that most records have, since names that never come again are data."""
    often = Counter[Feature]()
    for names, alike in shapes.items():
        often.update(dict.fromkeys(names, len(alike)))
    if len(often) <= MOST_COLUMNS:
        return often
    return {*sorted(often, key=lambda name: (-often[name], stable_hash(repr(name))))[:MOST_COLUMNS]}


def set_of(indices: Iterable[int], of: int) -> Records:
    """Return some of the first `of` records as a set."""
    bits = bytearray(b"0") * of
    for index in indices:
        bits[of - 1 - index] = 49
    return int(bits, 2)


def members(records: Records) -> list[int]:
    """Return the records of a set, in order."""
    return [index for index, bit in enumerate(bin(records)[:1:-1]) if bit == "1"]


def first_of(records: Records) -> int:
    """Return the first record of a set that has some."""
    return (records & -records).bit_length() - 1


def last_of(records: Records) -> int:
    """Return the last record of a set that has some."""
    return records.bit_length() - 1
