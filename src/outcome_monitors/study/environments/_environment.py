"""What an environment is: tasks by stratum, each opened afresh for an episode, with an injector and a judge."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

from ..._model import Call, Json
from ..._recovery import Relations
from ..._registry import Registry

__all__ = ["Cell", "Environment", "Episode", "Served", "Verdict"]


class Cell(NamedTuple):
    """A task in one fault mode: what is sampled, and what pairs of episodes share."""

    id: str
    """`C3_task_001/P3`."""
    stratum: str
    """`C3/P3`."""
    task: str
    """The task itself: contracts are never learned from it, and statistics cluster by it."""


class Served(NamedTuple):
    """The answer to a call: the true one, and the one that is shown."""

    raw: Json
    seen: Json
    injected: bool
    """The injector put another answer in the true one's place."""


class Verdict(NamedTuple):
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

    def judge(self, answer: Json) -> Verdict:
        """Say what became of it: `answer` is a script's report, or a model's last words."""


class Environment(Protocol):
    """Where episodes take place."""

    @property
    def settings(self) -> Mapping[str, Json]:
        """All that it was made from, as `environment` makes it again."""

    def cells(self, strata: Sequence[str], per_stratum: int, seed: int) -> list[Cell]:
        """Sample so many tasks of each stratum, no task twice."""

    def open(self, cell: Cell) -> Episode:
        """Start an episode."""

    def fingerprint(self, cells: Iterable[Cell]) -> str:
        """Return a digest of the cells' tasks as they are now."""

    def specs(self) -> list[Json]:
        """Return the tools as MCP lists them."""

    def clean_calls(self, without: frozenset[str]) -> Iterable[Call]:
        """Yield clean calls to learn contracts from, none of them of these tasks."""

    def relations(self) -> Relations:
        """Return which tools can stand in for which."""

    def schema_contracts(self) -> Registry:
        """Return the contracts that the public schemas alone give."""
