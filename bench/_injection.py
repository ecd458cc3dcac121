"""Silent faults in what a caller sees. The world's state and its log keep the truth."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from outcome_monitors.evaluation.faults import NOT_APPLICABLE, Corpus, Fault, Subject
from outcome_monitors.model import Call
from outcome_monitors_study.world import World

__all__ = ["Hit", "Injection"]

Json = Any


@dataclass(frozen=True, slots=True)
class Hit:
    """A result that was corrupted on its way to the caller."""

    step: int
    """Which call of the world it was, from 1."""
    tool: str
    true: Json
    seen: Json


class Injection:
    """A world whose answers from one tool, the victim, reach the caller corrupted.

    A transient fault corrupts the first answer that it can; a permanent one corrupts every one. An answer that the fault
    has no place in, and one that failed openly, pass as they are.
    """

    def __init__(self, world: World, fault: Fault, victim: str, *, permanent: bool, corpus: Corpus) -> None:
        self.hits: list[Hit] = []
        self._world = world
        self._fault = fault
        self._victim = victim
        self._permanent = permanent
        self._corpus = corpus
        self._history: list[Call] = []

    def call(self, tool: str, arguments: Mapping[str, Json]) -> Json:
        """Call a tool of the world and return what the caller sees."""
        given = self._world.call(tool, arguments)
        entry = self._world.log[-1]
        call = Call(entry.tool, entry.arguments, entry.result, error=entry.failed)
        seen = self._delivered(call, given)
        self._history.append(call)
        return seen

    def _delivered(self, call: Call, given: Json) -> Json:
        if call.tool != self._victim or call.error or (self.hits and not self._permanent):
            return given
        corrupted = self._fault.apply(Subject(call, tuple(self._history), self._corpus))
        if corrupted is NOT_APPLICABLE:
            return given
        self.hits.append(Hit(len(self._world.log), call.tool, call.result, corrupted))
        return corrupted
