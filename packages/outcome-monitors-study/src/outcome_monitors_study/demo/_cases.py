"""Which workflow meets which fault, and where."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from outcome_monitors.audit.faults import NOT_APPLICABLE, Corpus, Fault, Subject
from outcome_monitors.model import Call
from outcome_monitors.recovery.actions import published
from outcome_monitors.recovery.relations import Relations
from outcome_monitors_study.world import TOOLS, Workflow, World
from outcome_monitors_study.world.agents import naive
from outcome_monitors_study.world.draws import generator

__all__ = ["DemoCase", "choose_cases", "choose_to_show", "has_a_place"]

MOST_SHOWN = 16
"""Cases of a fault among which the one that reads best is chosen."""


@dataclass(frozen=True, slots=True)
class DemoCase:
    """A workflow under a silent fault."""

    workflow: Workflow
    fault: Fault
    victim: str
    """The tool whose results reach the caller corrupted."""
    permanent: bool
    """Every result that the fault has a place in is corrupted, not only the first."""
    choice: bool
    """Another tool that can stand in for the victim is at hand."""

    @property
    def repeatable(self) -> bool:
        """Say whether calling the victim again does nothing more."""
        return TOOLS[self.victim].idempotent


def choose_cases(
    made: Sequence[Workflow],
    faults: Sequence[Fault],
    corpus: Corpus,
    relations: Relations,
    runs: int,
    seed: int,
) -> Iterator[DemoCase]:
    """Yield so many cases of each fault, or as many as there are: no workflow twice, every second one permanent."""
    clean = [(workflow, _clean_calls(workflow)) for workflow in made]
    for fault in faults:
        for number, (workflow, victim) in enumerate(islice(_places(clean, fault, corpus, seed), runs)):
            at_hand = published(victim, relations, workflow.tools)
            yield DemoCase(workflow, fault, victim, permanent=number % 2 == 1, choice=len(at_hand) > 1)


def choose_to_show(
    made: Sequence[Workflow],
    shown: Collection[str],
    faults: Sequence[Fault],
    corpus: Corpus,
    relations: Relations,
) -> Iterator[DemoCase]:
    """Yield cases to be read, a few of each fault named: every result is struck, and another tool is at hand."""
    clean = [(workflow, _clean_calls(workflow)) for workflow in made]
    for fault in faults:
        found = (
            DemoCase(workflow, fault, tool, permanent=True, choice=True)
            for workflow, calls in clean
            for tool in sorted({call.tool for call in calls})
            if len(published(tool, relations, workflow.tools)) > 1 and has_a_place(fault, tool, calls, corpus)
        )
        yield from islice(found, MOST_SHOWN if fault.name in shown else 0)


def _clean_calls(workflow: Workflow) -> list[Call]:
    """Return the calls of a clean run, as an injection shows them to a fault."""
    world = World(workflow.seed)
    naive(workflow, world.call)
    return [Call(entry.tool, entry.arguments, entry.result, error=entry.failed) for entry in world.log]


def _places(
    clean: Sequence[tuple[Workflow, list[Call]]], fault: Fault, corpus: Corpus, seed: int
) -> Iterator[tuple[Workflow, str]]:
    """Yield workflows in an order drawn for the fault, each with a tool that the fault has a place in."""
    draw = generator(seed, f"demo/{fault.name}")
    for workflow, calls in draw.sample(clean, len(clean)):
        tools = sorted({call.tool for call in calls})
        for tool in draw.sample(tools, len(tools)):
            if has_a_place(fault, tool, calls, corpus):
                yield workflow, tool
                break


def has_a_place(fault: Fault, tool: str, calls: list[Call], corpus: Corpus) -> bool:
    """Say whether a fault can befall a result of a tool in a run."""
    return any(
        fault.apply(Subject(call, tuple(calls[:index]), corpus)) is not NOT_APPLICABLE
        for index, call in enumerate(calls)
        if call.tool == tool and not call.error
    )
