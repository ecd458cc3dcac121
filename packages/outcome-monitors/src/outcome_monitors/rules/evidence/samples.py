"""Bounded samples of distinct items, with the tasks that stand behind each.

Each item is kept with the number of calls it was in and up to two of its tasks. Two are enough: what was seen in one task alone
is what would have raised an alarm had that task been left out, so the false-alarm rate of any rule on unseen tasks can be
read off (leave one task out) without a second pass over the traces.

A sample holds the items of the smallest hashes, so that it is the same whatever the order and the split of the traces, and
complete while the items are few.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from functools import partial
from typing import Generic, NamedTuple, TypeVar

from outcome_monitors.jsonvalue.text import stable_hash

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


# As `Witness._make` does, which is written in Python: there are some of them for every value.
_witness: Callable[[Iterable[int]], Witness] = partial(tuple.__new__, Witness)


def tasks_behind(witnesses: Iterable[Witness]) -> set[int]:
    """Return the tasks that witnesses name: all of them, where items were seen in two at most."""
    tasks: set[int] = set()
    for _, first, second in witnesses:
        tasks.add(first)
        tasks.add(second)
    tasks.discard(NO_TASK)
    return tasks


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

    @property
    def whole(self) -> bool:
        """Nothing had to be left out, nor will be when the items are asked for."""
        return self._whole and len(self._items) <= self.size

    def add(self, item: T, task: int) -> None:
        """Add an item of one call."""
        self.add_all(((item, task),))

    def add_all(self, found: Iterable[tuple[T, int]]) -> None:
        """Add items, each of one call of a task."""
        self._sorted = None
        items, beyond, room = self._items, self._beyond, self.size + self.size // 4
        for item, task in found:
            known = items.get(item)
            if known is None:
                if beyond < BEYOND_ALL and _hash(item) > beyond:
                    continue
                items[item] = [1, task, NO_TASK]
                # Some to spare, so that they are not sorted at every step.
                if len(items) > room:
                    self._shrink()
                    items, beyond = self._items, self._beyond
            else:
                known[0] += 1
                # Of tasks in order, one above the second changes nothing.
                if task != known[1] and (task < known[2] or known[2] == NO_TASK):
                    _add_task(known, task)

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
            self._sorted = [(item, _witness(self._items[item])) for item in sorted(self._items, key=repr)]
        return self._sorted

    def witness(self, item: T) -> Witness:
        """Return the witness of an item that is there."""
        return _witness(self._items[item])

    def __iter__(self) -> Iterator[T]:
        """Go through the items as they are kept, in no order."""
        return iter(self._items)

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
