"""A workflow: a request to an assistant, and all that is needed to carry it out."""

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ._episodes import Ask, AskedFact
from ._needs import Way

__all__ = ["Path", "Step", "Workflow"]

Path = Mapping[str, int]
"""Which of its ways each need with a choice is met by: {"order": 1}."""


@dataclass(frozen=True, slots=True)
class Step:
    """One need of a workflow at one place."""

    episode: str
    """`e1`, `e2`, ...: the part of the request that it serves."""
    ask: Ask

    @property
    def name(self) -> str:
        """What the step is called in its workflow, which may ask for the same thing twice."""
        return f"{self.episode}.{self.ask.name}"


@dataclass(frozen=True, slots=True)
class Workflow:
    """A task of ToolMaze's kind, C1 to C4."""

    task_id: str
    complexity: str
    seed: int
    """Of the world in which it plays."""
    query: str
    steps: tuple[Step, ...]
    ways: Mapping[str, tuple[Way, ...]]
    """For each need, the ways to meet it that the workflow's tools allow, the usual one first."""
    tools: tuple[str, ...]
    """What the assistant can call: the tools of all ways, and some that lead nowhere here."""
    report: tuple[AskedFact, ...]
    """What the query wants to be told, in the order of its words."""
    letters: Mapping[str, tuple[AskedFact, ...]]
    """What the message that a step sends must hold, by the step's name."""

    @property
    def slots(self) -> tuple[str, ...]:
        """The needs that leave a choice."""
        return tuple(need for need, ways in self.ways.items() if len(ways) > 1)

    def paths(self) -> Iterator[Path]:
        """Yield every valid path, the usual one first."""
        choices = (range(len(self.ways[need])) for need in self.slots)
        return (dict(zip(self.slots, chosen, strict=True)) for chosen in itertools.product(*choices))

    def way(self, step: Step, path: Path) -> Way:
        """Return the way that a path takes at a step."""
        return self.ways[step.ask.need][path.get(step.ask.need, 0)]
