"""What mining in profile `full` keeps of a tool's traffic: bounded samples (`samples`) of what stood at each path, and of objects."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from outcome_monitors.memory.past import Recalled
from outcome_monitors.records.extraction import features_of
from outcome_monitors.records.features import Features
from outcome_monitors.records.walk import Seen
from outcome_monitors.values.json_in_text import BEGINS, begins_as_json, json_in
from outcome_monitors.values.paths import is_in_text, parent
from outcome_monitors.values.types import kind_of

from .samples import Sample, Witness
from .table import Table
from .tasks import Tasks, count_tasks, join_tasks

__all__ = ["LONGEST_TEXT", "Evidence", "Place", "Rows", "kept_text", "together"]

Rows = list[tuple[dict[str, Any], Witness]]
"""Records as dictionaries of features, each with its witness."""

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
