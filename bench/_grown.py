"""Results that can be made as wide, as long and as deep as one likes, and the calls that contracts of them are mined from."""

import random
from collections.abc import Callable, Iterator
from typing import Any

from outcome_monitors import Call

from ._results import STATUSES, WORDS

__all__ = ["TASKS", "calls", "deep", "long", "wide"]

TASKS = 16
Made = Callable[[random.Random, int], Any]


def wide(rng: random.Random, fields: int) -> dict[str, Any]:
    """Make an object of so many fields: amounts, counts, categories and texts in turn."""
    makers = (
        lambda: round(rng.uniform(1, 900), 2),
        lambda: rng.randrange(1, 9000),
        lambda: rng.choice(STATUSES),
        lambda: " ".join(rng.choices(WORDS, k=3)),
    )
    return {f"field_{number}": makers[number % 4]() for number in range(fields)}


def long(rng: random.Random, rows: int) -> dict[str, Any]:
    """Make a list of so many rows, each of four fields."""
    return {"rows": [{"sku": f"S{number}", **wide(rng, 4)} for number in range(rows)]}


def deep(rng: random.Random, levels: int) -> dict[str, Any]:
    """Make objects in objects, so many levels of four fields."""
    found = wide(rng, 4)
    for _ in range(levels - 1):
        found = {**wide(rng, 4), "below": found}
    return found


def calls(make: Made, size: int, tool: str = "get", first: int = 0, tasks: int = TASKS) -> Iterator[Call]:
    """Yield calls with results of one size, each of its own task."""
    for number in range(first, first + tasks):
        result = make(random.Random(number), size)
        yield Call(tool, {"id": f"W{number}"}, result, task=f"t{number}", session=f"t{number}")
