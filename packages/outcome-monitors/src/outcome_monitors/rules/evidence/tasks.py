"""Evidence is counted in distinct tasks, not in calls.

Ten calls about one order are one witness. A task is known by a 64-bit hash of its name; a set of tasks by its smallest
hashes, which is exact up to `EXACT` tasks and an estimate beyond, and merges without loss in any order.
"""

from collections.abc import Iterable

EXACT = 256
MOST_HASHES = EXACT + EXACT // 4
"""How many hashes are held at most: some to spare, so that they are not sorted at every step."""
_SPACE = 2**64

Tasks = set[int]
"""The hashes of distinct tasks; only the smallest ones are kept."""


def join_tasks(tasks: Tasks, more: Iterable[int]) -> None:
    """Add tasks to a set, keeping the smallest hashes."""
    tasks.update(more)
    if len(tasks) > MOST_HASHES:
        keep = kept(tasks)
        tasks.clear()
        tasks.update(keep)


def kept(tasks: Tasks) -> list[int]:
    """Return the hashes that a set is known by: one more than can be counted exactly."""
    return sorted(tasks)[: EXACT + 1]


def count_tasks(tasks: Tasks) -> int:
    """Return how many distinct tasks there were; exact up to `EXACT`."""
    if len(tasks) <= EXACT:
        return len(tasks)
    # The k-th smallest of n uniform hashes lies near k/n of the space.
    return round(EXACT * _SPACE / kept(tasks)[EXACT])
