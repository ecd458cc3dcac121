"""What stood at one path, in many calls: bounded samples of its values, and counts.

Calls are added several at a time: most of the work is then done once for a column of values, and not for each of them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from outcome_monitors.jsonvalue.text import BEGINS, begins_as_json, json_in
from outcome_monitors.jsonvalue.types import kind_of

from .samples import Sample
from .tasks import Tasks, join_tasks

VALUES = 600
"""Distinct values of a path that are kept."""
LONGEST_TEXT = 2000

ValueColumn = Sequence[tuple[list[Any], int]]
"""The values of several calls, those of each together, with its task."""


def stored_text(text: str) -> str:
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
        self.observe_all([(values, task)])

    def observe_all(self, column: ValueColumn) -> None:
        """Add the values of several calls."""
        self.calls += len(column)
        self.count += sum([len(values) for values, _ in column])
        tasks = {task for _, task in column}
        if not tasks <= self.tasks:
            join_tasks(self.tasks, tasks)
        sorts = _Sorts(column)
        self.kinds.add_all(sorts.kinds)
        self.with_objects += len(sorts.by_type.get(dict, ()))
        if str in sorts.by_type:
            self._observe_texts(sorts.by_type[str])
        if int in sorts.by_type:
            self.numbers.add_all(_numbers(sorts.by_type[int]))
        for lists, task in sorts.by_type.get(list, ()):
            self.lengths.add_all([(length, task) for length in {*map(len, lists)}])

    def _observe_texts(self, column: Sequence[tuple[list[str], int]]) -> None:
        sizes: list[tuple[str, int, int]] = []
        for texts, task in column:
            self.broken_json += any(map(_is_broken_json, texts))
            if len(texts) == 1 and len(texts[0]) <= LONGEST_TEXT:
                sizes.append((texts[0], len(texts[0]), task))
            else:
                # Of texts that are kept as one, the first.
                first = {stored_text(text): len(text) for text in reversed(texts)}
                sizes += [(text, size, task) for text, size in first.items()]
        self.texts.add_all([(text, task) for text, _, task in sizes])
        self.sizes.add_all([(size, task) for _, size, task in sizes])

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


class _Sorts:
    """The values of a column, those of each type together; numbers are of one."""

    def __init__(self, column: ValueColumn) -> None:
        self.by_type: dict[type, list[tuple[list[Any], int]]] = {}
        self.kinds: list[tuple[str, int]] = []
        """The kinds of each call, once each."""
        for values, task in column:
            if len(values) == 1:
                self.kinds.append((kind_of(values[0]), task))
                self._file(values, task)
            else:
                self._sort_out(values, task)

    def _file(self, values: list[Any], task: int) -> None:
        python = type(values[0])
        self.by_type.setdefault(int if python is float else python, []).append((values, task))

    def _sort_out(self, values: list[Any], task: int) -> None:
        found: dict[type, list[Any]] = {}
        for value in values:
            found.setdefault(type(value), []).append(value)
        self.kinds += [(kind, task) for kind in {kind_of(alike[0]) for alike in found.values()}]
        if float in found:
            found[int] = [*found.get(int, ()), *found.pop(float)]
        for alike in found.values():
            self._file(alike, task)


def _is_broken_json(text: str) -> bool:
    """Say whether a text begins as JSON does and is none."""
    return text[:1] in BEGINS and begins_as_json(text) and json_in(text) is None


def _numbers(column: ValueColumn) -> Iterator[tuple[float, int]]:
    """Yield the distinct numbers of each call: 1 and 1.0 are one, whichever came first, and a NaN is kept by its type alone."""
    for values, task in column:
        for value in map(_number, values) if len(values) == 1 else {*map(_number, values)}:
            if value == value:  # noqa: PLR0124 - NaN
                yield value, task


def _number(value: float) -> float:
    return int(value) if type(value) is float and value.is_integer() else value
