"""tau-bench's retail domain: stateful tools over a public database, with a simulated user and a reward by state.

Tools, tasks, policy and prompts are those of a checkout that the user has. Each sampled task is run under every stratum: two are
faults, `clean` is none.

Whether a task was done is weighed as the benchmark does: by the records that are left behind, and by what had to be said. The
task's own actions are carried out on fresh records, and the two outcomes compared; nothing else reads them. The user is a model that acts on the task's instruction, or,
offline, a script that reads it out and leaves at the agent's first words.
"""

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from outcome_monitors.contracts.registry import Registry
from outcome_monitors.contracts.sources.database import from_records
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.model import Call, Json, Profile
from outcome_monitors_study._json import digest
from outcome_monitors_study.environments.environment import (
    Ask,
    Cell,
    Environment,
    EpisodeVerdict,
    Served,
    drawn_cells,
    not_injected,
)
from outcome_monitors_study.world.agents import Interface, Run, Visit

from .checkout import Tables, TauCheckout, TauTask, changed, failed
from .retail import FAULTS, LOOK, REPEATABLE, WRITES, clerk

TRANSFER = "transfer_to_human_agents"
"""After this tool tau-bench's user has gone."""
GREETING = "Hi! How can I help you today?"
STOP = "###STOP###"


class TauEpisode:
    """One run of a task, on records of its own."""

    def __init__(self, checkout: TauCheckout, cell: Cell, task: TauTask) -> None:
        self.query = task.instruction
        self.tools = tuple(checkout.tools)
        self._checkout, self._cell, self._task = checkout, cell, task
        self.over = False
        """The user has left or was handed over."""
        self._lines = [("system", checkout.user_prompt(task.instruction)), ("user", GREETING)]
        """The conversation as the model that plays the user has it."""
        self._said: list[str] = []
        self._met = self._looked = False

    @cached_property
    def _tables(self) -> Tables:
        return self._checkout.fresh()

    def opening(self, ask: Ask | None) -> str:
        """Return what the user says first; a script reads the whole request out."""
        return self.query if ask is None else self._next_line(ask)

    def reply(self, said: str, ask: Ask | None) -> str | None:
        """Return what the user answers; None where the user leaves. The script leaves at the agent's first words."""
        self._said.append(said)
        line = STOP
        if ask is not None and not self.over:
            self._lines.append(("user", said))
            line = self._next_line(ask)
        self.over = self.over or STOP in line
        return None if self.over else line

    def _next_line(self, ask: Ask) -> str:
        line = ask(self._lines)
        self._lines.append(("assistant", line))
        return line

    def call(self, tool: str, arguments: Mapping[str, Json]) -> Served:
        """Call a tool; only what is shown is ever changed."""
        raw = self._checkout.call(self._tables, tool, arguments)
        if tool == TRANSFER:
            self.over = True
        fault = FAULTS[self._cell.stratum]
        if fault is None or tool != LOOK or failed(raw):
            return Served(raw, raw, injected=False, failed=failed(raw))
        self._looked = True
        # The same draw for each look at a record: the fault persists.
        rng = random.Random(f"{self._cell.id}/{arguments['order_id']}")  # noqa: S311 - a fault, not a secret
        seen = fault(raw, rng)
        self._met = self._met or seen != raw
        return Served(raw, seen, injected=seen != raw, fault=self._cell.stratum if seen != raw else "")

    def judge(self, answer: Json) -> EpisodeVerdict:
        """Compare the records with what the task's actions leave; what had to be said is asked of models alone."""
        right = self._checkout.fresh()
        for action in self._task.actions:
            self._checkout.call(right, *action)
        wrong = changed(right, self._tables)
        missing = None if isinstance(answer, Run) else missing_outputs(self._task.outputs, self._said)
        details = {
            "hit": self._met,
            "not_injected": not_injected(
                faulted=FAULTS[self._cell.stratum] is not None, hit=self._met, called=self._looked
            ),
            "wrong_records": wrong,
            "unsaid": missing,
        }
        return EpisodeVerdict(not wrong and not missing, details)

    def played(self, interface: Interface, script: str, heeds: Callable[[], bool] = lambda: False) -> Run:
        """Let a script carry the task out."""
        visit = Visit(interface, Run(f"scripted {script}"), heeds)
        return clerk(self._task.actions, visit)


def missing_outputs(outputs: Sequence[str], said: Sequence[str]) -> list[str]:
    """Return what the task asks the agent to say and no line of the agent holds; commas in numbers do not matter."""
    heard = [line.lower().replace(",", "") for line in said]
    return [output for output in outputs if not any(output.lower() in line for line in heard)]


class TauRetailEnvironment(Environment):
    """The shop of tau-bench, from a checkout."""

    STRATA = tuple(FAULTS)
    MOST_STEPS = 30

    def __init__(self, checkout: str, split: str = "test") -> None:
        self._checkout, self._split = TauCheckout(Path(checkout)), split

    def cells(
        self, wanted: Mapping[str, int], seed: int, without: frozenset[str] = frozenset()
    ) -> list[Cell]:
        """Sample tasks once, and put each into every stratum: the strata differ in nothing but the fault."""
        free = [task for task in self._tasks if task not in without]
        return drawn_cells(free, FAULTS, wanted, seed, f"split {self._split} has {len(free)} tasks")

    def open(self, cell: Cell) -> TauEpisode:
        """Start an episode."""
        if cell.task not in self._tasks or cell.stratum not in FAULTS:
            raise OutcomeMonitorsError(
                f"there is no cell {cell.id!r} in this checkout; freeze the study again"
            )
        return TauEpisode(self._checkout, cell, self._tasks[cell.task])

    def fingerprint(self, cells: Iterable[Cell]) -> str:
        """Return a digest of the cells' tasks, the tables, the tools' source, the policy and the user's prompt."""
        tasks = {cell.task: self._tasks.get(cell.task) for cell in cells}
        checkout = self._checkout
        return digest([tasks, checkout.tables, checkout.code, self.system_prompt, checkout.user_words])

    @property
    def system_prompt(self) -> str:
        """The policy, as the benchmark gives it its agents."""
        return self._checkout.system_prompt

    def specs(self) -> list[Json]:
        """Return the tools as MCP lists them."""
        return [
            {
                "name": name,
                "description": spec["description"],
                "inputSchema": spec["parameters"],
                "annotations": {"readOnlyHint": name not in WRITES, "idempotentHint": name in REPEATABLE},
            }
            for name, spec in self._checkout.specs.items()
        ]

    def clean_calls(self, without: frozenset[str]) -> Iterable[Call]:
        """Yield none: contracts are mined from the database."""
        return iter(())

    def contracts(self, without: frozenset[str], profile: Profile) -> Registry:
        """Return what holds of all orders but those of these tasks' customers, as in the paper."""
        left_out = {self._tasks[name].user_id for name in without if name in self._tasks}
        orders = self._checkout.tables["orders"].values()
        records = [order for order in orders if order["user_id"] not in left_out]
        accepted = from_records(records, LOOK, "retail").accepted
        return Registry({contract.tool: contract for contract in accepted}, profile)

    def schema_contracts(self) -> Registry:
        """Return none: the benchmark publishes no schemas of results."""
        return Registry({}, "full")

    @cached_property
    def _tasks(self) -> dict[str, TauTask]:
        return {task.name: task for task in self._checkout.tasks(self._split)}
