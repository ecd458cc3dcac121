"""The form of a ToolMaze task: its parts, read from JSON and written to it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from outcome_monitors.exceptions import SourceError

from .data import FieldPlace, Fields

__all__ = [
    "COMPLEXITIES",
    "CORRUPTION",
    "MODES",
    "Task",
    "TaskPath",
    "TaskStep",
    "task_from_json",
    "task_to_json",
]

Json = Any

COMPLEXITIES = ("C1", "C2", "C3", "C4")
MODES = ("P0", "P1", "P2", "P3", "P4")
CORRUPTION = "corruption_type"
"""Where a step of this world's own files names the fault in it."""


@dataclass(frozen=True, slots=True)
class TaskStep:
    """One call of a path."""

    step: Json
    tool_name: str
    arguments: Mapping[str, Json]
    output: Json
    """Where `is_perturbed` is true: what is to be injected for the tool."""
    status: Json = "success"
    is_perturbed: bool = False
    extra: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TaskPath:
    """One valid path."""

    path_id: Json
    tools: tuple[str, ...]
    group_choices: tuple[str, ...]
    """`slot:choice`, for each place at which paths differ."""
    execution_trace: tuple[TaskStep, ...]
    extra: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Task:
    """One task file."""

    task_id: str
    complexity: str
    perturbation_mode: str
    user_input: Mapping[str, Json]
    execution_trace: tuple[TaskStep, ...] = ()
    """The only path of a C1 task."""
    valid_paths: tuple[TaskPath, ...] = ()
    """The paths of a C2 to C4 task."""
    perturbation_point: Json = None
    extra: Mapping[str, Json] = field(default_factory=dict)
    """Every other key of the file, kept as it is."""

    @property
    def query(self) -> str:
        """What the user asks for."""
        return str(self.user_input.get("query") or self.extra.get("task_description") or "")

    @property
    def paths(self) -> tuple[TaskPath, ...]:
        """All valid paths; the trace of a C1 task counts as one."""
        if self.valid_paths:
            return self.valid_paths
        tools = tuple(step.tool_name for step in self.execution_trace)
        return (TaskPath("path_1", tools, (), self.execution_trace),)

    @property
    def tools(self) -> tuple[str, ...]:
        """The tools of all paths."""
        return tuple(dict.fromkeys(tool for path in self.paths for tool in path.tools))

    @property
    def alternative_tools(self) -> frozenset[str]:
        """The tools of some paths and not of all."""
        used = [frozenset(path.tools) for path in self.paths]
        return frozenset.union(*used) - frozenset.intersection(*used)


def task_to_json(task: Task) -> Json:
    """Return the object that a task file holds."""
    document: dict[str, Json] = {
        "task_id": task.task_id,
        "complexity": task.complexity,
        "perturbation_mode": task.perturbation_mode,
        "perturbation_point": task.perturbation_point,
        "user_input": dict(task.user_input),
    }
    if task.execution_trace:
        document["execution_trace"] = [_step_to_json(step) for step in task.execution_trace]
    if task.valid_paths:
        document["valid_paths"] = [
            {
                "path_id": path.path_id,
                "tools": list(path.tools),
                "group_choices": list(path.group_choices),
                "execution_trace": [_step_to_json(step) for step in path.execution_trace],
                **path.extra,
            }
            for path in task.valid_paths
        ]
    return {**document, **task.extra}


def _step_to_json(step: TaskStep) -> Json:
    return {
        "step": step.step,
        "tool_name": step.tool_name,
        "arguments": dict(step.arguments),
        "output": step.output,
        "status": step.status,
        "is_perturbed": step.is_perturbed,
        **step.extra,
    }


def task_from_json(document: Json, file: str = "the task") -> Task:
    """Return the task that a file's object states; raise SourceError, naming file and field, where it states none."""
    top = Fields(document, FieldPlace(file))
    trace, paths = _rows(top, "execution_trace"), _rows(top, "valid_paths")
    if not trace and not paths:
        raise SourceError(
            f"{file}: `execution_trace` and `valid_paths` are both missing or empty; a task has one of them"
        )
    return Task(
        task_id=top.text("task_id"),
        complexity=top.word("complexity", COMPLEXITIES),
        perturbation_mode=top.word("perturbation_mode", MODES),
        user_input=top.object("user_input"),
        execution_trace=tuple(_step(row, index) for index, row in enumerate(trace, 1)),
        valid_paths=tuple(_path(row, index) for index, row in enumerate(paths, 1)),
        perturbation_point=top.take("perturbation_point"),
        extra=top.rest(),
    )


def _path(row: Fields, index: int) -> TaskPath:
    trace = tuple(_step(step, number) for number, step in enumerate(_rows(row, "execution_trace"), 1))
    return TaskPath(
        path_id=row.take("path_id", f"path_{index}"),
        tools=row.texts("tools") or tuple(step.tool_name for step in trace),
        group_choices=row.texts("group_choices"),
        execution_trace=trace,
        extra=row.rest(),
    )


def _step(row: Fields, index: int) -> TaskStep:
    return TaskStep(
        step=row.take("step", index),
        tool_name=row.text("tool_name"),
        arguments=row.object("arguments"),
        output=row.required("output"),
        status=row.take("status", "success"),
        is_perturbed=row.take("is_perturbed", default=False) is True,
        extra=row.rest(),
    )


def _rows(row: Fields, field: str) -> list[Fields]:
    return [Fields(*each) for each in row.rows(field)]
