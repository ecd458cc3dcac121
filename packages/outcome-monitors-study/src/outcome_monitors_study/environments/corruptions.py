"""The silent faults that ToolMaze's task files hold, and what kind each is."""

from collections.abc import Iterator
from typing import NamedTuple

from outcome_monitors.audit.faults import SUITES
from outcome_monitors.model import Json
from outcome_monitors_study.world.toolmaze import CORRUPTION, Task, TaskStep

__all__ = ["SILENT", "Corruption", "corruption", "corruptions"]

SILENT = ("P3", "P4")
NAMES = frozenset(fault.name for fault in SUITES["toolmaze"])


class Corruption(NamedTuple):
    """A step whose output was replaced."""

    step: TaskStep
    kind: str
    """Empty where the file does not say."""


def corruptions(task: Task) -> Iterator[Corruption]:
    """Yield the corrupted steps of all paths; a step that several paths share comes once for each."""
    if task.perturbation_mode not in SILENT:
        return
    for path in task.paths:
        for step in path.execution_trace:
            if step.is_perturbed:
                yield Corruption(step, _kind(step.extra) or _kind(path.extra) or _kind(_beside(task)))


def corruption(task: Task, tool: str, seen: Json) -> str:
    """Return the kind of fault in what was shown for a tool; empty where the file does not say."""
    return next(
        (each.kind for each in corruptions(task) if each.step.tool_name == tool and each.step.output == seen),
        "",
    )


def _beside(task: Task) -> Json:
    return [task.perturbation_point, task.extra]


def _kind(value: Json) -> str:
    """Return the first name of a fault in a value: files differ in where they put it, not in the nine names."""
    if isinstance(value, str):
        return value if value in NAMES else ""
    if isinstance(value, dict) and isinstance(value.get(CORRUPTION), str):
        return str(value[CORRUPTION])
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return next(filter(None, map(_kind, inner)), "")
