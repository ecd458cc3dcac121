"""The records of a path, feature by feature: what the rules look at that relate the features of a record to each other.

A set of records is an int with a bit for each of them, the lowest for the first: to intersect two sets, or to count one, is then a
single step, however many records there are. Most pairs of features have nothing to do with each other, and should cost no more.

Clauses are suggested again and again by records of which most are the same: by all, and by all but those of a part of the tasks. Such
tables are views of one universe of records: what a test says of a record is found out once, and holds in every view.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from outcome_monitors.records.feature import Feature
from outcome_monitors.records.features import ABSENT, Features

if TYPE_CHECKING:
    from .samples import Sample, Witness

__all__ = ["Column", "Records", "Table", "Universe", "first_of", "last_of", "members", "set_of"]

Records = int
"""A set of records."""
T = TypeVar("T")


class Column(NamedTuple):
    """One feature: its value in every record, ABSENT where there is none, and the records that have it."""

    values: list[Any]
    having: Records


class Table:
    """The distinct records of a path; columns are in the order of their names."""

    __slots__ = ("_universe", "columns", "here", "rows", "shapes", "standing", "witnesses")

    def __init__(self, records: Sequence[tuple[Features, "Witness"]]) -> None:
        self.witnesses = [witness for _, witness in records]
        self._universe: Universe | None = None
        self.here: Records = (1 << len(records)) - 1
        """Its records, as they are numbered in its universe."""
        self.rows: Sequence[int] = range(len(records))
        """The same, one by one."""
        self.standing = self.witnesses
        """The witness of each record of its universe; of one that is not here, nobody's."""
        self.shapes: dict[tuple[Feature, ...], Records] = {}
        """The records that have the same features, by the names of these."""
        found: dict[Feature, Column] = {}
        for names, alike in _by_names(records).items():
            having = self.shapes[names] = set_of(alike, len(records))
            rows = [records[index][0].values for index in alike]
            for name, values in zip(names, zip(*rows, strict=True), strict=True):
                before = found.get(name) or Column([ABSENT] * len(records), 0)
                for index, value in zip(alike, values, strict=True):
                    before.values[index] = value
                found[name] = Column(before.values, before.having | having)
        self.columns = dict(sorted(found.items()))

    @classmethod
    def view(cls, universe: "Universe", here: Records, records: "Sample[Features]") -> "Table":
        """Return the records of a universe that are in a sample."""
        table = cls(())
        rows = members(here)
        found = [records.witness(universe.records[row]) for row in rows]
        standing = [*universe.table.witnesses]
        for row, witness in zip(rows, found, strict=True):
            standing[row] = witness
        table._universe, table.here, table.rows = universe, here, rows
        table.witnesses, table.standing = found, standing
        if here == universe.table.here:
            table.shapes, table.columns = universe.table.shapes, universe.table.columns
            return table
        narrow = _narrower(here, rows)
        table.shapes = {
            names: narrow(alike) for names, alike in universe.table.shapes.items() if alike & here
        }
        table.columns = {
            name: Column([values[row] for row in rows], narrow(having))
            for name, (values, having) in universe.table.columns.items()
            if having & here
        }
        return table

    @property
    def universe(self) -> "Universe":
        """The records that this table and others have some of; of a table for itself, its own."""
        if self._universe is None:
            self._universe = Universe((), self, (self.here,))
        return self._universe

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


class Universe:
    """The records that several tables have some of, and what was found out of them."""

    __slots__ = ("_found", "records", "table", "views")

    def __init__(self, records: Sequence[Features], table: Table, views: Sequence[Records]) -> None:
        self.records = records
        self.table = table
        self.views = views
        """The records of each of the tables."""
        self._found: dict[Hashable, Any] = {}

    def once(self, key: Hashable, find: Callable[[], T]) -> T:
        """Return what was found under a key, by whichever table asked first."""
        if key not in self._found:
            self._found[key] = find()
        found: T = self._found[key]
        return found

    def odd(self, records: Records, holds: Callable[[int], bool], most: float) -> Records | None:
        """Return the records that a test does not hold of; None where in every view they are more than a share of those tested.

        That is mostly plain after a few of them, and then it looks no further.
        """
        allowed = [(view, most * (view & records).bit_count()) for view in self.views]
        odd, found, enough = 0, 0, 2
        for row in members(records):
            if not holds(row):
                odd |= 1 << row
                found += 1
                if found == enough:
                    enough += found
                    if all((odd & view).bit_count() > few for view, few in allowed):
                        return None
        return odd


def _narrower(here: Records, rows: list[int]) -> Callable[[Records], Records]:
    """Return what turns a set of a universe's records into one of those that are here, as they are numbered here."""
    whole = (1 << len(rows)) - 1

    def narrow(records: Records) -> Records:
        found = records & here
        if found == here:
            return whole
        return set_of((place for place, row in enumerate(rows) if found >> row & 1), len(rows))

    return narrow


def _by_names(records: Sequence[tuple[Features, "Witness"]]) -> dict[tuple[Feature, ...], list[int]]:
    shapes: dict[tuple[Feature, ...], list[int]] = {}
    for index, (features, _) in enumerate(records):
        shapes.setdefault(features.names, []).append(index)
    return shapes


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
