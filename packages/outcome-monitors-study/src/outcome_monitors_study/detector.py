"""The detector audit: what contracts catch of ToolMaze's silent faults, and what they flag where nothing is wrong.

Rates are per tool result, not per episode. A row's tasks are dealt into folds; a task's results are checked with contracts that were
learned from the clean (P0) runs of the other folds' tasks, and of all tasks of other levels. No agent takes part.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from outcome_monitors.checking.monitor import Monitor
from outcome_monitors.contracts.registry import Registry
from outcome_monitors.evaluation.faults import Corpus, faults
from outcome_monitors.exceptions import OutcomeMonitorsError

from ._json import resource
from .environments.faults import SILENT, corruptions
from .folds import Construction, crossfit
from .tables import Table
from .world import nominal_traces, workflows
from .world.toolmaze import Task, nominal_calls
from .world.toolmaze_export import as_task

PUBLISHED: Mapping[str, tuple[float, float, float | None]] = resource("paper.json")["detectors"]
"""The paper's rows: recall, clean false-positive rate, coverage."""
PUBLISHED_GIVEN_COVERAGE = 0.845
"""Of C3 and C4."""

PUBLISHED_TYPES: Mapping[str, tuple[int, float, float]] = resource("paper.json")["corruption_types"]
"""By corruption type, C3 and C4: faults, recall, coverage."""

SHARES = ("recall", "false alarms", "coverage", "given coverage")
HARD = ("C3", "C4")
LEARNED = "learned, C3 and C4"


@dataclass(slots=True)
class Gate:
    """What one detector did at one set of levels."""

    faults: int = 0
    caught: int = 0
    covered: int = 0
    clean: int = 0
    flagged: int = 0

    @property
    def shares(self) -> dict[str, float | None]:
        """Of the faults, those flagged and those of a tool with a contract; of those, the flagged; of clean results, the flagged."""
        parts = {
            "recall": (self.caught, self.faults),
            "false alarms": (self.flagged, self.clean),
            "coverage": (self.covered, self.faults),
            "given coverage": (self.caught, self.covered),
        }
        return {name: part / whole if whole else None for name, (part, whole) in parts.items()}


@dataclass(slots=True)
class DetectorAudit:
    """The gates by name, and the last of them by corruption type."""

    gates: dict[str, Gate] = field(default_factory=lambda: {name: Gate() for name in PUBLISHED})
    types: dict[str, Gate] = field(default_factory=lambda: defaultdict(Gate))
    construction: Construction | None = None
    """Of the contracts that C3 and C4 are checked with."""


def audit_detector(
    tasks: Iterable[Task], schemas: Registry | None = None, *, folds: int = 5, profile: str = "paper"
) -> DetectorAudit:
    """Check every silent fault and every clean result of C2 to C4 tasks; `schemas` gives the row of the schemas alone."""
    kept = [task for task in tasks if task.perturbation_mode in {"P0", *SILENT}]
    clean = [task for task in kept if task.perturbation_mode == "P0"]
    if not clean or len(clean) == len(kept):
        raise OutcomeMonitorsError(
            "there are no P0 tasks, or no P3 and P4 tasks; give the folder with all modes"
        )
    calls = [call for task in clean for call in nominal_calls(task)]
    level = {task.task_id: task.complexity for task in kept}
    found = DetectorAudit()
    for name, levels in ((LEARNED, HARD), ("learned, C2", ("C2",))):
        learned = crossfit(calls, level.__getitem__, levels, folds, profile)
        monitors = [Monitor(mined.registry) for mined in learned.mined]
        if name == LEARNED:
            found.construction = learned.construction
        for task in kept:
            if task.complexity in levels:
                # A task that mining never saw is checked by the first registry: none of them knows it.
                _judge(found, name, monitors[learned.tasks.get(task.task_id, 0)], task)
    if schemas is None:
        del found.gates["schemas"]
    else:
        public = Monitor(schemas)
        for task in kept:
            if task.complexity in HARD:
                _judge(found, "schemas", public, task)
    found.types = dict(sorted(found.types.items(), key=lambda item: -(item[1].shares["recall"] or 0.0)))
    return found


def _judge(found: DetectorAudit, name: str, monitor: Monitor, task: Task) -> None:
    gate = found.gates[name]
    if task.perturbation_mode == "P0":
        for call in nominal_calls(task):
            gate.clean += 1
            gate.flagged += bool(monitor.check(call.tool, call.arguments, call.result))
    for step, kind in corruptions(task):
        caught = bool(monitor.check(step.tool_name, step.arguments, step.output))
        covered = monitor.covers(step.tool_name)
        for each in (gate, found.types[kind or "not named"]) if name == LEARNED else (gate,):
            each.faults += 1
            each.caught += caught
            each.covered += covered


def world_tasks(count: int, seed: int, suites: Sequence[str] = ("toolmaze",)) -> tuple[Task, ...]:
    """Return the workflows of the tool world as ToolMaze's tasks, clean and with permanent silent faults.

    A transient fault of this world has the same content as a permanent one, so it is not looked at twice.
    """
    kinds, corpus = faults(suites), Corpus.of(list(nominal_traces(count, seed)))
    made = (
        as_task(workflow, mode, kinds, corpus) for workflow in workflows(count, seed) for mode in ("P0", "P4")
    )
    return tuple(task for task in made if task is not None)


def audit_tables(found: DetectorAudit) -> list[Table]:
    """Return the figures by detector and by corruption type, each beside the published one."""
    given = {LEARNED: PUBLISHED_GIVEN_COVERAGE}
    gates = [
        (
            name,
            gate.faults,
            *_beside(gate, dict(zip(SHARES, (*PUBLISHED[name], given.get(name)), strict=True))),
        )
        for name, gate in found.gates.items()
    ]
    types = []
    for name, gate in found.types.items():
        _, recall, coverage = PUBLISHED_TYPES.get(name, (0, None, None))
        published = {"recall": recall, "coverage": coverage, "given coverage": None}
        types.append((name.replace("_", " "), gate.faults, *_beside(gate, published)))
    forms = dict.fromkeys(SHARES, "beside")
    by_type = {name: form for name, form in forms.items() if name != "false alarms"}
    return [
        Table("gates", "Detectors", {"detector": "text", "faults": "count", **forms}, gates),
        Table("types", "C3 and C4", {"corruption type": "text", "faults": "count", **by_type}, types),
    ]


def _beside(gate: Gate, published: Mapping[str, float | None]) -> list[tuple[float | None, float | None]]:
    return [(gate.shares[name], theirs) for name, theirs in published.items()]
