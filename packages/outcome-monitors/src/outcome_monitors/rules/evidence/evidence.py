"""What mining in profile `full` keeps of a tool's traffic: bounded samples (`samples`) of what stood at each path, and of objects."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from outcome_monitors.features.extraction import features_of
from outcome_monitors.features.feature import Features
from outcome_monitors.features.walk import WalkedCall
from outcome_monitors.jsonvalue.paths import ROOT, is_in_text, parent
from outcome_monitors.jsonvalue.text import stable_hash

from .place import LONGEST_TEXT, Place, stored_text
from .samples import Sample, Witness
from .table import Table
from .tasks import Tasks, count_tasks, join_tasks

if TYPE_CHECKING:
    # Kinds know evidence, and a contract without a clause on sessions needs no memory.
    from outcome_monitors.features.session.state import Recalled

__all__ = ["LONGEST_TEXT", "Evidence", "FeaturesByPath", "Place", "Rows", "stored_text", "together"]

FeaturesByPath = list[tuple[str, list[Features]]]
"""The features of the records of a call."""
ObservedCall = tuple[WalkedCall, FeaturesByPath]
"""What stands where in a call, and the features of its records."""
Rows = list[tuple[dict[str, Any], Witness]]
"""Records as dictionaries of features, each with its witness."""

MOST_PLACES = 2048
"""Paths that are kept of a tool where there were twice as many: servers have a few hundred, and names that never come again are data."""
OBJECTS = 1200
"""Distinct objects of a path that are kept."""


@dataclass(slots=True)
class Evidence:
    """What was seen of one tool."""

    calls: int = 0
    places: dict[str, Place] = field(default_factory=dict)
    records: dict[str, Sample[Features]] = field(default_factory=dict)
    recalled: dict[tuple[str, str, str], Sample[bool]] = field(default_factory=dict)
    """For each path, key and field: whether what was said earlier in the session was said again."""
    violated: dict[str, tuple[int, Tasks]] = field(default_factory=dict)
    """Of each built-in rule that results violate: how many, and in which tasks."""
    heard: Tasks = field(default_factory=set)
    """The tasks, hashes of"""
    asked: Tasks = field(default_factory=set)
    """what was asked, and"""
    answered: Tasks = field(default_factory=set)
    """of what was answered: many tasks that hear one thing are one witness."""
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

    def let_go(self) -> None:
        """Let go of rows and tables: they take more room than the samples, and are made again when they are asked for."""
        self._rows.clear()
        self._tables.clear()

    def observe(self, seen: WalkedCall) -> None:
        """Add one call."""
        self.observe_all([(seen, [*features_of(seen)])])

    def observe_all(self, calls: Sequence[ObservedCall]) -> None:
        """Add several calls."""
        self.calls += len(calls)
        self.let_go()
        for seen, _ in calls:
            join_tasks(self.heard, (seen.task,))
            join_tasks(self.asked, (_hash(seen.arguments),))
            join_tasks(self.answered, (_hash(seen.result),))
        columns: dict[str, list[tuple[list[Any], int]]] = {}
        records: dict[str, list[tuple[Features, int]]] = {}
        for seen, features in calls:
            for path, values in seen.values.items():
                columns.setdefault(path, []).append((values, seen.task))
            for path, found in features:
                records.setdefault(path, []).extend([(record, seen.task) for record in found])
        for path, column in columns.items():
            place = _at(self.places, path, Place)
            place.observe_all(column)
            place.complete += _complete(calls, path)
        for path, found_there in records.items():
            _at(self.records, path, _objects).add_all(found_there)
        self._bound()

    def recall(self, recalled: "Iterable[Recalled]", task: int) -> None:
        """Add how one call agreed with what its session had heard before."""
        agreed: dict[tuple[str, str, str], bool] = {}
        for what, held, _, _ in recalled:
            agreed[what] = agreed.get(what, True) and held
        for what, held in agreed.items():
            _at(self.recalled, what, _either).add(held, task)

    def note_violated(self, kinds: Iterable[str], task: int) -> None:
        """Count a result for each built-in rule that it violates."""
        for kind in kinds:
            self._count_violated(kind, 1, (task,))

    def _count_violated(self, kind: str, results: int, more: Iterable[int]) -> None:
        before, tasks = self.violated.get(kind, (0, set()))
        join_tasks(tasks, more)
        self.violated[kind] = (before + results, tasks)

    def merge(self, other: "Evidence") -> None:
        """Add what another has seen."""
        self.calls += other.calls
        self.let_go()
        join_tasks(self.heard, other.heard)
        join_tasks(self.asked, other.asked)
        join_tasks(self.answered, other.answered)
        for path, place in other.places.items():
            _at(self.places, path, Place).merge(place)
        for path, records in other.records.items():
            _at(self.records, path, _objects).merge(records)
        for what, recalled in other.recalled.items():
            _at(self.recalled, what, _either).merge(recalled)
        for kind, (results, tasks) in other.violated.items():
            self._count_violated(kind, results, tasks)
        self._bound()

    def _bound(self) -> None:
        """Let go of the paths that the fewest tasks have shown, where there are too many."""
        if len(self.places) + len(self.records) <= 2 * MOST_PLACES:
            return
        kept = {ROOT}
        for path in sorted(self.places, key=lambda path: (-self.tasks(path), stable_hash(path)))[
            :MOST_PLACES
        ]:
            while path not in kept:
                kept.add(path)
                path = parent(path)  # noqa: PLW2901 - and what it stands in
        self.places = {path: place for path, place in self.places.items() if path in kept}
        self.records = {path: records for path, records in self.records.items() if path in kept}
        self.recalled = {what: sample for what, sample in self.recalled.items() if what[0] in kept}

    def witnesses(self) -> int:
        """Return how many independent witnesses there are: tasks that asked something else and heard something else."""
        found = min(count_tasks(self.heard), count_tasks(self.answered))
        # Where every call asks the same, only the answers tell.
        return min(found, count_tasks(self.asked)) if len(self.asked) > 1 else found

    def tasks(self, path: str) -> int:
        """Return in how many distinct tasks something stood at a path."""
        place = self.places.get(path)
        return count_tasks(place.tasks) if place else 0


def _hash(value: Any) -> int:
    # Of what is private, its kind.
    return stable_hash(json.dumps(value, sort_keys=True, default=lambda hidden: type(hidden).__name__))


K = TypeVar("K")
V = TypeVar("V")


def _at(table: dict[K, V], key: K, new: Callable[[], V]) -> V:
    """Return what stands under a key, something new if nothing does."""
    found = table.get(key)
    if found is None:
        found = table[key] = new()
    return found


def _complete(calls: Iterable[ObservedCall], path: str) -> int:
    """Return in how many calls with something here all that it could have stood in at the parent had it."""
    above, here = parent(path), [seen for seen, _ in calls if path in seen.values]
    if is_in_text(path):
        return sum(
            len(seen.values[path]) == sum(type(value) is str for value in seen.values[above]) for seen in here
        )
    return sum([len(seen.values[path]) == len(seen.objects.get(above, ())) for seen in here])


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
