"""What evidence supports: whether a set is closed, what may be said for good, and how often each place was there.

A set of things seen is all there is to see when few of n tasks alone brought something new: these would have raised a false alarm
had they been left out (Good and Turing's estimate of what is still unseen).

For good may be said of a thing what it is, and not how it stands just now. Groups are the records that share a key, where more
than one task showed it.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from outcome_monitors.features.feature import ABSENT, Feature, Sort
from outcome_monitors.features.field_names import is_moment, is_state, names_a_thing
from outcome_monitors.features.walk import WalkedCall
from outcome_monitors.jsonvalue.paths import ROOT, parent
from outcome_monitors.jsonvalue.times import when
from outcome_monitors.jsonvalue.types import is_number
from outcome_monitors.model import Clause, Json
from outcome_monitors.rules.config import CONFIG
from outcome_monitors.rules.evidence.samples import NO_TASK, Witness
from outcome_monitors.rules.evidence.table import Column, Table
from outcome_monitors.rules.evidence.tasks import Tasks, count_tasks, join_tasks


@dataclass(slots=True)
class Closed:
    """What is admitted, and the tasks that would have fired."""

    admitted: set[Any] = field(default_factory=set)
    fired: dict[int, int] = field(default_factory=dict)
    """Each task that alone brought something, with its calls."""
    seen: int = 0
    """How many distinct things there were, admitted or not."""


def close(
    items: Iterable[tuple[Any, Witness]], tasks: int, feature: Callable[[Any], Hashable] | None = None
) -> Closed:
    """Group items by a feature; admit what more than one task brought, and, of few tasks, everything."""
    groups = _grouped(items, feature)
    closed = Closed(seen=len(groups))
    for key, (calls, first, second) in groups.items():
        if second != NO_TASK or tasks < CONFIG.label_noise_tasks:
            closed.admitted.add(key)
        if second == NO_TASK:
            closed.fired[first] = closed.fired.get(first, 0) + calls
    return closed


def _grouped(
    items: Iterable[tuple[Any, Witness]], feature: Callable[[Any], Hashable] | None
) -> dict[Hashable, list[int]]:
    """Return each feature with its calls and up to two of its tasks."""
    groups: dict[Hashable, list[int]] = {}
    for item, (calls, first, second) in items:
        key = item if feature is None else feature(item)
        group = groups.get(key)
        if group is None:
            groups[key] = [calls, first, second]
            continue
        group[0] += calls
        if group[2] == NO_TASK:
            group[2] = first if first != group[1] else second
    return groups


def join_fired(fired: dict[int, int], more: Mapping[int, int]) -> None:
    """Add tasks that fire; a call that fires twice counts once, as near as can be told."""
    for task, calls in more.items():
        fired[task] = max(fired.get(task, 0), calls)


@dataclass(slots=True)
class Presence:
    """How many values, and how many objects, stood at each path, and in which tasks."""

    calls: int = 0
    values: dict[str, int] = field(default_factory=dict)
    objects: dict[str, int] = field(default_factory=dict)
    tasks: dict[str, Tasks] = field(default_factory=dict)

    def observe(self, seen: WalkedCall) -> None:
        """Count one call."""
        self.calls += 1
        task = (seen.task,)
        for path, found in seen.values.items():
            self.values[path] = self.values.get(path, 0) + len(found)
            join_tasks(self.tasks.setdefault(path, set()), task)
        for path, objects in seen.objects.items():
            self.objects[path] = self.objects.get(path, 0) + len(objects)

    def merge(self, other: "Presence") -> None:
        """Add what another has counted."""
        self.calls += other.calls
        for mine, theirs in ((self.values, other.values), (self.objects, other.objects)):
            for path, count in theirs.items():
                mine[path] = mine.get(path, 0) + count
        for path, tasks in other.tasks.items():
            join_tasks(self.tasks.setdefault(path, set()), tasks)


@dataclass(frozen=True, slots=True)
class Ground:
    """The presence of places, and the words to make a clause from it."""

    profile: str
    presence: Presence
    source: str = "traces"

    def required(self, path: str) -> bool:
        """Say whether every object at the parent had this field."""
        return self.presence.values.get(path, 0) == self.presence.objects.get(parent(path), -1)

    def samples(self, path: str) -> int:
        """Return how many values stood at a path."""
        return self.presence.values.get(path, 0)

    def tasks(self, path: str) -> int:
        """Return in how many distinct tasks something stood at a path."""
        return count_tasks(self.presence.tasks.get(path, set()))

    def fields(self) -> Iterator[str]:
        """Yield the path of every field that was seen, in a stable order."""
        return (path for path in sorted(self.presence.values) if path != ROOT)

    def clause(
        self, kind: str, path: str, params: Mapping[str, Json], samples: int, evidence: str | None = None
    ) -> Clause:
        """Make a clause; `evidence` is the path whose tasks support it, where that is not its own."""
        return Clause(
            kind, path, params, samples, self.tasks(path if evidence is None else evidence), self.source
        )


def lasts(feature: Feature, table: Table) -> bool:
    """Say whether what a key comes with may be what it is, rather than how it stands just now.

    That is a field which is no status, no count and no time. A list as a whole, how long it is and what it sums up to are state.
    """
    if feature.sort is not Sort.FIELD or is_moment(feature.path):
        return False
    state = is_state(feature.path) and not _is_region(feature, table)
    return not state and not has_times(feature, table)


def may_happen_to_agree(first: Feature, second: Feature) -> bool:
    """Say whether two may be equal by the accident of a sandbox, where nothing is taxed, changed or sent elsewhere.

    They are two fields of a thing, and not ids; two ids of one name belong to two things, such as the buyer and the sender.
    """
    if first.sort is not Sort.FIELD or second.sort is not Sort.FIELD:
        return False
    of_two_things = first.steps[-1:] == second.steps[-1:]
    return of_two_things or not (names_a_thing(first) and names_a_thing(second))


def has_times(feature: Feature, table: Table) -> bool:
    """Say whether a feature is a date or a time in any record."""
    if feature not in table.with_times:
        table.with_times[feature] = any(when(value) is not None for value in table.columns[feature].values)
    return table.with_times[feature]


def _is_region(feature: Feature, table: Table) -> bool:
    """Say whether a `state` is the one that a city is in."""
    place, _, name = feature.rpartition("state")
    return bool(place) and not name and any(f"{place}{other}" in table.columns for other in ("city", "zip"))


def of_moments(table: Table, groups: list[list[int]]) -> bool:
    """Say whether records tell of the moment they were read in: a time in them is another one each time."""
    times = [
        column.values
        for name, column in table.columns.items()
        if name.sort is Sort.FIELD and has_times(name, table)
    ]
    return any(
        sum(_moves(values, records) for records in groups) > CONFIG.moving_share * len(groups)
        for values in times
    )


def _moves(values: list[Any], records: list[int]) -> bool:
    return len({values[index] for index in records}) > 1


def counts_asked_for(table: Table, groups: list[list[int]]) -> list[Feature]:
    """Return the numbers of rows that the caller sets a limit to, where each question was asked often."""
    calls = sum(table.witnesses[index].calls for records in groups for index in records)
    if calls < CONFIG.dependency_calls_per_question * len(groups):
        return []
    counts = [name for name in table.columns if name.sort is Sort.NUMBER and _varies(table.columns[name])]
    limits = [name for name in table.columns if name.sort is Sort.ARGUMENT]
    return [count for count in counts if any(_limits(table, limit, count) for limit in limits)]


def _varies(column: Column) -> bool:
    return len({*column.values} - {ABSENT}) > 1


def _limits(table: Table, limit: Feature, count: Feature) -> bool:
    """Say whether an argument is never below a number of rows, and sometimes that number."""
    asked, found = table.columns[limit].values, table.columns[count].values
    pairs = [(n, rows) for n, rows in zip(asked, found, strict=True) if is_number(n) and is_number(rows)]
    return any(n == rows > 1 for n, rows in pairs) and all(n >= rows for n, rows in pairs)
