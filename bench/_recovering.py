"""Receipts on the tool world's faults, without any declaration: what they list, and what comes back when it is called."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any

from outcome_monitors import Monitor, Registry, Relations, mine
from outcome_monitors.evaluation.faults import NOT_APPLICABLE, SUITES, Corpus, Fault, Subject, faults
from outcome_monitors.model import Call
from outcome_monitors_study.world import (
    TOOLS,
    Workflow,
    World,
    declared_substitutes,
    nominal_calls,
    nominal_traces,
    workflows,
)
from outcome_monitors_study.world.agents import naive
from outcome_monitors_study.world.records import generator

from ._injection import Injection

__all__ = ["Receipt", "receipts"]

Json = Any


class _Caught(Exception):  # noqa: N818 - it ends a run, nothing is wrong
    """The first corrupted result was reached."""


@dataclass(frozen=True, slots=True)
class FaultyRun:
    """A workflow in which results of one tool are silently wrong."""

    workflow: Workflow
    fault: Fault
    victim: str
    permanent: bool


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a receipt listed for one fault."""

    case: FaultyRun
    actions: int
    clean: int
    """How many of them return a clean result when they are called as the receipt says."""
    exists: bool
    """Some call would: the same again where that is safe and the fault is gone, a declared substitute that is at hand, or
    another that the receipt says in full how to make."""


def receipts(
    relations: Relations, *, count: int, runs: int, everything: bool, seed: int = 0
) -> Iterator[Receipt]:
    """Run workflows of one world under faults, and yield each receipt; contracts come from another world's traces."""
    registry = mine(nominal_traces(count, seed + 1), "paper")
    made = list(workflows(count, seed))
    corpus = Corpus.of(list(nominal_traces(count, seed)))
    for case in _cases(made, corpus, runs, seed):
        tools = tuple(TOOLS) if everything else case.workflow.tools
        found = _receipt(case, registry, relations, corpus, tools)
        if found is not None:
            yield found


def _cases(made: Sequence[Workflow], corpus: Corpus, runs: int, seed: int) -> Iterator[FaultyRun]:
    """Yield so many runs of each fault, or as many as there are: no workflow twice, every second one permanent."""
    clean = [(workflow, list(nominal_calls(workflow))) for workflow in made]
    for fault in faults(SUITES):
        for number, (workflow, victim) in enumerate(islice(_places(clean, fault, corpus, seed), runs)):
            yield FaultyRun(workflow, fault, victim, permanent=number % 2 == 1)


def _places(
    clean: Sequence[tuple[Workflow, list[Call]]], fault: Fault, corpus: Corpus, seed: int
) -> Iterator[tuple[Workflow, str]]:
    """Yield workflows in an order drawn for the fault, each with a tool that the fault has a place in."""
    draw = generator(seed, f"demo/{fault.name}")
    for workflow, calls in draw.sample(clean, len(clean)):
        tools = sorted({call.tool for call in calls})
        fitting = (tool for tool in draw.sample(tools, len(tools)) if _fits(fault, tool, calls, corpus))
        victim = next(fitting, None)
        if victim is not None:
            yield workflow, victim


def _fits(fault: Fault, tool: str, calls: list[Call], corpus: Corpus) -> bool:
    return any(
        fault.apply(Subject(call, tuple(calls[:index]), corpus)) is not NOT_APPLICABLE
        for index, call in enumerate(calls)
        if call.tool == tool and not call.error
    )


def _receipt(
    case: FaultyRun, registry: Registry, relations: Relations, corpus: Corpus, tools: Sequence[str]
) -> Receipt | None:
    world = World(case.workflow.seed)
    faulty = Injection(world, case.fault, case.victim, permanent=case.permanent, corpus=corpus)
    session = Monitor(registry, relations, encoder="note", listing="safe").session()
    caught: list[Json] = []

    def interface(tool: str, arguments: Mapping[str, Json]) -> Json:
        result = faulty.call(tool, arguments)
        advised = session.advise(tool, arguments, result, tools=tools)
        if faulty.hits:
            caught.append(advised["outcome_contract"] if advised is not result else None)
            raise _Caught
        return result

    with suppress(_Caught):
        naive(case.workflow, interface)
    if not caught or caught[0] is None:
        return None
    actions = caught[0]["admissible_recovery_actions"]
    clean = sum(_clean(faulty, action) for action in actions)
    again = not case.permanent and TOOLS[case.victim].read_only
    stand_in = TOOLS[case.victim].read_only and bool(
        set(declared_substitutes().get(case.victim, ())) & set(tools)
    )
    in_full = any(action["arguments"] is not None for action in actions if action["tool"] != case.victim)
    return Receipt(case, len(actions), clean, exists=again or stand_in or in_full)


def _clean(faulty: Injection, action: Mapping[str, Json]) -> bool:
    """Call what a receipt lists, and say whether it answers, and truly; what it lists can be called without acting twice."""
    if action["arguments"] is None:
        return False
    assert TOOLS[action["tool"]].read_only or TOOLS[action["tool"]].idempotent
    before = len(faulty.hits)
    answer = faulty.call(action["tool"], action["arguments"])
    return "error" not in answer and len(faulty.hits) == before
