"""What mining in profile `full` keeps of a tool's traffic: bounded samples, with the tasks that stand behind them.

Each distinct value of a path, and each distinct object, is kept with the number of calls it was in and up to two of its
tasks. Two are enough: what was seen in one task alone is what would have raised an alarm had that task been left out, so the
false-alarm rate of any rule on unseen tasks can be read off (leave one task out) without a second pass over the traces.

A sample holds the items of the smallest hashes, so that it is the same whatever the order and the split of the traces, and
complete while the items are few.
"""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, TypeVar

from ._features import Features, features_of
from ._memory import Recollection
from ._paths import parent
from ._seen import Seen
from ._tasks import Tasks, count_tasks, join_tasks, stable_hash

__all__ = ["Evidence", "Place", "Rows", "Sample", "Witness"]

T = TypeVar("T", bound=Hashable)

NO_TASK = -1


class Witness(NamedTuple):
    """In how many calls an item was seen, and up to two of its tasks, the smallest hashes first."""

    calls: int
    first: int
    second: int

    @property
    def alone(self) -> bool:
        """Say whether one task only stands behind the item."""
        return self.second == NO_TASK


Rows = list[tuple[dict[str, Any], Witness]]
"""Records as dictionaries of features, each with its witness."""


class Sample(Generic[T]):
    """Distinct items, at most `size` of them, with their witnesses."""

    __slots__ = ("_items", "_sorted", "size", "whole")

    def __init__(self, size: int) -> None:
        self.size = size
        self.whole = True
        """Nothing had to be left out."""
        self._items: dict[T, list[int]] = {}
        self._sorted: list[tuple[T, Witness]] | None = None

    def add(self, item: T, task: int) -> None:
        """Add an item of one call."""
        self._sorted = None
        found = self._items.get(item)
        if found is None:
            self._items[item] = [1, task, NO_TASK]
            if len(self._items) > 2 * self.size:
                self._shrink()
        else:
            found[0] += 1
            if task != found[1] and task != found[2]:
                _add_task(found, task)

    def put(self, item: T, witness: "Witness | list[int]") -> None:
        """Add an item with all its witnesses."""
        self._sorted = None
        calls, first, second = witness
        found = self._items.get(item)
        if found is None:
            self._items[item] = [calls, first, second]
            return
        found[0] += calls
        for task in (first, second):
            if task != NO_TASK and task != found[1] and task != found[2]:
                _add_task(found, task)

    def merge(self, other: "Sample[T]") -> None:
        """Add all items of another sample."""
        self.whole = self.whole and other.whole
        for item, witness in other._items.items():  # noqa: SLF001 - of the same class
            self.put(item, witness)
        if len(self._items) > 2 * self.size:
            self._shrink()

    def items(self) -> list[tuple[T, Witness]]:
        """Return the items that the sample stands for, in a stable order."""
        if self._sorted is None:
            if len(self._items) > self.size:
                self._shrink()
            found = ((item, Witness(*counts)) for item, counts in self._items.items())
            self._sorted = sorted(found, key=lambda pair: repr(pair[0]))
        return self._sorted

    def __len__(self) -> int:
        return min(len(self._items), self.size)

    def _shrink(self) -> None:
        # What is left out has `size` items with smaller hashes before it, now and ever after: it cannot come back.
        kept = sorted(self._items, key=lambda item: stable_hash(repr(item)))[: self.size]
        self._items = {item: self._items[item] for item in kept}
        self.whole = False


def _add_task(found: list[int], task: int) -> None:
    if found[2] == NO_TASK:
        found[1], found[2] = (found[1], task) if found[1] < task else (task, found[1])
    else:
        found[1], found[2] = sorted((found[1], found[2], task))[:2]


VALUES = 600
"""Distinct values of a path that are kept."""
OBJECTS = 1200
"""Distinct objects of a path that are kept."""
LONGEST_TEXT = 2000


@dataclass(slots=True)
class Place:
    """What stood at one path."""

    calls: int = 0
    count: int = 0
    tasks: Tasks = field(default_factory=set)
    kinds: Sample[str] = field(default_factory=lambda: Sample(16))
    texts: Sample[str] = field(default_factory=lambda: Sample(VALUES))
    numbers: Sample[float] = field(default_factory=lambda: Sample(VALUES))
    lengths: Sample[int] = field(default_factory=lambda: Sample(VALUES))
    """Of lists."""
    sizes: Sample[int] = field(default_factory=lambda: Sample(VALUES))
    """Of texts."""
    with_objects: int = 0
    """Calls with an object here."""
    complete: int = 0
    """Calls in which every object at the parent had something here."""

    def observe(self, values: list[Any], task: int) -> None:
        """Add the values of one call."""
        self.calls += 1
        self.count += len(values)
        join_tasks(self.tasks, (task,))
        kinds, texts, numbers, lengths, sizes = self.kinds, self.texts, self.numbers, self.lengths, self.sizes
        once: set[Any] = set()
        for value in values:
            python = type(value)
            if python is str:
                kinds_key = "string"
                text = value if len(value) <= LONGEST_TEXT else value[:1000] + value[-1000:]
                if text not in once:
                    once.add(text)
                    texts.add(text, task)
                    sizes.add(len(value), task)
            elif python is int or python is float:
                kinds_key = "integer" if python is int else "number"
                if value != value:  # noqa: PLR0124 - a NaN is kept by its type alone
                    pass
                elif (1, value) not in once:
                    once.add((1, value))
                    # 1 and 1.0 are one value, whichever came first.
                    numbers.add(int(value) if python is float and value.is_integer() else value, task)
            elif python is list:
                kinds_key = "array"
                length = len(value)
                if (2, length) not in once:
                    once.add((2, length))
                    lengths.add(length, task)
            elif python is dict:
                kinds_key = "object"
            elif value is None:
                kinds_key = "null"
            elif python is bool:
                kinds_key = "boolean"
            else:
                kinds_key = "other"
            if (3, kinds_key) not in once:
                once.add((3, kinds_key))
                kinds.add(kinds_key, task)
        self.with_objects += (3, "object") in once

    def merge(self, other: "Place") -> None:
        """Add what another has seen."""
        self.calls += other.calls
        self.count += other.count
        self.with_objects += other.with_objects
        self.complete += other.complete
        join_tasks(self.tasks, other.tasks)
        self.kinds.merge(other.kinds)
        self.texts.merge(other.texts)
        self.numbers.merge(other.numbers)
        self.lengths.merge(other.lengths)
        self.sizes.merge(other.sizes)


@dataclass(slots=True)
class Evidence:
    """What was seen of one tool."""

    calls: int = 0
    places: dict[str, Place] = field(default_factory=dict)
    records: dict[str, Sample[Features]] = field(default_factory=dict)
    recalled: dict[tuple[str, str, str], Sample[bool]] = field(default_factory=dict)
    """For each path, key and field: whether what was said earlier in the session was said again."""
    _rows: dict[str, Rows] = field(default_factory=dict)

    def rows(self, path: str) -> Rows:
        """Return the distinct records of a path, as dictionaries of features; call it when all is observed."""
        if path not in self._rows:
            self._rows[path] = [
                (dict(zip(features.names, features.values, strict=True)), witness)
                for features, witness in self.records[path].items()
            ]
        return self._rows[path]

    def observe(self, seen: Seen) -> None:
        """Add one call."""
        self.calls += 1
        task = seen.task
        places = self.places
        for path, values in seen.values.items():
            place = places.get(path)
            if place is None:
                place = places[path] = Place()
            place.observe(values, task)
            place.complete += len(values) == len(seen.objects.get(parent(path), ()))
        for path, found in features_of(seen):
            sample = self.records.get(path)
            if sample is None:
                sample = self.records[path] = Sample(OBJECTS)
            for features in found:
                sample.add(features, task)

    def recall(self, recollections: Iterable[Recollection], task: int) -> None:
        """Add how one call agreed with what its session had heard before."""
        agreed: dict[tuple[str, str, str], bool] = {}
        for path, key, name, before, now in recollections:
            agreed[path, key, name] = agreed.get((path, key, name), True) and before == now
        for what, found in agreed.items():
            if what not in self.recalled:
                self.recalled[what] = Sample(2)
            self.recalled[what].add(found, task)

    def merge(self, other: "Evidence") -> None:
        """Add what another has seen."""
        self.calls += other.calls
        for what, sample in other.recalled.items():
            if what not in self.recalled:
                self.recalled[what] = Sample(2)
            self.recalled[what].merge(sample)
        for path, place in other.places.items():
            if path not in self.places:
                self.places[path] = Place()
            self.places[path].merge(place)
        for path, sample in other.records.items():
            if path not in self.records:
                self.records[path] = Sample(OBJECTS)
            self.records[path].merge(sample)

    def tasks(self, path: str) -> int:
        """Return in how many distinct tasks something stood at a path."""
        place = self.places.get(path)
        return count_tasks(place.tasks) if place else 0
