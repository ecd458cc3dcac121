"""Small checkouts of tau-bench and ToolMaze, with made-up customers, orders and tasks (tests/fixtures), or of the tool world."""

import json
from pathlib import Path
from typing import Any

from outcome_monitors_study.world import TOOLS
from outcome_monitors_study.world.requests import groups
from outcome_monitors_study.world.toolmaze import Task, task_to_json
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
