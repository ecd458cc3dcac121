"""How the time grows: of a check with fields, rows, depth and clauses, of mining with traces and tools, beside `json.loads` of the same.

A power of the size is fitted to the points by least squares between logarithms: 1 is in proportion, 2 is the square. `python -m bench growth`
prints them.
"""

import json
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import log10
from typing import Any, NamedTuple

from outcome_monitors import Call, Monitor, Registry, mine
from outcome_monitors.model import Profile

from ._report import Table
from ._results import ORDER, STATUSES, WORDS
from ._timing import fastest, timer

__all__ = ["AXES", "Growth", "calls", "deep", "exponent", "long", "measured", "tables", "wide"]

ROUNDS = 9
US, MS = 1e6, 1e3
BESIDE = "json.loads"
CALLS_A_TOOL = 12
TASKS = 16

Points = Sequence[tuple[float, float]]
"""Sizes, and what was measured at each."""


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


def calls(
    make: Callable[[random.Random, int], Any],
    size: int,
    tool: str = "get",
    first: int = 0,
    tasks: int = TASKS,
) -> Iterator[Call]:
    """Yield calls with results of one size, each of its own task."""
    for number in range(first, first + tasks):
        result = make(random.Random(number), size)
        yield Call(tool, {"id": f"W{number}"}, result, task=f"t{number}", session=f"t{number}")


def exponent(points: Points) -> float:
    """Return the power of the size that the points grow with: the slope of the least squares between the logarithms."""
    pairs = [(log10(size), log10(value)) for size, value in points]
    middle_x, middle_y = (sum(pair[side] for pair in pairs) / len(pairs) for side in (0, 1))
    spread = sum((x - middle_x) ** 2 for x, _ in pairs)
    return sum((x - middle_x) * (y - middle_y) for x, y in pairs) / spread


class Growth(NamedTuple):
    """What was measured along one axis."""

    title: str
    across: str
    unit: str
    ours: Points
    beside: Points


def _check(registry: Registry, call: Call, rounds: int) -> tuple[float, float]:
    """Return the seconds of a check of a clean result, and of reading it."""
    monitor, data = Monitor(registry), json.dumps(call.result)
    assert monitor.check(call.tool, call.arguments, call.result) == (), (
        "a result that breaks nothing is timed"
    )
    found = fastest(
        {
            "check": timer(monitor.check, call.tool, call.arguments, call.result),
            "json": timer(json.loads, data),
        },
        rounds,
    )
    return found["check"], found["json"]


def _with_results(
    make: Callable[..., Any], sizes: tuple[int, ...], rounds: int
) -> Iterator[tuple[int, float, float]]:
    for size in sizes:
        registry = mine(calls(make, size), "full")
        yield size, *_check(registry, _clean(registry, make, size), rounds)


def _clean(registry: Registry, make: Callable[..., Any], size: int) -> Call:
    """Return a call that was not mined and breaks nothing: of many fields one may by chance."""
    monitor = Monitor(registry)
    return next(
        call
        for call in calls(make, size, first=TASKS, tasks=1000)
        if not monitor.check(call.tool, call.arguments, call.result)
    )


def _with_clauses(sizes: tuple[int, ...], rounds: int) -> Iterator[tuple[int, float, float]]:
    registry = mine(calls(wide, max(AXES["fields"].sizes)), "full")
    call = _clean(registry, wide, max(AXES["fields"].sizes))
    contract = registry.contracts[call.tool]
    for size in sizes:
        step = max(1, len(contract.clauses) // size)
        some = contract.clauses[::step][:size]
        yield len(some), *_check(Registry({call.tool: replace(contract, clauses=some)}), call, rounds)


def _mined(seen: list[Call], profile: Profile = "full") -> tuple[float, float]:
    lines = [json.dumps(call.result) for call in seen]
    begun = time.process_time()
    mine(seen, profile)
    mining = time.process_time()
    for line in lines:
        json.loads(line)
    return mining - begun, time.process_time() - mining


def _with_traces(sizes: tuple[int, ...], rounds: int) -> Iterator[tuple[int, float, float]]:
    for size in sizes:
        seen = [*replace(ORDER, tasks=size).mined()]
        yield size, *_least(seen, rounds)


def _with_tools(sizes: tuple[int, ...], rounds: int) -> Iterator[tuple[int, float, float]]:
    one = [*replace(ORDER, tasks=CALLS_A_TOOL).mined()]
    for size in sizes:
        seen = [replace(call, tool=f"{call.tool}_{number}") for number in range(size) for call in one]
        yield size, *_least(seen, rounds)


def _least(seen: list[Call], rounds: int) -> tuple[float, float]:
    found = [_mined(seen) for _ in range(max(1, rounds // 3))]
    return min(mining for mining, _ in found), max(1e-6, min(reading for _, reading in found))


class Axis(NamedTuple):
    """What grows, and how it is measured."""

    title: str
    across: str
    sizes: tuple[int, ...]
    points: Callable[[tuple[int, ...], int], Iterator[tuple[int, float, float]]]
    unit: str = "µs"


AXES: Mapping[str, Axis] = {
    "fields": Axis(
        "Check by fields", "fields of a result", (4, 8, 16, 32, 64), lambda s, r: _with_results(wide, s, r)
    ),
    "rows": Axis(
        "Check by rows",
        "rows of five fields",
        (10, 30, 100, 300, 1000),
        lambda s, r: _with_results(long, s, r),
    ),
    "depth": Axis(
        "Check by depth", "levels of four fields", (1, 2, 4, 8, 16), lambda s, r: _with_results(deep, s, r)
    ),
    "clauses": Axis("Check by clauses", "clauses of a contract", (30, 60, 120, 240, 480), _with_clauses),
    "traces": Axis("Mining by traces", "calls of one tool", (16, 32, 64, 128, 256), _with_traces, "ms"),
    "tools": Axis(
        "Mining by tools", f"tools of {CALLS_A_TOOL} calls each", (1, 2, 4, 8, 16), _with_tools, "ms"
    ),
}


def measured(name: str, sizes: tuple[int, ...] = (), rounds: int = ROUNDS) -> Growth:
    """Measure along an axis."""
    axis = AXES[name]
    scale = US if axis.unit == "µs" else MS
    found = [*axis.points(sizes or axis.sizes, rounds)]
    ours = [(size, taken * scale) for size, taken, _ in found]
    return Growth(axis.title, axis.across, axis.unit, ours, [(size, read * scale) for size, _, read in found])


def tables(growths: Mapping[str, Growth] | None = None) -> Iterator[Table]:
    """Yield the table."""
    growths = {name: measured(name) for name in AXES} if growths is None else growths
    rows = [
        (
            growth.title,
            growth.across,
            f"{growth.ours[0][0]:g}-{growth.ours[-1][0]:g}",
            f"{growth.ours[0][1]:,.2f}-{growth.ours[-1][1]:,.2f} {growth.unit}",
            f"{exponent(growth.ours):.2f}",
            f"{exponent(growth.beside):.2f}",
        )
        for growth in growths.values()
    ]
    yield Table(
        "How the time grows",
        ("what", "with", ">sizes", ">time", ">power", f">{BESIDE}"),
        tuple(rows),
        (
            "The power of the size that the time grows with, fitted by least squares between logarithms: 1 is in proportion, 2 the square.",
            "Profile full, one process. Each time is the least of several, by the processor's clock.",
        ),
    )
