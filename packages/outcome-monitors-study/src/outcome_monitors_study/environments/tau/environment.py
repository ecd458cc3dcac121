"""tau-bench's retail domain, and the retail and airline domains of tau2-bench.

Both are stateful tools over a public database, with a simulated user and a reward by state. The tools are written anew; tasks,
policy, prompts and the tools' descriptions come from a checkout that the user has. Each sampled task is run under every stratum:
two are faults, `clean` is none.

Whether a task was done is weighed as the benchmark does: by the records that are left behind, and by what had to be said. The
task's own actions are carried out on fresh records, and the two outcomes compared; nothing else reads them. What a task wants
weighed beyond that is named in the verdict, and not weighed. The user is a model that acts on the task's instruction, or,
offline, a script that reads it out and leaves at the agent's first words.
"""

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import ClassVar

from outcome_monitors.contracts.registry import Registry
from outcome_monitors.contracts.sources.database import from_records
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.mining.observations import mine
from outcome_monitors.model import Call, Json, Profile
from outcome_monitors.recovery.relations import Relations
from outcome_monitors.traces.reader import read_traces
from outcome_monitors_study._json import canonical, digest
from outcome_monitors_study.environments.environment import (
    Ask,
    Cell,
    Environment,
    EpisodeVerdict,
    Served,
    drawn_cells,
    interface_relations,
)
from outcome_monitors_study.world.agents import Interface, Run, Visit

from .airline import AIRLINE
from .checkout import JUDGED, Tau2Checkout, TauCheckout, TauTask
from .domain import Domain, Records, Tables, clerk, described, failed
from .retail import RETAIL, TAU_RETAIL

TRANSFER = "transfer_to_human_agents"
"""After this tool tau-bench's user has gone."""
MOST_CUSTOMERS = 160
"""More add time to a walk through the records and no clause."""
GREETING = "Hi! How can I help you today?"
STOP = "###STOP###"
ENDS = (STOP, "###TRANSFER###", "###OUT-OF-SCOPE###")
"""The last two are tau2-bench's: the user was handed over, or has no answer."""


class Customer:
    """The user of one episode."""

    def __init__(self, instruction: str, prompt: str) -> None:
        self._instruction = instruction
        self._lines: list[tuple[str, str]] = [("system", prompt), ("user", GREETING)]
        self.left = False

    def opening(self, ask: Ask | None) -> str:
        """Return the first line."""
        return self._instruction if ask is None else self._say(ask)

    def reply(self, said: str, ask: Ask | None) -> str | None:
        """Return the answer; None where the user leaves. The script leaves at the agent's first words."""
        line = STOP
        if ask is not None and not self.left:
            self._lines.append(("user", said))
            line = self._say(ask)
        self.left = self.left or any(end in line for end in ENDS)
        return None if self.left else line

    def _say(self, ask: Ask) -> str:
        line = ask(self._lines)
        self._lines.append(("assistant", line))
        return line


class TauEpisode:
    """One run of a task, on records of its own."""

    def __init__(self, place: "TauEnvironment", cell: Cell, task: TauTask, prompt: str) -> None:
        self.query = task.instruction
        self.tools = tuple(place.DOMAIN.tools)
        self._place, self._domain, self._cell, self._task = place, place.DOMAIN, cell, task
        self._records = Records(place.tables)
        self._customer = Customer(task.instruction, prompt)
        self._said: list[str] = []
        self._met = False

    @property
    def over(self) -> bool:
        """Say whether the user has left or was handed over."""
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
        raw = self._domain.call(self._records, tool, arguments)
        if tool == TRANSFER and self._place.TRANSFER_ENDS:
            self._customer.left = True
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
        weighed, right = self._task.basis, Records(self._place.tables)
        for action in self._task.actions:
            self._domain.call(right, action.tool, action.arguments)
        wanted, found = right.changed(), self._records.changed()
        wrong = sorted(
            name
            for name in wanted.keys() | found.keys()
            if "DB" in weighed and canonical(wanted.get(name)) != canonical(found.get(name))
        )
        silent = isinstance(answer, Run) or "COMMUNICATE" not in weighed
        missing = None if silent else missing_outputs(self._task.outputs, self._said)
        details = {
            "hit": self._met,
            "wrong_records": wrong,
            "unsaid": missing,
            "not_weighed": [part for part in weighed if part not in JUDGED],
        }
        return EpisodeVerdict(not wrong and not missing, details)

    def played(self, interface: Interface, script: str, heeds: Callable[[], bool] = lambda: False) -> Run:
        """Let a script carry the task out."""
        visit = Visit(interface, Run(f"scripted {script}"), heeds)
        return clerk(self._task.actions, visit, self._domain.caution)


def missing_outputs(outputs: Sequence[str], said: Sequence[str]) -> list[str]:
    """Return what the task asks the agent to say and no line of the agent holds; commas in numbers do not matter."""
    heard = [line.lower().replace(",", "") for line in said]
    return [output for output in outputs if not any(output.lower() in line for line in heard)]


class TauEnvironment(Environment):
    """A checkout, and one domain of it."""

    DOMAIN: ClassVar[Domain]
    MOST_STEPS: ClassVar[int]
    TRANSFER_ENDS: ClassVar[bool] = False

    def __init__(self, checkout: TauCheckout | Tau2Checkout, split: str, traces: str) -> None:
        self._checkout, self._split, self._traces = checkout, split, traces

    def cells(
        self, wanted: Mapping[str, int], seed: int, without: frozenset[str] = frozenset()
    ) -> list[Cell]:
        """Sample tasks once, and put each into every stratum: the strata differ in nothing but the fault."""
        free = [task for task in self._tasks if task not in without]
        return drawn_cells(free, self.DOMAIN.faults, wanted, seed, f"split {self._split}")

    def open(self, cell: Cell) -> TauEpisode:
        """Start an episode."""
        if cell.task not in self._tasks or cell.stratum not in self.DOMAIN.faults:
            raise OutcomeMonitorsError(
                f"there is no cell {cell.id!r} in this checkout; freeze the study again"
            )
        task = self._tasks[cell.task]
        return TauEpisode(self, cell, task, self._checkout.user_prompt(task.instruction))

    def fingerprint(self, cells: Iterable[Cell]) -> str:
        """Return a digest of the cells' tasks, the tables, the policy, the tools' descriptions and the user's prompt."""
        tasks = {cell.task: self._tasks.get(cell.task) for cell in cells}
        return digest([tasks, self.tables, self.system_prompt, self.specs(), self._checkout.user_words])

    @property
    def system_prompt(self) -> str:
        """The policy, as the benchmark gives it its agents."""
        return self._checkout.system_prompt

    def specs(self) -> list[Json]:
        """Return the tools as MCP lists them."""
        return [self._spec(name, *described(tool)) for name, tool in self.DOMAIN.tools.items()]

    def _spec(self, name: str, words: str, schema: Json) -> Json:
        words, schema = self._checkout.described(name, words, schema)
        reads, again = name not in self.DOMAIN.caution.writes, name in self.DOMAIN.again
        hints = {"readOnlyHint": reads, "idempotentHint": again}
        return {"name": name, "description": words, "inputSchema": schema, "annotations": hints}

    def clean_calls(self, without: frozenset[str]) -> Iterable[Call]:
        """Yield a walk through the records of other customers, and recorded runs of other tasks where there are any."""
        yield from self._walk(self._customers(without))
        if self._traces:
            yield from (call for call in read_traces([self._traces]) if call.task not in without)

    def contracts(self, without: frozenset[str], profile: Profile) -> Registry:
        """Return what clean calls show, and what holds of all records that faults are put on, as they are and as the walk leaves them."""
        left_out = self._customers(without)
        records = [
            record for record in self.tables[self.DOMAIN.table].values() if record["user_id"] not in left_out
        ]
        left = (call.result for call in self._walk(left_out) if isinstance(call.result, dict))
        records += [record for record in left if "payment_history" in record]
        accepted = from_records(records, self.DOMAIN.caution.look, self.DOMAIN.name).accepted
        stated = Registry({contract.tool: contract for contract in accepted}, profile)
        return mine(self.clean_calls(without), profile).merge(stated)

    def relations(self) -> Relations:
        """Return what the tools' interfaces say of which can stand in for which."""
        return interface_relations(self.specs(), self.DOMAIN.name)

    def schema_contracts(self) -> Registry:
        """Return none: the benchmarks publish no schemas of results."""
        return Registry({}, "full")

    def _walk(self, left_out: frozenset[str]) -> Iterator[Call]:
        """Yield the calls of a visit of each customer but these; what is done is drawn, always the same."""
        for name in [name for name in self.tables["users"] if name not in left_out][:MOST_CUSTOMERS]:
            records, place = Records(self.tables), f"visit/{name}"
            rng = random.Random(name)  # noqa: S311 - made-up requests, not secrets
            for tool, arguments in self.DOMAIN.visit(self.tables, name, rng):
                result = self.DOMAIN.call(records, tool, arguments)
                if not failed(result):
                    yield Call(tool, arguments, result, task=place, session=place)

    def _customers(self, tasks: frozenset[str]) -> frozenset[str]:
        """Return whom tasks are about: the user they name, or whoever their actions lead to or their words name."""
        found: set[str] = set()
        for task in (each for name, each in self._tasks.items() if name in tasks):
            if task.user_id:
                found.add(task.user_id)
                continue
            records = Records(self.tables)
            results = [self.DOMAIN.call(records, *action) for action in task.actions]
            asked = [action.arguments.get("user_id") for action in task.actions]
            named = [each.get("user_id") for each in results if isinstance(each, dict)]
            found |= {each for each in (*results, *asked, *named) if isinstance(each, str)}
            found |= {user for user in self.tables["users"] if user in task.instruction}
        return frozenset(found & self.tables["users"].keys())

    @cached_property
    def _tasks(self) -> dict[str, TauTask]:
        return {task.name: task for task in self._checkout.tasks(self._split)}

    @cached_property
    def tables(self) -> Tables:
        """The public database."""
        return self._checkout.tables(self.DOMAIN.needed)


class TauRetailEnvironment(TauEnvironment):
    """The shop of tau-bench."""

    DOMAIN = TAU_RETAIL
    STRATA = tuple(TAU_RETAIL.faults)
    MOST_STEPS = 30
    TRANSFER_ENDS = True

    def __init__(self, checkout: str, data: str = "", split: str = "test", traces: str = "") -> None:
        super().__init__(TauCheckout(Path(checkout), data), split, traces)


class Tau2RetailEnvironment(TauEnvironment):
    """The shop of tau2-bench."""

    DOMAIN = RETAIL
    STRATA = tuple(RETAIL.faults)
    MOST_STEPS = 100

    def __init__(self, checkout: str, split: str = "base", traces: str = "") -> None:
        super().__init__(Tau2Checkout(Path(checkout), self.DOMAIN.name), split, traces)


class Tau2AirlineEnvironment(Tau2RetailEnvironment):
    """The airline of tau2-bench."""

    DOMAIN = AIRLINE
    STRATA = tuple(AIRLINE.faults)
