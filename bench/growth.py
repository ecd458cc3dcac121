"""How the time of a check and of mining grows with size, beside `json.loads` of the same.

A power of the size is fitted to the points by least squares between logarithms: 1 is in proportion, 2 is the square.
"""

import json
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import log10
from typing import Any, NamedTuple

from outcome_monitors import Call, Monitor, Registry, mine

from ._report import Table
from ._results import ORDER, STATUSES, WORDS
from ._timing import fastest, timer

__all__ = ["AXES", "exponent", "measured", "tables"]

ROUNDS = 9
CALLS_A_TOOL = 12
TASKS = 16

Make = Callable[[random.Random, int], Any]
Seconds = tuple[float, float]
"""What was measured, and what `json.loads` of the same takes."""


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
    """Make a list of so many rows, each of five fields."""
    return {"rows": [{"sku": f"S{number}", **wide(rng, 4)} for number in range(rows)]}


def deep(rng: random.Random, levels: int) -> dict[str, Any]:
    """Make objects in objects, so many levels of four fields."""
    made = wide(rng, 4)
    for _ in range(levels - 1):
        made = {**wide(rng, 4), "below": made}
    return made


def _call(make: Make, size: int, number: int) -> Call:
    result = make(random.Random(number), size)
    return Call("get", {"id": f"W{number}"}, result, task=f"t{number}", session=f"t{number}")


def _checking(make: Make, size: int, rounds: int, clauses: int | None = None) -> Seconds:
    """Time the check of a clean result of a size, by all clauses or by so many."""
    registry = mine((_call(make, size, number) for number in range(TASKS)), "full")
    monitor = Monitor(registry)
    fresh = (_call(make, size, number) for number in range(TASKS, 1000))
    # Of many fields one may break a clause by chance.
    call = next(call for call in fresh if not monitor.check(call.tool, call.arguments, call.result))
    if clauses is not None:
        contract = registry.contracts[call.tool]
        step = max(1, len(contract.clauses) // clauses)
        some = replace(contract, clauses=contract.clauses[::step][:clauses])
        monitor = Monitor(Registry({call.tool: some}))
    monitor.check(call.tool, call.arguments, call.result)
    check = timer(monitor.check, call.tool, call.arguments, call.result)
    seconds = fastest({"check": check, "json": timer(json.loads, json.dumps(call.result))}, rounds)
    return seconds["check"], seconds["json"]


def _mining(calls: Sequence[Call], rounds: int) -> Seconds:
    lines = [json.dumps(call.result) for call in calls]
    found = []
    for _ in range(max(1, rounds // 3)):
        begun = time.process_time()
        mine(calls, "full")
        mined = time.process_time()
        for line in lines:
            json.loads(line)
        found.append((mined - begun, time.process_time() - mined))
    return min(mining for mining, _ in found), max(1e-6, min(reading for _, reading in found))


def _traces(size: int, rounds: int) -> Seconds:
    return _mining([*replace(ORDER, tasks=size).mined()], rounds)


def _tools(size: int, rounds: int) -> Seconds:
    one = [*replace(ORDER, tasks=CALLS_A_TOOL).mined()]
    calls = [replace(call, tool=f"{call.tool}_{number}") for number in range(size) for call in one]
    return _mining(calls, rounds)


class Axis(NamedTuple):
    """What grows, at which sizes, and how it is measured: by size and rounds."""

    title: str
    across: str
    sizes: tuple[int, ...]
    seconds: Callable[[int, int], Seconds]
    unit: str = "µs"


AXES: Mapping[str, Axis] = {
    "fields": Axis(
        "Check by fields", "fields of a result", (4, 8, 16, 32, 64), lambda n, r: _checking(wide, n, r)
    ),
    "rows": Axis(
        "Check by rows", "rows of five fields", (10, 30, 100, 300, 1000), lambda n, r: _checking(long, n, r)
    ),
    "depth": Axis(
        "Check by depth", "levels of four fields", (1, 2, 4, 8, 16), lambda n, r: _checking(deep, n, r)
    ),
    "clauses": Axis(
        "Check by clauses", "clauses", (30, 60, 120, 240, 480), lambda n, r: _checking(wide, 64, r, n)
    ),
    "traces": Axis("Mining by traces", "calls of one tool", (16, 32, 64, 128, 256), _traces, "ms"),
    "tools": Axis("Mining by tools", f"tools of {CALLS_A_TOOL} calls each", (1, 2, 4, 8, 16), _tools, "ms"),
}


def measured(name: str, sizes: tuple[int, ...] = (), rounds: int = ROUNDS) -> list[tuple[int, float, float]]:
    """Measure along an axis; return each size with its seconds."""
    axis = AXES[name]
    return [(size, *axis.seconds(size, rounds)) for size in sizes or axis.sizes]


def exponent(points: Sequence[tuple[float, float]]) -> float:
    """Return the power of the size that the points grow with: the slope of the least squares between the logarithms."""
    pairs = [(log10(size), log10(value)) for size, value in points]
    middle_x, middle_y = (sum(pair[side] for pair in pairs) / len(pairs) for side in (0, 1))
    spread = sum((x - middle_x) ** 2 for x, _ in pairs)
    return sum((x - middle_x) * (y - middle_y) for x, y in pairs) / spread


def tables() -> Iterator[Table]:
    """Yield the table."""
    rows = []
    for name, axis in AXES.items():
        points, scale = measured(name), 1e6 if axis.unit == "µs" else 1e3
        first, last = points[0], points[-1]
        ours, json_ = ([(point[0], point[side]) for point in points] for side in (1, 2))
        times = f"{first[1] * scale:,.2f}-{last[1] * scale:,.2f} {axis.unit}"
        powers = (f"{exponent(ours):.2f}", f"{exponent(json_):.2f}")
        rows.append((axis.title, axis.across, f"{first[0]}-{last[0]}", times, *powers))
    yield Table(
        "How the time grows",
        ("what", "with", ">sizes", ">time", ">power", ">json.loads"),
        tuple(rows),
        (
            "The power of the size that the time grows with, fitted by least squares between logarithms: 1 is in proportion, 2 the square.",
            "Profile full, one process. Each time is the least of several, by the processor's clock.",
        ),
    )
