"""ToolMaze's own perturbations, injected by first touch.

A task file fixes what is injected; which of its perturbations come alive depends on what the agent calls first. In C1 it
is the marked step. In C2 and C3 the first alternative tool that is called brings its own path's perturbations alive, and
the other paths stay clean. In C4 the same holds slot by slot. Only what the caller sees is changed: the call is always
made.
"""

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from .toolmaze_form import Task, TaskPath, TaskStep

__all__ = ["FirstTouch"]

Json = Any

_PERMANENT = frozenset({"P2", "P4"})


@dataclass(frozen=True, slots=True)
class _Choice:
    """One alternative of a slot: the tools by which it is known, and what it injects, by tool."""

    tools: frozenset[str]
    injected: Mapping[str, Json]


class FirstTouch:
    """Wraps a tool-calling function, for one run of one task."""

    def __init__(self, task: Task, call: Callable[[str, Mapping[str, Json]], Json]) -> None:
        self.hits: list[str] = []
        """The tools whose answers were replaced, in order."""
        self._call = call
        self._permanent = task.perturbation_mode in _PERMANENT
        self._waiting: list[list[_Choice]] = [] if task.perturbation_mode == "P0" else _slots(task)
        self._alive: dict[str, Json] = {}

    def __call__(self, tool: str, arguments: Mapping[str, Json]) -> Json:
        """Call a tool and return what the caller sees."""
        result = self._call(tool, arguments)
        self._touch(tool)
        if tool not in self._alive:
            return result
        self.hits.append(tool)
        return copy.deepcopy(self._alive[tool] if self._permanent else self._alive.pop(tool))

    def _touch(self, tool: str) -> None:
        for slot in self._waiting:
            choice = next((choice for choice in slot if tool in choice.tools), None)
            if choice is not None:
                self._alive |= choice.injected
                self._waiting.remove(slot)
                return


def _slots(task: Task) -> list[list[_Choice]]:
    if task.complexity == "C1":
        injected = _injected(task.paths[0].execution_trace)
        return [[_Choice(frozenset(injected), injected)]]
    if task.complexity == "C4":
        return _slots_by_choice(task)
    alternative = task.alternative_tools
    return [[_Choice(alternative & set(path.tools), _injected(path.execution_trace)) for path in task.paths]]


def _slots_by_choice(task: Task) -> list[list[_Choice]]:
    """Tell slots apart by `group_choices`: a choice is known by the tools that only its own paths have."""
    by_choice: dict[str, list[TaskPath]] = {}
    for path in task.paths:
        for choice in path.group_choices:
            by_choice.setdefault(choice, []).append(path)
    slots: dict[str, list[_Choice]] = {}
    for choice, paths in by_choice.items():
        slot = choice.rpartition(":")[0]
        others = {tool for path in task.paths if path not in paths for tool in path.tools}
        own = frozenset.intersection(*(frozenset(path.tools) for path in paths)) - others
        steps = tuple(step for path in paths for step in path.execution_trace if step.tool_name in own)
        slots.setdefault(slot, []).append(_Choice(own, _injected(steps)))
    return list(slots.values())


def _injected(steps: tuple[TaskStep, ...]) -> dict[str, Json]:
    """Return what is injected for each tool; the first marked step of a tool counts."""
    found: dict[str, Json] = {}
    for step in steps:
        if step.is_perturbed:
            found.setdefault(step.tool_name, step.output)
    return found
