"""A moment at which a model is asked, and what each arm shows there: an episode as far as the first wrong result."""

import json
import random
from collections.abc import Iterator, Mapping
from dataclasses import replace

from outcome_monitors.contracts.registry import Registry
from outcome_monitors.jsonvalue.paths import below
from outcome_monitors.jsonvalue.types import finite
from outcome_monitors.model import Clause, Contract, Json
from outcome_monitors.recovery.relations import Relations
from outcome_monitors.rules.range import Range
from outcome_monitors_study._entry_points import plugin_errors
from outcome_monitors_study.arms import Arm, Bench, Delivery
from outcome_monitors_study.environments import Cell, Environment
from outcome_monitors_study.scripted import PREFIX, scripted_agent

__all__ = ["Point", "at", "cut", "false_alarm", "written"]

TASKS = 20
"""That a clause which is wrong claims to have behind it."""
SCRIPT = f"{PREFIX}naive"
"""Plays an episode up to the moment: it takes results at face value, and there is nothing wrong with those before."""


Point = Mapping[str, Json]
"""A call whose result is wrong: the cell and its request, the exchanges before it, `true` what the tool would have answered, `wrong`."""


class _ReachedError(Exception):
    """Ends the script: the point is reached."""

    def __init__(self, point: Point) -> None:
        super().__init__(point["cell"])
        self.point = point


def cut(place: Environment, cell: Cell, relations: Relations) -> Point | None:
    """Play a cell up to its first wrong result; None where the script meets none."""
    episode = place.open(cell)
    before: list[Json] = []

    def called(tool: str, arguments: Mapping[str, Json]) -> Json:
        served = episode.call(tool, arguments)
        exchange = {"tool": tool, "arguments": dict(arguments)}
        if not served.injected:
            before.append({**exchange, "result": served.seen})
            return served.seen
        about = {"cell": cell.id, "task": cell.task, "stratum": cell.stratum, "fault": served.fault}
        asked = {"query": episode.query, "tools": list(episode.tools), "before": before}
        raise _ReachedError({**about, **asked, **exchange, "true": served.raw, "wrong": served.seen})

    try:
        scripted_agent(SCRIPT, relations, 0)(episode, called)
    except _ReachedError as reached:
        return reached.point
    return None


def at(point: Point, arm: type[Arm], bench: Bench, result: Json) -> Delivery:
    """Return what an arm makes of a result. It has heard what went before, and none of that is shown otherwise than it came."""
    bench.tools = tuple(point["tools"])
    with plugin_errors(arm):
        judge = arm(bench)
        for exchange in point["before"]:
            judge.deliver(exchange["tool"], exchange["arguments"], exchange["result"])
        return judge.deliver(point["tool"], point["arguments"], result)


def false_alarm(point: Point, bench: Bench) -> Bench | None:
    """Return the bench with a contract that is wrong of the right result: bounds that lie beyond a number of it.

    None where the result holds no number that a clause could be wrong of.
    """
    numbers = sorted(_numbers(point["true"]))
    if not numbers:
        return None
    path, number = random.Random(point["cell"]).choice(numbers)  # noqa: S311 - a sample, not a secret
    bounds = {"low": 2 * number, "high": 3 * number, "room": "narrow"}
    clause = Clause(Range.name, path, bounds, TASKS, TASKS, "traces")
    registry = Registry({point["tool"]: Contract(point["tool"], (clause,))}, bench.registry.profile)
    return replace(bench, registry=registry, schemas=registry, monitors={})


def written(content: Json) -> str:
    """Return what the model reads: a text as it is, all else as JSON."""
    return content if isinstance(content, str) else json.dumps(content)


def _numbers(value: Json, path: str = "") -> Iterator[tuple[str, float]]:
    """Yield the numbers above zero of an object, those of its objects included; a list has many, and none is the one."""
    if not isinstance(value, dict):
        return
    for key, item in value.items():
        if finite(item) and item > 0:
            yield below(path, key), item
        yield from _numbers(item, below(path, key))
