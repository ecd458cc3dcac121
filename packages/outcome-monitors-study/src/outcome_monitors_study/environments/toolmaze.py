"""ToolMaze, from a checkout and a copy of its dataset that the user has: its tasks, tools, plugins and first-touch injection.

A plugin is code of that checkout, and it is run. An agent is shown the tools of its task's paths. A task is completed where one
valid path was walked with true answers; how ToolMaze's own evaluator weighs the agent's last words is not repeated here.
"""

import copy
import hashlib
import importlib.util
import random
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from outcome_monitors.contracts.registry import Registry
from outcome_monitors.contracts.sources.mcp_tools import from_mcp_tools
from outcome_monitors.evaluation.faults import Corpus
from outcome_monitors.exceptions import OutcomeMonitorsError, SourceError
from outcome_monitors.model import Call, Json
from outcome_monitors.recovery.relations import Relations
from outcome_monitors.recovery.toolmaze import output_schemas, read_relations, read_tools
from outcome_monitors_study._json import digest, files_in, resource
from outcome_monitors_study.world.toolmaze import (
    FirstTouch,
    Task,
    failed_openly,
    load_tasks,
    nominal_calls,
    task_to_json,
)

from .environment import Cell, Environment, EpisodeVerdict, Served, not_injected
from .faults import (
    INCIDENT,
    Answered,
    IncidentTouch,
    corruption,
    dealt,
    eligible,
    recovery,
    targets,
    walked,
)

DATASET = "9fcd7d7ec3c06afcee098877cca1ae8c29b87a1102be4b365a1055f824a76bc8"
"""The SHA-256 over all task files of the dataset that `study fetch toolmaze` pins."""
SYSTEM_PROMPT: str = resource("prompts.json")["toolmaze"]
"""ToolMaze's own for its agents, as the paper prints it: a dash is two hyphens there, and an emoji is named."""

Plugin = Callable[[Mapping[str, Json], dict[str, Json]], Json]


class TouchedEpisode:
    """One run of a task of ToolMaze's form: what is injected depends on which tools are called first."""

    def __init__(self, task: Task, kind: str = "", corpus: Corpus | None = None) -> None:
        self.query, self.tools = task.query, task.tools
        self.answered: list[Answered] = []
        self._task, self._kind = task, kind
        self._raw: Json = None
        self._touch: FirstTouch | IncidentTouch = (
            FirstTouch(task, self._ask) if corpus is None else IncidentTouch(task, kind, corpus, self._ask)
        )

    def answer(self, tool: str, arguments: Mapping[str, Json]) -> Json:
        """Return what a tool truly answers."""
        raise NotImplementedError

    def failed(self, raw: Json) -> bool:
        """Say whether a call failed openly."""
        return failed_openly(raw)

    def call(self, tool: str, arguments: Mapping[str, Json]) -> Served:
        """Call a tool; only what is shown is ever replaced."""
        hits = len(self._touch.hits)
        seen = self._touch(tool, arguments)
        injected = len(self._touch.hits) > hits
        self.answered.append(Answered(tool, not injected and not self.failed(self._raw), injected))
        fault = (self._kind or corruption(self._task, tool, seen)) if injected else ""
        return Served(self._raw, seen, injected, fault=fault)

    @property
    def not_injected(self) -> str | None:
        """Why nothing was injected; None where something was."""
        struck = targets(self._task)
        called = any(each.tool in struck for each in self.answered)
        return not_injected(faulted=bool(struck), hit=bool(self._touch.hits), called=called)

    def _ask(self, tool: str, arguments: Mapping[str, Json]) -> Json:
        result = self.answer(tool, arguments)
        self._raw = copy.deepcopy(result)
        return result


class ToolMazeEpisode(TouchedEpisode):
    """One run of a task, with a context of its own for the plugins."""

    def __init__(
        self, task: Task, plugin: Callable[[str], Plugin], kind: str = "", corpus: Corpus | None = None
    ) -> None:
        super().__init__(task, kind, corpus)
        self._plugin = plugin
        self._context: dict[str, Json] = {}

    def answer(self, tool: str, arguments: Mapping[str, Json]) -> Json:
        """Run a plugin; one that raises is a call that fails openly."""
        try:
            return self._plugin(tool)(copy.deepcopy(dict(arguments)), self._context)
        except SourceError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever a plugin raises
            return {"error": f"{type(error).__name__}: {error}"}

    def judge(self, answer: Json) -> EpisodeVerdict:
        """Say whether a valid path was walked."""
        paths = [path.tools for path in self._task.paths]
        done = walked(paths, self.answered)
        found = {"path": done, **recovery(paths, self.answered, completed=done)}
        return EpisodeVerdict(done, {**found, "not_injected": self.not_injected})


class ModedEnvironment(Environment):
    """An environment whose cells are `TASK/MODE`, of strata `LEVEL/MODE`."""

    _deals: bool
    """Incidents are injected, each cell with a kind of its own."""

    def clean(self, cell: Cell) -> Cell:
        """Return the task in mode P0."""
        return Cell(f"{cell.task}/P0", f"{cell.stratum.partition('/')[0]}/P0", cell.task)

    def is_clean(self, stratum: str) -> bool:
        """Say whether nothing is injected: so it is in mode P0."""
        return stratum.endswith("/P0")

    def deal(self, cells: list[Cell]) -> list[Cell]:
        """Deal incidents out, where those are injected."""
        return dealt(cells, self._fitting) if self._deals else cells

    @abstractmethod
    def _fitting(self, cell: Cell) -> list[str]:
        """Return the incidents that have a place in a task."""


class ToolMazeEnvironment(ModedEnvironment):
    """A checkout, and the folder of its task files."""

    system_prompt = SYSTEM_PROMPT

    def __init__(self, checkout: str, data: str = "", suites: Sequence[str] = ("toolmaze",)) -> None:
        self._root = Path(checkout)
        self._data = Path(data) if data else self._root / "data" / "perturbed_tasks"
        if tuple(suites) not in {("toolmaze",), (INCIDENT,)}:
            raise OutcomeMonitorsError(
                f"ToolMaze's tasks are run with its own faults, toolmaze, or with those of {INCIDENT}; choose one"
            )
        self._deals = tuple(suites) == (INCIDENT,)
        self._plugins: dict[str, Plugin] = {}

    def notice(self) -> str:
        """Say where the tasks are of another revision than the known one."""
        taken = hashlib.sha256()
        for file in files_in(self._data, "**/*.json"):
            taken.update(file.read_bytes())
        if taken.hexdigest() == DATASET:
            return ""
        return f"{self._data} is not the known revision of ToolMaze's tasks ({taken.hexdigest()[:12]})"

    def cells(
        self, wanted: Mapping[str, int], seed: int, without: frozenset[str] = frozenset()
    ) -> list[Cell]:
        """Sample tasks of each stratum, no task id twice."""
        rng = random.Random(seed)  # noqa: S311 - a sample, not a secret
        taken = set(without)
        found: list[Cell] = []
        cells = [
            Cell(name, f"{task.complexity}/{task.perturbation_mode}", task.task_id)
            for name, task in self._tasks.items()
        ]
        for stratum, number in wanted.items():
            fitting = [cell for cell in cells if cell.stratum == stratum and cell.task not in taken]
            if len(fitting) < number:
                raise OutcomeMonitorsError(
                    f"stratum {stratum} has {len(fitting)} tasks in {self._data}, not {number}; ask for fewer"
                )
            chosen = rng.sample(fitting, number)
            taken |= {cell.task for cell in chosen}
            found += chosen
        return found

    def _fitting(self, cell: Cell) -> list[str]:
        """Return the incidents that have a place in a task."""
        clean = self._tasks.get(f"{cell.task}/P0")
        if clean is None:
            raise OutcomeMonitorsError(
                f"there is no clean task {cell.task}/P0 in {self._data}, and incidents are put into those;"
                " give the folder with all modes"
            )
        return eligible(self._tasks[cell.id], clean, self._corpus)

    def level(self, task: str) -> str:
        """Return the level of a task, C1 to C4."""
        return self._levels[task]

    def open(self, cell: Cell) -> ToolMazeEpisode:
        """Start an episode."""
        if cell.id not in self._tasks:
            raise OutcomeMonitorsError(f"there is no task {cell.id} in {self._data}; give the same dataset")
        corpus = self._corpus if self._deals else None
        return ToolMazeEpisode(self._tasks[cell.id], self._plugin, cell.fault, corpus)

    def fingerprint(self, cells: Iterable[Cell]) -> str:
        """Return a digest of the cells' task files and of the plugins that they call."""
        cells = list(cells)
        tasks = {cell.id: self._tasks.get(cell.id) for cell in cells}
        dealt_out = {"faults": {cell.id: cell.fault for cell in cells}} if self._deals else {}
        used = sorted({tool for task in tasks.values() if task for tool in task.tools})
        return digest(
            {
                "tasks": {name: task and task_to_json(task) for name, task in tasks.items()},
                "plugins": {tool: self._plugin_file(tool).read_text("utf-8") for tool in used},
                **dealt_out,
            }
        )

    def specs(self) -> list[Json]:
        """Return the tools as MCP lists them."""
        return self._specs

    @cached_property
    def _specs(self) -> list[Json]:
        return [
            {
                "name": spec.get("name"),
                "description": spec.get("description") or "",
                "inputSchema": spec.get("parameters") or {"type": "object", "properties": {}},
            }
            for spec in read_tools(self._definitions)
        ]

    def clean_calls(self, without: frozenset[str]) -> Iterable[Call]:
        """Yield the calls of all P0 tasks but these."""
        for task in self._tasks.values():
            if task.perturbation_mode == "P0" and task.task_id not in without:
                yield from nominal_calls(task)

    def relations(self) -> Relations:
        """Return the substitutes that the definitions state."""
        return read_relations(self._definitions)

    def schema_contracts(self) -> Registry:
        """Return the contracts of the definitions' output schemas."""
        tools = [
            {"name": name, "outputSchema": schema}
            for name, schema in output_schemas(self._definitions).items()
        ]
        accepted = from_mcp_tools({"tools": tools}, "ToolMaze's definitions").accepted
        return Registry({contract.tool: contract for contract in accepted}, "full")

    @property
    def _definitions(self) -> Path:
        return self._root / "tools" / "definitions"

    @cached_property
    def _tasks(self) -> dict[str, Task]:
        return {f"{task.task_id}/{task.perturbation_mode}": task for task in load_tasks(self._data)}

    @cached_property
    def _levels(self) -> dict[str, str]:
        return {task.task_id: task.complexity for task in self._tasks.values()}

    @cached_property
    def _corpus(self) -> Corpus:
        return Corpus.of(self.clean_calls(frozenset()))

    def _plugin_file(self, tool: str) -> Path:
        file = self._root / "tools" / "plugins" / f"{tool}.py"
        if not file.is_file() or file.parent.resolve() != file.resolve().parent:
            raise SourceError(f"there is no plugin {file}; give ToolMaze's checkout")
        return file

    def _plugin(self, tool: str) -> Plugin:
        if tool not in self._plugins:
            self._plugins[tool] = _load(self._plugin_file(tool), tool)
        return self._plugins[tool]


def _load(file: Path, tool: str) -> Plugin:
    spec = importlib.util.spec_from_file_location(f"toolmaze_plugin_{tool}", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
        execute: Plugin = module.execute
    except Exception as error:
        raise SourceError(f"{file} cannot be loaded: {type(error).__name__}: {error}") from error
    return execute
