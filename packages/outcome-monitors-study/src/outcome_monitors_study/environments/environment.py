"""What an environment is: tasks by stratum, each opened afresh for an episode, with an injector and a judge."""

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import cycle
from types import MappingProxyType
from typing import NamedTuple, Protocol, runtime_checkable

from outcome_monitors.contracts.registry import Registry
from outcome_monitors.contracts.sources.mcp_tools import from_mcp_tools
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.model import Call, Json, Profile
from outcome_monitors.recovery.relations import Relations
from outcome_monitors_study._json import digest
from outcome_monitors_study.world.agents import Interface, Run

ALTERNATING = "alternating"
"""The stratum in which each task has one of the faults, in turn."""
Ask = Callable[[Sequence[tuple[str, str]]], str]
"""Asks the model that plays the user for its next line; a conversation is roles (`system`, `user`, `assistant`) and texts."""


class Cell(NamedTuple):
    """A task in one fault mode: what is sampled, and what pairs of episodes share."""

    id: str
    """`C3_task_001/P3`."""
    stratum: str
    """`C3/P3`."""
    task: str
    """The task itself: contracts are never learned from it, and statistics cluster by it."""
    fault: str = ""
    """The fault that it was dealt, where an environment deals them out; arms see no cell."""


class Served(NamedTuple):
    """The answer to a call: the true one, and the one that is shown."""

    raw: Json
    seen: Json
    injected: bool
    """The injector put another answer in the true one's place."""
    failed: bool = False
    """The call failed openly, in a form that contracts do not speak of: no detector is asked."""
    fault: str = ""
    """What kind of fault that was, where it has a name; for the ledger alone, no arm is told."""


class EpisodeVerdict(NamedTuple):
    """What became of an episode."""

    completed: bool
    details: Mapping[str, Json]


class Episode(Protocol):
    """One run of one cell, from the start."""

    @property
    def query(self) -> str:
        """What the user asks for."""

    @property
    def tools(self) -> tuple[str, ...]:
        """What the agent can call."""

    def call(self, tool: str, arguments: Mapping[str, Json]) -> Served:
        """Call a tool."""

    def judge(self, answer: Json) -> EpisodeVerdict:
        """Say what became of it: `answer` is a script's report, or a model's last words."""


class Environment(ABC):
    """Where episodes take place. What is derived from it writes `cells`, `open`, `specs` and `clean_calls`, and the rest if need be."""

    settings: Mapping[str, Json] = MappingProxyType({})
    """All that it was made from, defaults included; `environment` notes it, and makes it again from that."""
    at_once: int | None = None
    """How many episodes can run at a time; None for any number."""
    _source: str = "the environment"
    """What the contracts of its schemas name as their source."""

    @property
    def system_prompt(self) -> str:
        """The system prompt of all arms; empty where there is none of its own."""
        return ""

    def notice(self) -> str:
        """Return what whoever freezes a study should know of its data; empty where there is nothing."""
        return ""

    @abstractmethod
    def cells(
        self, wanted: Mapping[str, int], seed: int, without: frozenset[str] = frozenset()
    ) -> list[Cell]:
        """Sample so many tasks of each stratum, and none of those without which it is to be."""

    def is_clean(self, stratum: str) -> bool:
        """Say whether nothing is injected in a stratum: in `clean`, unless an environment says otherwise."""
        return stratum == "clean"

    def clean(self, cell: Cell) -> Cell:
        """Return the cell of the same task in which nothing is injected."""
        return Cell(f"{cell.task}/clean", "clean", cell.task)

    def deal(self, cells: list[Cell]) -> list[Cell]:
        """Return cells with a fault each, where an environment deals them out."""
        return cells

    def level(self, task: str) -> str:
        """Return the level of a task: of levels that nothing is sampled from all tasks may be learned."""
        return ""

    @abstractmethod
    def open(self, cell: Cell) -> Episode:
        """Start an episode."""

    def fingerprint(self, cells: Iterable[Cell]) -> str:
        """Return a digest of the cells' tasks as they are now: of what is asked for, and with which tools."""
        opened = [(cell, self.open(cell)) for cell in cells]
        return digest([[*cell, episode.query, *episode.tools] for cell, episode in opened])

    @abstractmethod
    def specs(self) -> list[Json]:
        """Return the tools as MCP lists them."""

    @abstractmethod
    def clean_calls(self, without: frozenset[str]) -> Iterable[Call]:
        """Yield clean calls to learn contracts from, none of them of these tasks."""

    def contracts(self, without: frozenset[str], profile: Profile) -> Registry | None:
        """Return what is learned without these tasks, where that is more than clean calls show; else None."""
        return None

    def relations(self) -> Relations:
        """Return which tools can stand in for which: none, unless an environment says otherwise."""
        return Relations()

    def schema_contracts(self) -> Registry:
        """Return the contracts that the public schemas alone give."""
        accepted = from_mcp_tools({"tools": self.specs()}, self._source).accepted
        return Registry({contract.tool: contract for contract in accepted}, "full")


@runtime_checkable
class Scripted(Protocol):
    """An episode that a script can play, where the request cannot be read by one."""

    def played(self, interface: Interface, script: str, heeds: Callable[[], bool] = lambda: False) -> Run:
        """Let a script carry the task out; `heeds` says at each receipt whether it is acted on."""


@runtime_checkable
class Conversing(Protocol):
    """An episode with a user who answers; others end with the agent's first words."""

    @property
    def over(self) -> bool:
        """Say whether there is nobody left to talk to."""

    def opening(self, ask: Ask | None) -> str:
        """Return what the user says first; without `ask` the user is a script."""

    def reply(self, said: str, ask: Ask | None) -> str | None:
        """Return what the user answers; None ends the conversation."""


@runtime_checkable
class Offering(Protocol):
    """An episode with more tools than a model can be shown: it is offered some, and one of them calls the others."""

    @property
    def offered(self) -> Sequence[Json]:
        """The tools that a model is shown, as MCP lists them."""

    def named(self, tool: str, arguments: Mapping[str, Json]) -> tuple[str, Mapping[str, Json]]:
        """Return the call that is meant by a call of what is offered."""


def not_injected(*, faulted: bool, hit: bool, called: bool) -> str | None:
    """Return why a fault was not injected; None where it was, or where there is none."""
    if hit or not faulted:
        return None
    return "no result of its target could take it" if called else "its target was never called"


def drawn_cells(
    free: Sequence[str], faults: Mapping[str, object], wanted: Mapping[str, int], seed: int, where: str
) -> list[Cell]:
    """Draw tasks once, and put each into every stratum that is wanted; of `alternating` strata each into the next one."""
    for stratum in wanted:
        if stratum not in {*faults, ALTERNATING}:
            known = ", ".join((*faults, ALTERNATING))
            raise OutcomeMonitorsError(f"there is no stratum {stratum!r}: choose from {known}")
    most = max(wanted.values())
    if len(free) < most:
        raise OutcomeMonitorsError(f"{where}, not {most}; ask for fewer")
    drawn = random.Random(seed).sample(free, most)  # noqa: S311 - a sample, not a secret
    found: list[Cell] = []
    for wish, number in wanted.items():
        turns = cycle([name for name in faults if faults[name]] if wish == ALTERNATING else [wish])
        tasks = sorted(drawn[:number], key=free.index)
        found += [
            Cell(f"{task}/{stratum}", stratum, task) for task, stratum in zip(tasks, turns, strict=False)
        ]
    return found
