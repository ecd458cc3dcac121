"""When is a set of things seen all there is to see?

Of n tasks, those that alone brought something new are the ones that would have raised a false alarm had they been left out:
Good and Turing's estimate of what is still unseen. A set is closed when they are few.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from outcome_monitors.evidence.samples import NO_TASK, Witness

__all__ = ["TELLS_DIRT_FROM", "Closed", "close", "join_fired"]

TELLS_DIRT_FROM = 20
"""With this many tasks, what a single one brought is taken for dirt rather than for a rare value."""


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
        if second != NO_TASK or tasks < TELLS_DIRT_FROM:
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
