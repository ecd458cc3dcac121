"""What is asked, frozen before any answer is seen: `probes.json` in the study's folder, with the points in `probes.jsonl`.

Of each point, thing shown and arm there is one request.
"""

import json
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from outcome_monitors.contracts.registry import Registry
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.files import write_atomically
from outcome_monitors.jsonvalue.paths import below
from outcome_monitors.jsonvalue.types import finite
from outcome_monitors.model import Clause, Contract, Json
from outcome_monitors.recovery.relations import Relations
from outcome_monitors.rules.range import Range
from outcome_monitors_study._json import code_digest, differences, digest, file_digest, written
from outcome_monitors_study._plugin_loading import plugin_errors
from outcome_monitors_study.arms import ARMS, Arm, Bench, Delivery, arm_class
from outcome_monitors_study.batches import batch_request, listed_tool
from outcome_monitors_study.design import system_prompt
from outcome_monitors_study.environments.environment import Cell, Environment
from outcome_monitors_study.manifest import load
from outcome_monitors_study.run import benches, running
from outcome_monitors_study.scripted import PREFIX, scripted_agent
from outcome_monitors_study.world.agents import listed_tools

from .words import arms_of

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


def _numbers(value: Json, path: str = "") -> Iterator[tuple[str, float]]:
    """Yield the numbers above zero of an object, those of its objects included; a list has many, and none is the one."""
    if not isinstance(value, dict):
        return
    for key, item in value.items():
        if finite(item) and item > 0:
            yield below(path, key), item
        yield from _numbers(item, below(path, key))


VERSION = 1
WRONG, FALSE, RIGHT = "wrong", "false alarm", "right"
"""What the model is shown: a wrong result, as each arm gives it; a right one with a false alarm; a right one as it is."""
MANIFEST, POINTS = "probes.json", "probes.jsonl"
BASE = Arm.name
MOST_TOKENS = 400
"""Of an answer: one decision needs no more."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Frozen probes."""

    folder: Path
    manifest: Mapping[str, Json]
    points: Sequence[Mapping[str, Json]]

    @property
    def arms(self) -> list[str]:
        """Those that are compared, the baseline first."""
        return list(self.manifest["arms"])


def freeze(
    folder: Path,
    forms: Any = None,
    *,
    file: str = "",
    watched: Callable[[Iterable[Cell]], Iterable[Cell]] = iter,
) -> Plan:
    """Cut a frozen study's cells, and write down what each arm shows there; `watched` shows somebody how far it is."""
    refuse_frozen(folder)
    now = running(folder)
    arms = _arms(now.study.manifest["arms"], {} if forms is None else arms_of(forms, file))
    bench = benches(now)
    rows, passed = [], {"met no wrong result": 0, "nothing was found": 0}
    for cell in watched(now.study.cells):
        with plugin_errors(now.environment):
            point = cut(now.environment, cell, bench(cell.task).relations)
        row = None if point is None else _row(point, arms, partial(bench, cell.task))
        if row is not None:
            rows.append(row)
        else:
            passed["met no wrong result" if point is None else "nothing was found"] += 1
    if not rows:
        raise OutcomeMonitorsError(
            f"{folder}: no arm has anything to say at any of {len(now.study.cells)} cells; choose other strata, or contracts that know the faults"
        )
    specs = {spec["name"]: spec for spec in now.environment.specs()}
    named = sorted({tool for row in rows for tool in row["tools"]})
    manifest = {
        "study": now.study.manifest["digest"],
        "arms": list(arms),
        "forms": forms,
        "passed over": passed,
        "system_prompt": system_prompt(now.study.manifest["settings"], now.environment),
        "tools": {name: listed_tool(specs[name]) for name in named},
    }
    return save_plan(folder, manifest, rows)


def refuse_frozen(folder: Path) -> None:
    """Raise where a folder holds probes."""
    if (folder / MANIFEST).exists():
        raise OutcomeMonitorsError(f"{folder} holds frozen probes; take another folder")


def save_plan(folder: Path, about: Mapping[str, Json], rows: Iterable[Point]) -> Plan:
    """Write points, and the manifest that freezes them."""
    refuse_frozen(folder)
    (folder / POINTS).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    manifest = {"version": VERSION, "code": code_digest(), "points": file_digest(folder / POINTS), **about}
    write_atomically(folder / MANIFEST, json.dumps({**manifest, "digest": digest(manifest)}, indent=1) + "\n")
    return load_plan(folder)


def _arms(named: Sequence[str], worded: Mapping[str, type[Arm]]) -> dict[str, type[Arm]]:
    """Return the study's arms and those of the forms, the baseline first."""
    twice = sorted(worded.keys() & {*ARMS, *named})
    if twice:
        raise OutcomeMonitorsError(f"a form is called {twice[0]!r}, as an arm is; take another name")
    talks = [name for name in named if arm_class(name).needs_model]
    if talks:
        raise OutcomeMonitorsError(
            f"arm {talks[0]} talks with the model more than once; freeze a study without it"
        )
    return {BASE: Arm, **{name: arm_class(name) for name in named}, **worded}


def _row(point: Point, arms: Mapping[str, type[Arm]], bench: Callable[[], Bench]) -> dict[str, Json] | None:
    """Return what is shown at a point; None where no arm lists a tool to call: then there is nothing to heed."""
    wrong = {name: at(point, arm, bench(), point["wrong"]) for name, arm in arms.items()}
    listed = {name: listed_tools(delivery.receipt) for name, delivery in wrong.items()}
    if not any(listed.values()):
        return None
    alarmed = false_alarm(point, bench())
    alarms = (
        {}
        if alarmed is None
        else {name: at(point, arm, alarmed, point["true"]) for name, arm in arms.items()}
    )
    shown = {
        WRONG: {name: written(given.content) for name, given in wrong.items()},
        # Without an arm, a false alarm is no alarm: that is the third thing shown.
        FALSE: {name: written(given.content) for name, given in alarms.items() if given.receipt is not None},
        RIGHT: {BASE: written(point["true"])},
    }
    about = {key: value for key, value in point.items() if key not in {"true", "wrong"}}
    return {
        **about,
        "before": [{**each, "result": written(each["result"])} for each in point["before"]],
        "raw": point["true"],
        "injection": list(differences(point["true"], point["wrong"])),
        "listed": listed,
        "substitutes": [
            found.tool for found in bench().relations.get(point["tool"], ()) if found.tool in point["tools"]
        ],
        "shown": shown,
    }


def load_plan(folder: Path) -> Plan:
    """Read frozen probes; raise where they were edited by hand."""
    path = folder / MANIFEST
    try:
        manifest = json.loads(path.read_bytes())
        points = list(_lines(folder / POINTS))
        kept = {**manifest}
        whole = kept.pop("digest", None) == digest(kept) and kept["points"] == file_digest(folder / POINTS)
    except FileNotFoundError as error:
        raise OutcomeMonitorsError(f"there is no {error.filename}; make it with study probe freeze") from None
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise OutcomeMonitorsError(f"cannot read {path}: {error}") from error
    if not whole or manifest.get("version") != VERSION:
        raise OutcomeMonitorsError(f"{path} or {POINTS} is not as it was frozen; freeze the probes again")
    if manifest["study"]:
        load(folder)  # raises where the study itself was edited
    return Plan(folder, manifest, points)


def _lines(path: Path) -> Iterator[Any]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def request_id(cell: str, shown: str, arm: str) -> str:
    """Return the name of a request; `|` stands in none of the three."""
    return f"{cell}|{shown}|{arm}"


def requests(plan: Plan, model: str) -> Iterator[dict[str, Json]]:
    """Yield the requests, point by point: those that share a beginning stand side by side."""
    for point in plan.points:
        begun = list(_begun(plan.manifest["system_prompt"], point))
        tools = [plan.manifest["tools"][name] for name in point["tools"]]
        for shown, by_arm in point["shown"].items():
            for arm, content in by_arm.items():
                name, messages = (
                    request_id(point["cell"], shown, arm),
                    [*begun, _result(len(point["before"]), content)],
                )
                yield batch_request(name, model, messages, tools, temperature=0, max_tokens=MOST_TOKENS)


def _begun(system: str, point: Mapping[str, Json]) -> Iterator[dict[str, Json]]:
    """Yield the conversation up to the call whose result is shown."""
    yield {"role": "system", "content": system}
    yield {"role": "user", "content": point["query"]}
    for number, exchange in enumerate(point["before"]):
        yield _call(number, exchange["tool"], exchange["arguments"])
        yield _result(number, exchange["result"])
    yield _call(len(point["before"]), point["tool"], point["arguments"])


def _call(number: int, tool: str, arguments: Json) -> dict[str, Json]:
    function = {"name": tool, "arguments": json.dumps(arguments)}
    call = {"id": f"call_{number}", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def _result(number: int, content: str) -> dict[str, Json]:
    return {"role": "tool", "tool_call_id": f"call_{number}", "content": content}
