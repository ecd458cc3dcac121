"""ToolMaze's tasks: the form of a task file, read and written, its clean calls, and its perturbations injected by first touch.

A task file fixes what is injected; which of its perturbations come alive depends on what the agent calls first. In C1 it is
the marked step. In C2 and C3 the first alternative tool that is called brings its own path's perturbations alive, and the
other paths stay clean. In C4 the same holds slot by slot. Only what the caller sees is changed: the call is always made.
"""

import copy
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from outcome_monitors.exceptions import SourceError
from outcome_monitors.files import FilePath, read_json
from outcome_monitors.model import Call
from outcome_monitors_study._json import files_in

Json = Any

COMPLEXITIES = ("C1", "C2", "C3", "C4")
MODES = ("P0", "P1", "P2", "P3", "P4")
PERMANENT = frozenset({"P2", "P4"})
_PATHS = ("execution_trace", "valid_paths")
_KINDS: dict[type, str] = {str: "a text", dict: "an object", list: "a list"}
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
    perturbation_point: Json = field(default=None, kw_only=True)
    user_input: Mapping[str, Json]
    execution_trace: tuple[TaskStep, ...] = ()
    """The only path of a C1 task."""
    valid_paths: tuple[TaskPath, ...] = ()
    """The paths of a C2 to C4 task."""
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
    document = _plain(task)
    return {key: value for key, value in document.items() if key not in _PATHS or value}


def _plain(value: Json) -> Json:
    """Return a part of a task as JSON, its other keys beside its own."""
    if isinstance(value, Task | TaskPath | TaskStep):
        own = {each.name: _plain(getattr(value, each.name)) for each in fields(value) if each.name != "extra"}
        return {**own, **value.extra}
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


def task_from_json(document: Json, file: str = "the task") -> Task:
    """Return the task that a file's object states; raise SourceError, naming file and field, where it states none."""
    top = _Fields(document, file)
    trace, paths = top.rows("execution_trace"), top.rows("valid_paths")
    if not trace and not paths:
        raise SourceError(
            f"{file}: `execution_trace` and `valid_paths` are both missing or empty; a task has one of them"
        )
    return Task(
        task_id=top.take("task_id", str),
        complexity=top.take("complexity", str, COMPLEXITIES),
        perturbation_mode=top.take("perturbation_mode", str, MODES),
        user_input=top.take("user_input", dict),
        execution_trace=tuple(_step(row, index) for index, row in enumerate(trace, 1)),
        valid_paths=tuple(_path(row, index) for index, row in enumerate(paths, 1)),
        perturbation_point=top.left.pop("perturbation_point", None),
        extra=top.left,
    )


def _path(row: "_Fields", index: int) -> TaskPath:
    trace = tuple(_step(step, number) for number, step in enumerate(row.rows("execution_trace"), 1))
    return TaskPath(
        path_id=row.left.pop("path_id", f"path_{index}"),
        tools=row.texts("tools") or tuple(step.tool_name for step in trace),
        group_choices=row.texts("group_choices"),
        execution_trace=trace,
        extra=row.left,
    )


def _step(row: "_Fields", index: int) -> TaskStep:
    if "output" not in row.left:
        raise row.wrong("output", "is missing")
    return TaskStep(
        step=row.left.pop("step", index),
        tool_name=row.take("tool_name", str),
        arguments=row.take("arguments", dict),
        output=row.left.pop("output"),
        status=row.left.pop("status", "success"),
        is_perturbed=row.left.pop("is_perturbed", False) is True,
        extra=row.left,
    )


class _Fields:
    """An object of a task file, taken apart field by field; what is left is kept as it is."""

    def __init__(self, value: Json, file: str, path: str = "") -> None:
        self._file, self._path = file, path
        if not isinstance(value, dict):
            raise SourceError(f"{file}: {f'`{path}`' if path else 'the document'} is not an object")
        self.left = dict(value)

    def wrong(self, field: str, why: str) -> SourceError:
        return SourceError(f"{self._file}: `{self._below(field)}` {why}")

    def take(self, field: str, kind: type, words: tuple[str, ...] = ()) -> Json:
        """Return a field of a type; a text must be there, an object or a list may be missing."""
        value = self.left.pop(field, None)
        if value is None and kind is not str:
            return kind()
        if not isinstance(value, kind) or value == "":
            raise self.wrong(field, f"is not {_KINDS[kind]}")
        if words and value not in words:
            raise self.wrong(field, f"is {value!r}, not one of {', '.join(words)}")
        return value

    def texts(self, field: str) -> tuple[str, ...]:
        value = self.take(field, list)
        if not all(isinstance(item, str) for item in value):
            raise self.wrong(field, "is not a list of texts")
        return tuple(value)

    def rows(self, field: str) -> list["_Fields"]:
        rows = enumerate(self.take(field, list))
        return [_Fields(row, self._file, f"{self._below(field)}[{index}]") for index, row in rows]

    def _below(self, field: str) -> str:
        return f"{self._path}.{field}" if self._path else field


def load_task(path: FilePath) -> Task:
    """Read one task file."""
    return task_from_json(read_json(path), os.fspath(path))


def load_tasks(folder: FilePath) -> Iterator[Task]:
    """Yield the tasks of all files under a folder, in the order of their paths."""
    files = files_in(Path(folder), "**/*.json")
    if not files:
        raise SourceError(
            f"there is no .json file under {os.fspath(folder)}; give ToolMaze's folder perturbed_tasks"
        )
    return (load_task(file) for file in files)


def nominal_calls(task: Task) -> Iterator[Call]:
    """Yield the calls of a clean (P0) task, a session for each path."""
    if task.perturbation_mode != "P0":
        raise SourceError(f"task {task.task_id} is {task.perturbation_mode}; only P0 tasks hold clean traces")
    for path in task.paths:
        for step in path.execution_trace:
            yield Call(
                tool=step.tool_name,
                arguments=step.arguments,
                result=step.output,
                task=task.task_id,
                session=f"{task.task_id}/{path.path_id}",
                error=failed_openly(step.output) or step.status in {"error", "failed"},
                tools=task.tools,
                extra={"step": step.step},
            )


def failed_openly(result: Json) -> bool:
    """Say whether a result names an error."""
    return isinstance(result, dict) and bool(result.get("error"))


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
        self._permanent = task.perturbation_mode in PERMANENT
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
