"""What mining in profile `full` keeps of a tool's traffic: bounded samples, with the tasks that stand behind them.

Each distinct value of a path, and each distinct object, is kept with the number of calls it was in and up to two of its
tasks. Two are enough: what was seen in one task alone is what would have raised an alarm had that task been left out, so the
false-alarm rate of any rule on unseen tasks can be read off (leave one task out) without a second pass over the traces.

A sample holds the items of the smallest hashes, so that it is the same whatever the order and the split of the traces, and
complete while the items are few.
"""

import math
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, TypeVar

from ._extraction import features_of
from ._features import Features
from ._json_in_text import BEGINS, begins_as_json, json_in
from ._past import Recalled
from ._paths import is_in_text, parent
from ._seen import Seen
from ._table import Table
from ._tasks import Tasks, count_tasks, join_tasks, stable_hash
from ._values import kind_of

__all__ = [
    "NO_TASK",
    "Evidence",
    "Place",
    "Rows",
    "Sample",
    "Witness",
    "kept_text",
    "tasks_behind",
    "together",
]

T = TypeVar("T", bound=Hashable)

NO_TASK = -1
BEYOND_ALL = 2**64
"""A hash that none is larger than."""


class Witness(NamedTuple):
    """In how many calls an item was seen, and up to two of its tasks, the smallest hashes first."""

    calls: int
    first: int
    second: int

    @property
    def alone(self) -> bool:
        """Say whether one task only stands behind the item."""
        return self.second == NO_TASK

    @property
    def tasks(self) -> tuple[int, ...]:
        """Return the tasks that it names."""
        return (self.first,) if self.second == NO_TASK else (self.first, self.second)


def tasks_behind(witnesses: Iterable[Witness]) -> set[int]:
    """Return the tasks that witnesses name: all of them, where items were seen in two at most."""
    tasks: set[int] = set()
    for _, first, second in witnesses:
        tasks.add(first)
        tasks.add(second)
    tasks.discard(NO_TASK)
    return tasks


Rows = list[tuple[dict[str, Any], Witness]]
"""Records as dictionaries of features, each with its witness."""


class Sample(Generic[T]):
    """Distinct items, at most `size` of them, with their witnesses."""

    __slots__ = ("_beyond", "_items", "_sorted", "_whole", "size")

    def __init__(self, size: int) -> None:
        self.size = size
        self._whole = True
        self._beyond = BEYOND_ALL
        """Items of larger hashes than this have `size` others before them, now and ever after."""
        self._items: dict[T, list[int]] = {}
        self._sorted: list[tuple[T, Witness]] | None = None

    @classmethod
    def restored(cls, size: int, items: Iterable[tuple[T, list[int]]], *, whole: bool) -> "Sample[T]":
        """Return the sample that held these items, each with its witness."""
        sample = cls(size)
        sample._items = dict(items)
        sample._whole = whole
        return sample

    @property
    def whole(self) -> bool:
        """Nothing had to be left out, nor will be when the items are asked for."""
        return self._whole and len(self._items) <= self.size

    def add(self, item: T, task: int) -> None:
        """Add an item of one call."""
        self._sorted = None
        found = self._items.get(item)
        if found is None:
            if self._beyond < BEYOND_ALL and _hash(item) > self._beyond:
                return
            self._items[item] = [1, task, NO_TASK]
            self._shrink_if_large()
        else:
            found[0] += 1
            # Of tasks in order, one above the second changes nothing.
            if task != found[1] and (task < found[2] or found[2] == NO_TASK):
                _add_task(found, task)

    def put(self, item: T, witness: "Witness | list[int]") -> None:
        """Add an item with all its witnesses."""
        self._sorted = None
        _join(self._items, {item: witness})

    def merge(self, other: "Sample[T]") -> None:
        """Add all items of another sample."""
        self._whole = self._whole and other._whole  # noqa: SLF001 - of the same class
        self._beyond = min(self._beyond, other._beyond)  # noqa: SLF001 - of the same class
        theirs = other._items  # noqa: SLF001 - of the same class
        if not theirs:
            return
        self._sorted = None
        if self._items:
            _join(self._items, theirs)
        else:
            self._items = {item: [*witness] for item, witness in theirs.items()}
        self._shrink_if_large()

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

    def _shrink_if_large(self) -> None:
        # Some to spare, so that they are not sorted at every step.
        if len(self._items) > self.size + self.size // 4:
            self._shrink()

    def _shrink(self) -> None:
        # What is left out cannot come back.
        kept = sorted((_hash(item), place) for place, item in enumerate(self._items))[: self.size]
        self._beyond = kept[-1][0]
        items = list(self._items)
        self._items = {items[place]: self._items[items[place]] for _, place in kept}
        self._whole = False


def _hash(item: Hashable) -> int:
    return stable_hash(repr(item))


def _join(items: dict[T, list[int]], more: Mapping[T, Witness | list[int]]) -> None:
    """Add items with all their witnesses."""
    for item, (calls, first, second) in more.items():
        found = items.get(item)
        if found is None:
            items[item] = [calls, first, second]
            continue
        found[0] += calls
        for task in (first, second):
            if task not in (NO_TASK, found[1]) and (task < found[2] or found[2] == NO_TASK):
                _add_task(found, task)


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


def kept_text(text: str) -> str:
    """Return a text as it is kept: of a long one its ends, so that a check must look at no more than them either."""
    return text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT // 2] + text[-LONGEST_TEXT // 2 :]


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
    """Calls in which every object at the parent had something here; of what stands in texts, every text at the parent."""
    broken_json: int = 0
    """Calls with a text here that begins as JSON does and is none."""

    def observe(self, values: list[Any], task: int) -> None:
        """Add the values of one call; what stood there twice counts once."""
        self.calls += 1
        self.count += len(values)
        if task not in self.tasks:
            join_tasks(self.tasks, (task,))
        by_type = _by_type(values)
        for kind in {kind_of(found[0]) for found in by_type.values()}:
            self.kinds.add(kind, task)
        self.with_objects += dict in by_type
        if str in by_type:
            self._observe_texts(by_type[str], task)
        if int in by_type or float in by_type:
            for number in _numbers(by_type):
                self.numbers.add(number, task)
        if list in by_type:
            for length in set(map(len, by_type[list])):
                self.lengths.add(length, task)

    def _observe_texts(self, values: list[str], task: int) -> None:
        doubtful = [value for value in values if value[:1] in BEGINS]
        self.broken_json += any(begins_as_json(value) and json_in(value) is None for value in doubtful)
        sizes = dict(zip(values, map(len, values), strict=True))
        if max(sizes.values()) > LONGEST_TEXT:
            # Of texts that are kept as one, the first.
            sizes = {kept_text(text): size for text, size in reversed(sizes.items())}
        for text, size in sizes.items():
            self.texts.add(text, task)
            self.sizes.add(size, task)

    def merge(self, other: "Place") -> None:
        """Add what another has seen."""
        self.calls += other.calls
        self.count += other.count
        self.with_objects += other.with_objects
        self.complete += other.complete
        self.broken_json += other.broken_json
        join_tasks(self.tasks, other.tasks)
        self.kinds.merge(other.kinds)
        self.texts.merge(other.texts)
        self.numbers.merge(other.numbers)
        self.lengths.merge(other.lengths)
        self.sizes.merge(other.sizes)


def _by_type(values: list[Any]) -> Mapping[type, list[Any]]:
    types = {*map(type, values)}
    if len(types) == 1:
        return {types.pop(): values}
    by_type: dict[type, list[Any]] = {}
    for value in values:
        by_type.setdefault(type(value), []).append(value)
    return by_type


def _numbers(by_type: Mapping[type, list[Any]]) -> set[float]:
    """Return the distinct numbers: 1 and 1.0 are one, whichever came first, and a NaN is kept by its type alone."""
    numbers: set[float] = set(by_type.get(int, ()))
    for value in by_type.get(float, ()):
        if not math.isnan(value):
            numbers.add(int(value) if value.is_integer() else value)
    return numbers


@dataclass(slots=True)
class Evidence:
    """What was seen of one tool."""

    calls: int = 0
    places: dict[str, Place] = field(default_factory=dict)
    records: dict[str, Sample[Features]] = field(default_factory=dict)
    recalled: dict[tuple[str, str, str], Sample[bool]] = field(default_factory=dict)
    """For each path, key and field: whether what was said earlier in the session was said again."""
    _rows: dict[str, Rows] = field(default_factory=dict)
    _tables: dict[str, Table] = field(default_factory=dict)

    def table(self, path: str) -> Table:
        """Return the distinct records of a path, feature by feature."""
        if path not in self._tables:
            self._tables[path] = Table(self.records[path].items())
        return self._tables[path]

    def rows(self, path: str) -> Rows:
        """Return the distinct records of a path, as dictionaries of features."""
        if path not in self._rows:
            self._rows[path] = [
                (dict(zip(features.names, features.values, strict=True)), witness)
                for features, witness in self.records[path].items()
            ]
        return self._rows[path]

    def observe(self, seen: Seen, features: Iterable[tuple[str, Iterable[Features]]] | None = None) -> None:
        """Add one call; its features, where they are known already, need not be found again."""
        self.calls += 1
        self._rows.clear()
        self._tables.clear()
        for path, values in seen.values.items():
            place = _at(self.places, path, Place)
            place.observe(values, seen.task)
            place.complete += len(values) == _hosts(seen, path)
        for path, found in features_of(seen) if features is None else features:
            sample = _at(self.records, path, _objects)
            for record in found:
                sample.add(record, seen.task)

    def recall(self, recalled: Iterable[Recalled], task: int) -> None:
        """Add how one call agreed with what its session had heard before."""
        agreed: dict[tuple[str, str, str], bool] = {}
        for what, held, _, _ in recalled:
            agreed[what] = agreed.get(what, True) and held
        for what, held in agreed.items():
            _at(self.recalled, what, _either).add(held, task)

    def merge(self, other: "Evidence") -> None:
        """Add what another has seen."""
        self.calls += other.calls
        self._rows.clear()
        self._tables.clear()
        for path, place in other.places.items():
            _at(self.places, path, Place).merge(place)
        for path, records in other.records.items():
            _at(self.records, path, _objects).merge(records)
        for what, recalled in other.recalled.items():
            _at(self.recalled, what, _either).merge(recalled)

    def tasks(self, path: str) -> int:
        """Return in how many distinct tasks something stood at a path."""
        place = self.places.get(path)
        return count_tasks(place.tasks) if place else 0


K = TypeVar("K")
V = TypeVar("V")


def _at(table: dict[K, V], key: K, new: Callable[[], V]) -> V:
    """Return what stands under a key, something new if nothing does."""
    found = table.get(key)
    if found is None:
        found = table[key] = new()
    return found


def _hosts(seen: Seen, path: str) -> int:
    """Return how many values there were at the parent that something here could have stood in."""
    above = parent(path)
    if is_in_text(path):
        return sum(type(value) is str for value in seen.values[above])
    return len(seen.objects.get(above, ()))


def _objects() -> Sample[Features]:
    return Sample(OBJECTS)


def _either() -> Sample[bool]:
    return Sample(2)


def together(parts: Iterable[Mapping[str, Evidence]]) -> dict[str, Evidence]:
    """Return the evidence of each tool in all parts."""
    whole: dict[str, Evidence] = {}
    for part in parts:
        for tool, evidence in part.items():
            if tool not in whole:
                whole[tool] = Evidence()
            whole[tool].merge(evidence)
    return whole
