"""This world in ToolMaze's forms: workflows as tasks, clean or perturbed, and its tools as definition files."""

import zlib
from collections.abc import Iterator, Sequence
from typing import Any

from outcome_monitors.evaluation.faults import NOT_APPLICABLE, Corpus, Fault, Subject
from outcome_monitors.model import Call

from .requests import Path, Workflow
from .toolmaze import CORRUPTION, Task, TaskPath, TaskStep
from .workflows import nominal_calls

Json = Any

_EXPLICIT = {
    "P1": (
        "Service Unavailable",
        "Gateway Timeout",
        "Too Many Requests",
        "Internal Server Error",
        "Bad Gateway",
    ),
    "P2": ("Not Found", "Gone", "Not Implemented", "Forbidden", "Payment Required"),
}


def as_task(
    workflow: Workflow, mode: str = "P0", faults: Sequence[Fault] = (), corpus: Corpus | None = None
) -> Task | None:
    """Return a workflow as a task in a mode, or None where no fault has a place in it.

    P1 and P2 inject open errors. P3 and P4 inject the first of `faults`, in an order that depends on the task, that
    has a place in the victim's result. In C1 the victim is one step; otherwise it is the first tool of every choice.
    """
    marker = _Marker(
        mode, faults, Corpus.of(()) if corpus is None else corpus, zlib.crc32(workflow.task_id.encode())
    )
    paths = [_path(workflow, number, path, marker) for number, path in enumerate(workflow.paths(), 1)]
    if mode != "P0" and not all(any(step.is_perturbed for step in path.execution_trace) for path in paths):
        return None
    head = (workflow.task_id, workflow.complexity, mode, {"query": workflow.query})
    if workflow.complexity == "C1":
        trace = paths[0].execution_trace
        return Task(*head, execution_trace=trace, perturbation_point=_point(trace))
    return Task(*head, valid_paths=tuple(paths), perturbation_point=_point(paths[0].execution_trace))


def _point(trace: tuple[TaskStep, ...]) -> int | None:
    return next((index for index, step in enumerate(trace) if step.is_perturbed), None)


class _Marker:
    """Decides what a step's output is replaced by."""

    def __init__(self, mode: str, faults: Sequence[Fault], corpus: Corpus, turn: int) -> None:
        self.perturbs = mode != "P0"
        self.turn = turn
        self._explicit = _EXPLICIT.get(mode)
        start = turn % len(faults) if faults else 0
        self._faults = (*faults[start:], *faults[:start])
        self._corpus = corpus

    def status(self, hit: bool) -> str:
        """Return the status that a step shows: silent faults do not show."""
        return "error" if hit and self._explicit is not None else "success"

    def corrupted(self, call: Call, history: Sequence[Call]) -> tuple[Json, str]:
        """Return the output to inject, or NOT_APPLICABLE, and the name of the fault behind it; an open error has none."""
        if self._explicit is not None:
            return {"error": self._explicit[self.turn % len(self._explicit)]}, ""
        subject = Subject(call, tuple(history), self._corpus)
        tried = ((fault.apply(subject), fault.name) for fault in self._faults)
        return next((each for each in tried if each[0] is not NOT_APPLICABLE), (NOT_APPLICABLE, ""))


def _path(workflow: Workflow, number: int, path: Path, marker: _Marker) -> TaskPath:
    calls = list(nominal_calls(workflow, path))
    victims = set(_victims(workflow, path, marker.turn, calls)) if marker.perturbs else set()
    steps = []
    for index, call in enumerate(calls):
        output, fault = marker.corrupted(call, calls[:index]) if index in victims else (NOT_APPLICABLE, "")
        hit = output is not NOT_APPLICABLE
        shown = output if hit else call.result
        named = {CORRUPTION: fault} if fault else {}
        steps.append(TaskStep(index + 1, call.tool, call.arguments, shown, marker.status(hit), hit, named))
    choices = tuple(f"{need}:{choice}" for need, choice in path.items())
    return TaskPath(f"path_{number}", tuple(call.tool for call in calls), choices, tuple(steps))


def _victims(workflow: Workflow, path: Path, turn: int, calls: Sequence[Call]) -> Iterator[int]:
    """Yield the places of the victims among the calls of a path."""
    tools = [call.tool for call in calls]
    if workflow.complexity == "C1":
        yield tools.index(tools[turn % len(tools)])
    for need, choice in path.items():
        yield tools.index(workflow.ways[need][choice].tools[0])
