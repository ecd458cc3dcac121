"""How the time grows: of a check with fields, rows, depth and clauses, of mining with traces and tools, beside `json.loads` of the same.

A power of the size is fitted to the points by least squares between logarithms: 1 is in proportion, 2 is the square. `python -m bench growth`
prints them; `python -m bench.growth --page PAGE` writes a page with charts beside it.
"""

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import click

from outcome_monitors import Call, Monitor, Registry, mine
from outcome_monitors.cli._output import write
from outcome_monitors.model import Profile
from outcome_monitors.values.files import write_atomically

from ._grown import TASKS, calls, deep, long, wide
from ._loglog import Points, chart, exponent
from ._report import Table, facts, show
from ._results import ORDER
from ._timing import fastest, timer

__all__ = ["AXES", "Growth", "measured", "page", "tables"]

ROUNDS = 9
US, MS = 1e6, 1e3
BESIDE = "json.loads"
CALLS_A_TOOL = 12


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


HEAD = """\
# How the time grows

This page and its charts are written by the program: `python -m bench.growth --page PAGE`. `make bench` prints the table. {facts}.{load}

Each line is what we take, each dashed one `json.loads` of the same results. Behind it stands the power of the size that it grows with, fitted by least squares between the logarithms of the points: `n^1` is in proportion, `n^2` is the square. What is small costs much the same whatever its size, so a power below 1 says that the fixed part still counts.
"""


def page(growths: Mapping[str, Growth]) -> tuple[str, Mapping[str, str]]:
    """Return the page as Markdown, and its charts as SVG, each by its name."""
    parts, charts = [HEAD.format(facts=facts(), load=_load())], {}
    for name, growth in growths.items():
        series = {growth.title.split()[0].lower(): growth.ours, BESIDE: growth.beside}
        charts[f"growth-{name}.svg"] = chart(f"{growth.title}", growth.across, series, growth.unit)
        parts.append(_section(name, growth))
    return "\n".join(parts), charts


def _load() -> str:
    """Say how busy the machine is, where it tells: a busy one draws lines that are less straight."""
    return (
        f" The load of the machine was {os.getloadavg()[0]:.1f} at the end."
        if hasattr(os, "getloadavg")
        else ""
    )


def _section(name: str, growth: Growth) -> str:
    power, beside = exponent(growth.ours), exponent(growth.beside)
    said = f"{growth.title}: with the power {power:.2f}, json.loads with {beside:.2f}"
    rows = [
        f"| {size:,g} | {ours:,.2f} | {read:,.2f} | {ours / read:,.2f} |"
        for (size, ours), (_, read) in zip(growth.ours, growth.beside, strict=True)
    ]
    head = f"| {growth.across} | outcome-monitors, {growth.unit} | json.loads, {growth.unit} | x |"
    return "\n".join(
        [
            f"## {growth.title}\n",
            f"![{said}](../pictures/growth-{name}.svg)\n",
            head,
            "| ---: | ---: | ---: | ---: |",
            *rows,
            "",
        ]
    )


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--page",
    "to",
    type=click.Path(path_type=Path),
    help="Write a page, and its charts in ../pictures beside it.",
)
def main(to: Path | None) -> None:
    """Measure how the time grows.

    Example: python -m bench.growth
    """
    growths = {name: measured(name) for name in AXES}
    write(facts() + "\n\n")
    for found in tables(growths):
        show(found)
    if to is not None:
        text, charts = page(growths)
        write_atomically(to, text)
        for name, drawing in charts.items():
            write_atomically(to.parent.parent / "pictures" / name, drawing)


if __name__ == "__main__":
    main(prog_name="python -m bench.growth")
