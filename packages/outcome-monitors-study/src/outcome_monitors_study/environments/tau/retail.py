"""tau-bench retail: stateful tools over the public database, a simulated user, and a reward by state.

The tools are written anew (`_tools`), the tasks and the policy come from a checkout that the user has (`_checkout`). Each sampled
task is run under every stratum: `status` and `conservation` are faults, `clean` is none.

Whether a task was done is weighed as tau-bench does: by the records that are left behind, and by what had to be said. The task's own actions are carried out on fresh records, and the two outcomes compared. Nothing else reads them.
"""

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from outcome_monitors.contracts.registry import Registry
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.model import Call, Json, Profile
from outcome_monitors.recovery.mining import Sources, build, from_tools_list
from outcome_monitors.recovery.relations import Relations
from outcome_monitors_study._json import canonical, digest
from outcome_monitors_study.environments.environment import Ask, Cell, EpisodeVerdict, Served
from outcome_monitors_study.world.agents import Interface, Run

from ._checkout import Checkout, RetailTask
from ._clean import contracts_of, orders_as_shown, walk, with_recorded
from ._clerk import clerk
from ._customer import Customer, prompted
from ._faults import FAULTS, VICTIM
from ._shop import Shop, Tables, read_tables
from ._tools import ENDS, TOOLS, call_tool, failed, specs

__all__ = [
    "TauRetailEnvironment",
    "TauRetailEpisode",
    "differing",
    "differing_records",
    "drawn_cells",
    "unsaid",
]


class TauRetailEpisode:
    """One run of a task, on records of its own."""

    tools = tuple(TOOLS)

    def __init__(self, cell: Cell, task: RetailTask, tables: Tables, prompt: tuple[str, str] | None) -> None:
        self._cell, self._task, self._tables = cell, task, tables
        self._shop = Shop(tables)
        self._customer = Customer(task.instruction, prompted(task.instruction, prompt))
        self._said: list[str] = []
        self._met = False
        self._handed_over = False

    @property
    def query(self) -> str:
        """What the user wants."""
        return self._task.instruction

    @property
    def over(self) -> bool:
        """Say whether the user has left or was handed over."""
        return self._handed_over or self._customer.left

    def opening(self, ask: Ask | None) -> str:
        """Return what the user says first."""
        return self._customer.opening(ask)

    def reply(self, said: str, ask: Ask | None) -> str | None:
        """Return what the user answers."""
        self._said.append(said)
        return self._customer.reply(said, ask)

    def call(self, tool: str, arguments: Mapping[str, Json]) -> Served:
        """Call a tool of the shop; only what is shown is ever changed."""
        raw = call_tool(self._shop, tool, arguments)
        self._handed_over = self._handed_over or tool == ENDS
        fault = FAULTS[self._cell.stratum]
        if fault is None or tool != VICTIM or failed(raw):
            return Served(raw, raw, injected=False, failed=failed(raw))
        # The same draw for each look at an order: the fault persists.
        rng = random.Random(f"{self._cell.id}/{arguments['order_id']}")  # noqa: S311 - a fault, not a secret
        seen = fault(raw, rng)
        self._met = self._met or seen != raw
        return Served(raw, seen, injected=seen != raw)

    def judge(self, answer: Json) -> EpisodeVerdict:
        """Compare the records with what the task's actions leave; what had to be said is asked of models alone."""
        wrong = differing(self._task, self._shop, Shop(self._tables))
        missing = None if isinstance(answer, Run) else unsaid(self._task.outputs, self._said)
        details = {"hit": self._met, "wrong_records": wrong, "unsaid": missing}
        return EpisodeVerdict(not wrong and not missing, details)

    def played(self, interface: Interface, script: str, heeds: Callable[[], bool] = lambda: False) -> Run:
        """Let a script carry the task out."""
        return clerk(self._task.actions, interface, script, heeds)


class TauRetailEnvironment:
    """A checkout, and its tables."""

    STRATA = tuple(FAULTS)
    MOST_STEPS = 30
    """As tau-bench's own agents have them."""

    def __init__(self, checkout: str, data: str = "", split: str = "test", traces: str = "") -> None:
        self.settings: Mapping[str, Json] = {
            "environment": "tau-retail",
            "checkout": checkout,
            "data": data,
            "split": split,
            "traces": traces,
        }
        self._checkout = Checkout(Path(checkout))
        self._data = Path(data) if data else self._checkout.data
        self._split, self._traces = split, traces

    def cells(
        self, wanted: Mapping[str, int], seed: int, without: frozenset[str] = frozenset()
    ) -> list[Cell]:
        """Sample tasks once, and put each into every stratum: the strata differ in nothing but the fault."""
        free = [task for task in self._tasks if task not in without]
        return drawn_cells(free, FAULTS, wanted, seed, f"split {self._split}")

    def is_clean(self, stratum: str) -> bool:
        """Say whether every order is shown as it is."""
        return FAULTS[stratum] is None

    def open(self, cell: Cell) -> TauRetailEpisode:
        """Start an episode."""
        if cell.task not in self._tasks or cell.stratum not in FAULTS:
            raise OutcomeMonitorsError(
                f"there is no cell {cell.id!r} in this checkout; freeze the study again"
            )
        return TauRetailEpisode(cell, self._tasks[cell.task], self._tables, self._checkout.user_prompt)

    def fingerprint(self, cells: Iterable[Cell]) -> str:
        """Return a digest of the cells' tasks, the tables, the policy, the tools' descriptions and the user's prompt."""
        tasks = {cell.task: self._tasks.get(cell.task) for cell in cells}
        return digest([tasks, self._tables, self.system_prompt, self.specs(), self._checkout.user_prompt])

    @property
    def system_prompt(self) -> str:
        """The policy, which tau-bench gives its agents."""
        return self._checkout.policy

    def specs(self) -> list[Json]:
        """Return the tools as MCP lists them."""
        return specs(self._checkout.described)

    def clean_calls(self, without: frozenset[str]) -> Iterable[Call]:
        """Return a walk through the records of other customers, and recorded runs of other tasks where there are any."""
        return with_recorded(walk(self._tables, self._customers(without)), self._traces, without)

    def contracts(self, without: frozenset[str], profile: Profile) -> Registry:
        """Return what clean calls show, and what holds of all orders: their statuses, and that payments add up."""
        left_out = self._customers(without)
        orders = orders_as_shown(self._tables, left_out, walk(self._tables, left_out))
        return contracts_of(self.clean_calls(without), orders, VICTIM, "retail", profile)

    def relations(self) -> Relations:
        """Return what the tools' interfaces say of which can stand in for which."""
        return build(Sources(tools=from_tools_list({"tools": self.specs()}, "tau-bench retail")))

    def schema_contracts(self) -> Registry:
        """Return none: tau-bench publishes no schemas of results."""
        return Registry({}, "full")

    def _customers(self, tasks: frozenset[str]) -> frozenset[str]:
        return frozenset(task.user_id for name, task in self._tasks.items() if name in tasks)

    @cached_property
    def _tasks(self) -> dict[str, RetailTask]:
        return {task.name: task for task in self._checkout.tasks(self._split)}

    @cached_property
    def _tables(self) -> dict[str, dict[str, dict[str, Json]]]:
        return read_tables(self._data)


def drawn_cells(
    free: Sequence[str], strata: Iterable[str], wanted: Mapping[str, int], seed: int, where: str
) -> list[Cell]:
    """Draw tasks once, and put each into every stratum that is wanted."""
    unknown = [stratum for stratum in wanted if stratum not in strata]
    if unknown:
        raise OutcomeMonitorsError(f"there is no stratum {unknown[0]!r}: choose from {', '.join(strata)}")
    most = max(wanted.values())
    if len(free) < most:
        raise OutcomeMonitorsError(f"{where} has {len(free)} tasks, not {most}; ask for fewer")
    drawn = random.Random(seed).sample(free, most)  # noqa: S311 - a sample, not a secret
    return [
        Cell(f"{task}/{stratum}", stratum, task)
        for stratum, number in wanted.items()
        for task in sorted(drawn[:number], key=free.index)
    ]


def differing(task: RetailTask, left: Shop, fresh: Shop) -> list[str]:
    """Return the records that are not as the task's actions leave them."""
    for action in task.actions:
        if action.tool != ENDS:
            call_tool(fresh, action.tool, action.arguments)
    return differing_records(fresh, left)


def differing_records(right: Shop, left: Shop) -> list[str]:
    """Return the records that are not as they should be."""
    wanted, found = right.changed(), left.changed()
    return sorted(
        name
        for name in wanted.keys() | found.keys()
        if canonical(wanted.get(name)) != canonical(found.get(name))
    )


def unsaid(outputs: Sequence[str], said: Sequence[str]) -> list[str]:
    """Return what the task asks the agent to say and no line of the agent holds; commas in numbers do not matter."""
    heard = [line.lower().replace(",", "") for line in said]
    return [output for output in outputs if not any(output.lower() in line for line in heard)]
