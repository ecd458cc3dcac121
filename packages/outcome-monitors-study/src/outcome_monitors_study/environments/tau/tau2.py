"""tau2-bench, retail and airline: stateful tools over the public database, a simulated user, and a reward by state.

The tools are written anew (`_tau2_domains`); tasks, policy, prompts and the tools' descriptions come from a checkout that the user
has (`_tau2_checkout`). Each sampled task is run under every stratum: two are faults, `clean` is none.

Whether a task was done is weighed as tau2-bench does: by the records that are left behind, and by what had to be said. What a task
wants weighed beyond that is named in the verdict, and not weighed.
"""

import random
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import ClassVar

from outcome_monitors.contracts.registry import Registry
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.model import Call, Json, Profile
from outcome_monitors.recovery.mining import Sources, build, from_tools_list
from outcome_monitors.recovery.relations import Relations
from outcome_monitors_study._json import digest
from outcome_monitors_study.environments.environment import Ask, Cell, EpisodeVerdict, Served
from outcome_monitors_study.world.agents import Interface, Run

from ._clean import contracts_of, orders_as_shown, walk, with_recorded
from ._clerk import clerk
from ._customer import Customer, prompted
from ._shop import Shop, Tables
from ._tau2_checkout import JUDGED, Described, Tau2Checkout, Tau2Task
from ._tau2_domains import AIRLINE, RETAIL, Tau2Domain
from ._tools import failed
from .retail import differing_records, drawn_cells, unsaid

__all__ = ["Tau2AirlineEnvironment", "Tau2Environment", "Tau2Episode", "Tau2RetailEnvironment"]


class Tau2Episode:
    """One run of a task, on records of its own."""

    def __init__(
        self, domain: Tau2Domain, cell: Cell, task: Tau2Task, tables: Tables, guidelines: str | None
    ) -> None:
        self.query = task.instruction
        self.tools = tuple(domain.tools)
        self._domain, self._cell, self._task, self._tables = domain, cell, task, tables
        self._shop = Shop(tables)
        self._customer = Customer(task.instruction, _user_prompt(task.instruction, guidelines))
        self._said: list[str] = []
        self._met = False

    @property
    def over(self) -> bool:
        """Say whether the user has left."""
        return self._customer.left

    def opening(self, ask: Ask | None) -> str:
        """Return what the user says first."""
        return self._customer.opening(ask)

    def reply(self, said: str, ask: Ask | None) -> str | None:
        """Return what the user answers."""
        self._said.append(said)
        return self._customer.reply(said, ask)

    def call(self, tool: str, arguments: Mapping[str, Json]) -> Served:
        """Call a tool; only what is shown is ever changed."""
        raw = self._domain.call(self._shop, tool, arguments)
        fault, caution = self._domain.faults[self._cell.stratum], self._domain.caution
        if fault is None or tool != caution.look or failed(raw):
            return Served(raw, raw, injected=False, failed=failed(raw))
        # The same draw for each look at a record: the fault persists.
        rng = random.Random(f"{self._cell.id}/{arguments[caution.by]}")  # noqa: S311 - a fault, not a secret
        seen = fault(raw, rng)
        self._met = self._met or seen != raw
        return Served(raw, seen, injected=seen != raw, fault=self._cell.stratum if seen != raw else "")

    def judge(self, answer: Json) -> EpisodeVerdict:
        """Compare the records with what the task's actions leave; what had to be said is asked of models alone."""
        weighed, right = self._task.basis, Shop(self._tables)
        for action in self._task.actions:
            self._domain.call(right, action.tool, action.arguments)
        wrong = differing_records(right, self._shop) if "DB" in weighed else []
        silent = isinstance(answer, Run) or "COMMUNICATE" not in weighed
        missing = None if silent else unsaid(self._task.outputs, self._said)
        details = {
            "hit": self._met,
            "wrong_records": wrong,
            "unsaid": missing,
            "not_weighed": [part for part in weighed if part not in JUDGED],
        }
        return EpisodeVerdict(not wrong and not missing, details)

    def played(self, interface: Interface, script: str, heeds: Callable[[], bool] = lambda: False) -> Run:
        """Let a script carry the task out."""
        return clerk(self._task.actions, interface, script, heeds, self._domain.caution)


class Tau2Environment:
    """A checkout, and one of its domains."""

    DOMAIN: ClassVar[Tau2Domain]
    MOST_STEPS = 100
    """As tau2-bench's own runs have them by default."""

    def __init__(self, checkout: str, split: str = "base", traces: str = "") -> None:
        self.settings: Mapping[str, Json] = {
            "environment": f"tau2-{self.DOMAIN.name}",
            "checkout": checkout,
            "split": split,
            "traces": traces,
        }
        self._checkout = Tau2Checkout(Path(checkout), self.DOMAIN.name)
        self._split, self._traces = split, traces

    def cells(
        self, wanted: Mapping[str, int], seed: int, without: frozenset[str] = frozenset()
    ) -> list[Cell]:
        """Sample tasks once, and put each into every stratum: the strata differ in nothing but the fault."""
        free = [task for task in self._tasks if task not in without]
        return drawn_cells(free, self.DOMAIN.faults, wanted, seed, f"split {self._split}")

    def is_clean(self, stratum: str) -> bool:
        """Say whether every record is shown as it is."""
        return self.DOMAIN.faults[stratum] is None

    def open(self, cell: Cell) -> Tau2Episode:
        """Start an episode."""
        if cell.task not in self._tasks or cell.stratum not in self.DOMAIN.faults:
            raise OutcomeMonitorsError(
                f"there is no cell {cell.id!r} in this checkout; freeze the study again"
            )
        return Tau2Episode(self.DOMAIN, cell, self._tasks[cell.task], self._tables, self._checkout.guidelines)

    def fingerprint(self, cells: Iterable[Cell]) -> str:
        """Return a digest of the cells' tasks, the tables, the policy, the tools' descriptions and the user's prompt."""
        tasks = {cell.task: self._tasks.get(cell.task) for cell in cells}
        return digest([tasks, self._tables, self.system_prompt, self.specs(), self._checkout.guidelines])

    @property
    def system_prompt(self) -> str:
        """The policy, as tau2-bench gives it its agents."""
        return self._checkout.system_prompt

    def specs(self) -> list[Json]:
        """Return the tools as MCP lists them."""
        return [_spec(self.DOMAIN, name, self._checkout.described.get(name)) for name in self.DOMAIN.tools]

    def clean_calls(self, without: frozenset[str]) -> Iterable[Call]:
        """Return a walk through the records of other customers, and recorded runs of other tasks where there are any."""
        return with_recorded(self._walk(self._customers(without)), self._traces, without)

    def contracts(self, without: frozenset[str], profile: Profile) -> Registry:
        """Return what clean calls show, and what holds of all records that faults are put on."""
        left_out, caution = self._customers(without), self.DOMAIN.caution
        records = orders_as_shown(self._tables, left_out, self._walk(left_out), self.DOMAIN.table)
        return contracts_of(self.clean_calls(without), records, caution.look, self.DOMAIN.name, profile)

    def relations(self) -> Relations:
        """Return what the tools' interfaces say of which can stand in for which."""
        return build(Sources(tools=from_tools_list({"tools": self.specs()}, "tau2-bench")))

    def schema_contracts(self) -> Registry:
        """Return none: tau2-bench publishes no schemas of results."""
        return Registry({}, "full")

    def _walk(self, left_out: frozenset[str]) -> Iterable[Call]:
        return walk(self._tables, left_out, self.DOMAIN.visit, self.DOMAIN.call)

    def _customers(self, tasks: frozenset[str]) -> frozenset[str]:
        """Return whom tasks are about: a task names no user, so it is whoever its own actions lead to, or its words name."""
        found: set[str] = set()
        for task in (each for name, each in self._tasks.items() if name in tasks):
            shop = Shop(self._tables)
            results = [self.DOMAIN.call(shop, *action) for action in task.actions]
            asked = [action.arguments.get("user_id") for action in task.actions]
            named = [each.get("user_id") for each in results if isinstance(each, dict)]
            found |= {each for each in (*results, *asked, *named) if isinstance(each, str)}
            found |= {user for user in self._tables["users"] if user in task.instruction}
        return frozenset(found & self._tables["users"].keys())

    @cached_property
    def _tasks(self) -> dict[str, Tau2Task]:
        return {task.name: task for task in self._checkout.tasks(self._split)}

    @cached_property
    def _tables(self) -> dict[str, dict[str, dict[str, Json]]]:
        return self._checkout.tables(self.DOMAIN.needed)


class Tau2RetailEnvironment(Tau2Environment):
    """The shop."""

    DOMAIN = RETAIL
    STRATA = tuple(RETAIL.faults)


class Tau2AirlineEnvironment(Tau2Environment):
    """The airline."""

    DOMAIN = AIRLINE
    STRATA = tuple(AIRLINE.faults)


def _user_prompt(instruction: str, guidelines: str | None) -> str:
    """Return what the model that plays the user is told, as tau2-bench tells it."""
    if guidelines is None:
        return prompted(instruction, None)
    return f"{guidelines}\n\n<scenario>\n{instruction}\n</scenario>"


def _spec(domain: Tau2Domain, name: str, described: Described | None) -> Json:
    words, takes = domain.takes[name]
    said = {} if described is None else described.arguments
    properties = {
        key: {**schema, "description": said[key]} if key in said else schema for key, schema in takes.items()
    }
    return {
        "name": name,
        "description": words if described is None else described.words,
        "inputSchema": {"type": "object", "properties": properties, "required": list(takes)},
        "annotations": {
            "readOnlyHint": name not in domain.caution.writes,
            "idempotentHint": name in domain.again,
        },
    }
