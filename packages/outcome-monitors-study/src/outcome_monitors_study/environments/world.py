"""The built-in tool world, with ToolMaze's modes: its workflows, faults injected by first touch, judged by what was asked."""

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import cached_property

from outcome_monitors.evaluation.faults import Corpus
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.model import Call, Json
from outcome_monitors.recovery.mining import Sources, build, from_tools_list
from outcome_monitors.recovery.relations import Relations
from outcome_monitors_study._json import digest
from outcome_monitors_study.world import (
    Workflow,
    World,
    declared_substitutes,
    nominal_traces,
    tools_list,
    workflows,
)
from outcome_monitors_study.world.agents import Interface, Run, carry_out
from outcome_monitors_study.world.scoring import Shown, score
from outcome_monitors_study.world.toolmaze import COMPLEXITIES, MODES, Task, task_to_json
from outcome_monitors_study.world.toolmaze_export import as_task

from .environment import Cell, EpisodeVerdict, Served
from .faults import INCIDENT, recovery, study_faults, walked
from .toolmaze import ModedEnvironment, TouchedEpisode


class WorldEpisode(TouchedEpisode):
    """One run of a workflow, in a world of its own."""

    def __init__(self, workflow: Workflow, task: Task) -> None:
        super().__init__(task)
        self.workflow = workflow
        self.query, self.tools = workflow.query, workflow.tools
        self._world = World(workflow.seed)
        self._shown: list[Shown] = []

    def answer(self, tool: str, arguments: Mapping[str, Json]) -> Json:
        """Call a tool of the world."""
        return self._world.call(tool, arguments)

    def failed(self, raw: Json) -> bool:
        """Say whether the last call failed openly."""
        return self._world.log[-1].failed

    def call(self, tool: str, arguments: Mapping[str, Json]) -> Served:
        """Call a tool, and note what was shown that is not true."""
        served = super().call(tool, arguments)
        if served.injected:
            self._shown.append(Shown(served.raw, served.seen))
        return served

    def judge(self, answer: Json) -> EpisodeVerdict:
        """Judge by what was asked for: the records, the messages, and the answer, a script's as a model's.

        Which path was walked is noted, and decides nothing.
        """
        paths = [path.tools for path in self._task.paths]
        found = score(self.workflow, self._world, answer, self._shown)
        details = {
            "path": walked(paths, self.answered),
            **recovery(paths, self.answered, completed=found.completed),
            "not_injected": self.not_injected,
            **asdict(found),
        }
        return EpisodeVerdict(found.completed, details)

    def played(self, interface: Interface, script: str, heeds: Callable[[], bool] = lambda: False) -> Run:
        """Let a script carry the workflow out."""
        return carry_out(self.workflow, interface, script, heeds)


class WorldEnvironment(ModedEnvironment):
    """All workflows of a world."""

    _source = "the tool world"

    def __init__(self, workflows: int = 400, seed: int = 0, suites: Sequence[str] = ("toolmaze",)) -> None:
        self._count, self._seed = workflows, seed
        self._faults = study_faults(suites)
        self._deals = tuple(suites) == (INCIDENT,)
        self._tasks: dict[tuple[str, str], Task | None] = {}

    def cells(
        self, wanted: Mapping[str, int], seed: int, without: frozenset[str] = frozenset()
    ) -> list[Cell]:
        """Sample workflows of each stratum, none twice; those in which no fault has a place are passed over."""
        rng = random.Random(seed)  # noqa: S311 - a sample, not a secret
        free = {level: [n for n, w in self._made.items() if w.complexity == level] for level in COMPLEXITIES}
        for level, names in free.items():
            rng.shuffle(names)
            free[level] = [name for name in names if name not in without]
        return [cell for stratum, number in wanted.items() for cell in self._sample(stratum, number, free)]

    def _fitting(self, cell: Cell) -> list[str]:
        """Return the faults that have a place in a workflow by themselves."""
        if self.is_clean(cell.stratum):
            return []
        return [fault.name for fault in self._faults if self._task(cell.id, fault.name) is not None]

    def level(self, task: str) -> str:
        """Return the level of a workflow, C1 to C4."""
        return self._made[task].complexity

    def _sample(self, stratum: str, wanted: int, free: dict[str, list[str]]) -> list[Cell]:
        level, _, mode = stratum.partition("/")
        if level not in COMPLEXITIES or mode not in MODES:
            raise OutcomeMonitorsError(
                f"there is no stratum {stratum!r}: write a level C1 to C4 and a mode P0 to P4, as in C3/P4"
            )
        found: list[Cell] = []
        while len(found) < wanted and free[level]:
            name = free[level].pop()
            if self._task(f"{name}/{mode}") is not None:
                found.append(Cell(f"{name}/{mode}", stratum, name))
        if len(found) < wanted:
            raise OutcomeMonitorsError(
                f"stratum {stratum} has {len(found)} tasks, not {wanted}; ask for fewer, or make more workflows"
            )
        return found

    def open(self, cell: Cell) -> WorldEpisode:
        """Start an episode in a fresh world."""
        task = self._task(cell.id, cell.fault) if cell.task in self._made else None
        if task is None:
            raise OutcomeMonitorsError(f"there is no cell {cell.id!r} in this world; freeze the study again")
        return WorldEpisode(self._made[cell.task], task)

    def fingerprint(self, cells: Iterable[Cell]) -> str:
        """Return a digest of the cells' tasks, what is injected included."""
        tasks = {
            cell.id: self._task(cell.id, cell.fault) if cell.task in self._made else None for cell in cells
        }
        return digest({name: task and task_to_json(task) for name, task in tasks.items()})

    def specs(self) -> list[Json]:
        """Return the tools as MCP lists them."""
        listed: list[Json] = tools_list()["tools"]
        return listed

    def clean_calls(self, without: frozenset[str]) -> Iterable[Call]:
        """Return the calls of clean runs of all other workflows."""
        return [call for call in self._calls if call.task not in without]

    def relations(self) -> Relations:
        """Return the declared substitutes, with what the interfaces say of how to call them."""
        tools = from_tools_list(tools_list(), "the tool world")
        return build(Sources(tools=tools, stated=[Relations.declared(declared_substitutes())]))

    def _task(self, cell: str, fault: str = "") -> Task | None:
        """Return a cell's task: with the fault that it was dealt, or with the first that has a place in it."""
        if (cell, fault) not in self._tasks:
            name, _, mode = cell.rpartition("/")
            kinds = tuple(each for each in self._faults if each.name == fault) if fault else self._faults
            self._tasks[cell, fault] = as_task(self._made[name], mode, kinds, self._corpus)
        return self._tasks[cell, fault]

    @cached_property
    def _made(self) -> dict[str, Workflow]:
        return {workflow.task_id: workflow for workflow in workflows(self._count, self._seed)}

    @cached_property
    def _calls(self) -> list[Call]:
        return list(nominal_traces(self._count, self._seed))

    @cached_property
    def _corpus(self) -> Corpus:
        return Corpus.of(self._calls)
