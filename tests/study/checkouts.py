"""Small checkouts of tau-bench and ToolMaze, with made-up customers, orders and tasks (tests/fixtures), or of the tool world."""

import json
from pathlib import Path
from typing import Any

from outcome_monitors.evaluation.faults import Corpus, faults
from outcome_monitors_study.world import TOOLS, nominal_traces, workflows
from outcome_monitors_study.world.requests import groups
from outcome_monitors_study.world.toolmaze import Task, task_to_json
from outcome_monitors_study.world.toolmaze_export import as_task
from outcome_monitors_study.world.tools import WorldTool

ORIGIN = Path(__file__).parents[1] / "fixtures" / "tau_bench"


def make_checkout(root: Path) -> Path:
    """Write the files of a checkout of tau-bench and return its folder."""
    for file in ORIGIN.rglob("*"):
        if file.is_file():
            # Python's have a second ending here, so that no tool takes them for the project's.
            target = root / file.relative_to(ORIGIN).with_name(file.name.removesuffix(".txt"))
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(file.read_bytes())
    return root


def made_tables() -> dict[str, Any]:
    """Return the shop's tables."""
    data = ORIGIN / "tau_bench" / "envs" / "retail" / "data"
    return {file.stem: json.loads(file.read_bytes()) for file in sorted(data.glob("*.json"))}


def dump_task(task: Task, path: Path) -> None:
    """Write a task file of ToolMaze."""
    path.write_text(json.dumps(task_to_json(task), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def definitions() -> dict[str, Any]:
    """Return ToolMaze's definition files by name; each value is to be written as YAML (or JSON, which is YAML)."""
    files: dict[str, Any] = {
        f"{category}.yaml": {
            "tools": [_toolmaze(tool) for tool in TOOLS.values() if tool.category == category]
        }
        for category in ("source", "processor", "action")
    }
    alternatives: dict[str, list[Any]] = {"one_to_one": [], "one_to_many": [], "many_to_many": []}
    for need in groups():
        paths = [{"tools": list(way.tools)} for way in need.ways]
        alternatives[need.kind].append({"group": need.name, "paths": paths})
    return {**files, "alternatives.yaml": alternatives}


def _toolmaze(tool: WorldTool) -> Any:
    signature = ", ".join(tool.inputs["properties"])
    return {
        "name": tool.name,
        "description": tool.description,
        "category": tool.category,
        "domain": tool.domain,
        "substitutes": _one_for_one(tool.name),
        "paradigms": {
            "function_call": {
                "spec": {"name": tool.name, "description": tool.description, "parameters": tool.inputs}
            },
            "mcp": {
                "prompt_signature": f"{tool.name}({signature})",
                "prompt_description": tool.description,
                "output_schema": tool.output,
            },
        },
    }


def _one_for_one(name: str) -> list[str]:
    """Return the tools that do alone what this one does alone; longer ways are in the alternatives."""
    found: dict[str, None] = {}
    for need in groups():
        single = [way.tools[0] for way in need.ways if len(way.uses) == 1]
        if name in single:
            found |= dict.fromkeys(other for other in single if other != name)
    return list(found)


PLUGIN = """
TOOL_NAME = {name!r}

def execute(arguments, context):
    context["calls"] = context.get("calls", 0) + 1
    return {{"tool": TOOL_NAME, "call": context["calls"]}}
"""


def make_toolmaze(root: Path) -> Path:
    """Write a small checkout of ToolMaze, with tasks of the tool world, and return its folder."""
    made = list(workflows(16, 0))
    corpus, kinds = Corpus.of(nominal_traces(16, 0)), faults(["toolmaze"])
    for workflow in made:
        folder = root / "data" / "perturbed_tasks" / workflow.complexity.lower()
        folder.mkdir(parents=True, exist_ok=True)
        for mode in ("P0", "P3", "P4"):
            task = as_task(workflow, mode, kinds, corpus)
            if task is not None:
                dump_task(task, folder / f"{workflow.task_id}_{mode}.json")
    (root / "tools" / "definitions").mkdir(parents=True)
    (root / "tools" / "plugins").mkdir()
    for name, document in definitions().items():
        (root / "tools" / "definitions" / name).write_text(json.dumps(document))
    for name in {tool for workflow in made for tool in workflow.tools}:
        (root / "tools" / "plugins" / f"{name}.py").write_text(PLUGIN.format(name=name))
    return root
