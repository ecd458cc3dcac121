"""Faults in tasks of ToolMaze's form: those that a task file holds, the paper's incident suite, and what recovering from them cost.

Of the incident suite one kind is dealt to each cell, evenly among the cells that it has a place in. A task is run as it is, and the
fault is put on the first result of a tool that the benchmark's own fault would strike and that the fault can change.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from outcome_monitors.evaluation.faults import (
    NOT_APPLICABLE,
    SUITES,
    Corpus,
    Fault,
    Subject,
    faults as faults_of,
)
from outcome_monitors.evaluation.faults.incident import paged
from outcome_monitors.model import Call, Json
from outcome_monitors_study.world.toolmaze import CORRUPTION, Task, TaskStep, failed_openly, nominal_calls

from .environment import Cell

INCIDENT = "incident"
STRIPPED = Fault.of_result(
    INCIDENT,
    "incident 4, in the text",
    "cause_stripped_http_payload",
    "string",
    partial(paged, page="HTTP 502: Bad Gateway"),
)
"""The phrase in the text's place and all else kept. Without the other fields it is found wherever one is required; the paper's was
found in 3 of 9 and 4 of 10, so it kept them."""
EIGHT: Mapping[str, Fault] = {
    **{fault.name: fault for fault in SUITES[INCIDENT][:8]},
    STRIPPED.name: STRIPPED,
}
"""The kinds that the paper has; the variants after them are ours."""
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
                beside = [task.perturbation_point, task.extra]
                yield Corruption(step, _kind([step.extra, path.extra, beside]))


def corruption(task: Task, tool: str, seen: Json) -> str:
    """Return the kind of fault in what was shown for a tool; empty where the file does not say."""
    return next(
        (each.kind for each in corruptions(task) if each.step.tool_name == tool and each.step.output == seen),
        "",
    )


def _kind(value: Json) -> str:
    """Return the first name of a fault in a value: files differ in where they put it, not in the nine names."""
    if isinstance(value, str):
        return value if value in NAMES else ""
    if isinstance(value, dict) and isinstance(value.get(CORRUPTION), str):
        return str(value[CORRUPTION])
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return next(filter(None, map(_kind, inner)), "")


def study_faults(suites: Sequence[str]) -> tuple[Fault, ...]:
    """Return the faults of suites, of the incident suite the paper's eight."""
    ours = {fault.name for fault in SUITES[INCIDENT]} - EIGHT.keys()
    return tuple(EIGHT.get(fault.name, fault) for fault in faults_of(suites) if fault.name not in ours)


def dealt(cells: Sequence[Cell], fitting: Callable[[Cell], Collection[str]]) -> list[Cell]:
    """Return cells with a fault each, as evenly as what fits them allows; a cell that none fits stays as it is."""
    fits = {cell.id: sorted(fitting(cell)) for cell in cells}
    given: dict[str, str] = {}
    counts: Counter[str] = Counter()
    # Those with little choice come first: the others can make up for them.
    for name in sorted(fits, key=lambda name: (len(fits[name]), name)):
        if fits[name]:
            given[name] = min(fits[name], key=lambda kind: (counts[kind], kind))
            counts[given[name]] += 1
    return [cell._replace(fault=given.get(cell.id, "")) for cell in cells]


def targets(task: Task) -> frozenset[str]:
    """Return the tools that the benchmark's own fault strikes in a task."""
    return frozenset(
        step.tool_name for path in task.paths for step in path.execution_trace if step.is_perturbed
    )


def eligible(task: Task, clean: Task, corpus: Corpus) -> list[str]:
    """Return the kinds that change what a struck tool answers in the clean run of a task."""
    struck = targets(task)
    calls = list(nominal_calls(clean))
    found: set[str] = set()
    for place, call in enumerate(calls):
        if call.tool in struck and not call.error:
            before = [each for each in calls[:place] if each.session == call.session]
            found |= {
                name for name, fault in EIGHT.items() if _changed(fault, call, before, corpus) is not None
            }
    return sorted(found)


def _changed(fault: Fault, call: Call, before: Sequence[Call], corpus: Corpus) -> Json | None:
    seen = fault.apply(Subject(call, before, corpus))
    return None if seen is NOT_APPLICABLE or seen == call.result else seen


class IncidentTouch:
    """Wraps a tool-calling function, for one run of one task: the first result that the fault can change is changed."""

    def __init__(
        self, task: Task, kind: str, corpus: Corpus, call: Callable[[str, Mapping[str, Json]], Json]
    ) -> None:
        self.hits: list[str] = []
        """The tools whose answers were replaced, in order."""
        self._fault, self._targets = EIGHT.get(kind), targets(task)
        self._corpus, self._call = corpus, call
        self._before: list[Call] = []

    def __call__(self, tool: str, arguments: Mapping[str, Json]) -> Json:
        """Call a tool and return what the caller sees."""
        result = self._call(tool, arguments)
        made = Call(tool, dict(arguments), result)
        before, self._before = self._before, [*self._before, made]
        if self._fault is None or self.hits or tool not in self._targets or failed_openly(result):
            return result
        seen = _changed(self._fault, made, before, self._corpus)
        if seen is None:
            return result
        self.hits.append(tool)
        return seen


class Answered(NamedTuple):
    """A call, and whether its answer was the true one and no open error."""

    tool: str
    truly: bool
    injected: bool


def walked(paths: Iterable[Iterable[str]], calls: Sequence[Answered]) -> bool:
    """Say whether the tools of a valid path were answered truly in its order, whatever came between."""
    return any(_walked(path, calls) for path in paths)


def recovery(
    paths: Sequence[Sequence[str]], calls: Sequence[Answered], *, completed: bool
) -> dict[str, Json]:
    """Return whether a fault was met, and what recovery cost.

    The cost is ToolMaze's RC: 0 where no fault was met, 1 where one was and the task not completed, else how many of the
    calls from the first fault on were more than the shortest path had left.
    """
    first = next((index for index, call in enumerate(calls) if call.injected), None)
    if first is None:
        return {"hit": False, "recovery_cost": 0.0}
    left = max(1, min(map(len, paths)) - first)
    cost = 1 - left / max(len(calls) - first, left) if completed else 1.0
    return {"hit": True, "recovery_cost": round(cost, 6)}


def _walked(path: Iterable[str], calls: Sequence[Answered]) -> bool:
    answered = iter([call.tool for call in calls if call.truly])
    return all(any(tool == other for other in answered) for tool in path)
