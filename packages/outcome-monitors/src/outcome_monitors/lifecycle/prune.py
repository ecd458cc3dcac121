"""Clauses that do nothing, or nothing but harm, on clean traces and on the same traces with silent faults in them."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from outcome_monitors.contracts.identity import identify
from outcome_monitors.contracts.registry import Registry
from outcome_monitors.features.walk import task_hash
from outcome_monitors.model import Call, Clause, Contract
from outcome_monitors.rules import KINDS
from outcome_monitors.rules.base.session import SessionKind
from outcome_monitors.rules.evidence.tasks import Tasks, count_tasks, join_tasks

from .clause_record import Applies, applies
from .lint import LEAST_TASKS

__all__ = ["LIMIT", "REASONS", "Spare", "prune", "without"]

LIMIT = 100
"""Results of each kind of fault that are tried."""

REASONS = {
    "no chance": "its path never occurs in the results, clean or corrupted",
    "only clean": "it fires on clean results and on no corrupted one",
}


class Spare(NamedTuple):
    """A clause that can be given up."""

    tool: str
    id: str
    clause: Clause
    why: str
    """One of `REASONS`."""
    tasks: int
    """Tasks of the tool."""
    fired: int
    """Clean tasks that it fired in."""


@dataclass(slots=True)
class _Use:
    """What a clause did."""

    tool: str
    clause: Clause
    applies: Applies
    chance: bool = False
    clean: Tasks = field(default_factory=set)
    caught: int = 0


def prune(
    calls: Iterable[Call], registry: Registry, kept: Collection[str] = (), limit: int = LIMIT
) -> list[Spare]:
    """Return the clauses that can be given up, but for those named in `kept`."""
    from outcome_monitors.evaluation.audit import judge_cases  # noqa: PLC0415 - faults are for trials: nothing at run time loads them
    from outcome_monitors.evaluation.cases import make_cases  # noqa: PLC0415 - as above
    from outcome_monitors.evaluation.faults import SUITES, faults  # noqa: PLC0415 - as above

    uses = {
        id(clause): _Use(tool, clause, applies(clause))
        for tool, contract in sorted(registry.contracts.items())
        for clause in contract.clauses
    }
    of_tool: dict[str, list[_Use]] = {}
    for use in uses.values():
        of_tool.setdefault(use.tool, []).append(use)
    tasks: dict[str, Tasks] = {}
    cases = make_cases([call for call in calls if not call.error], faults(SUITES), 2, limit)
    for case, outcome, corrupted in judge_cases(cases, registry):
        call, task = case.call, [task_hash(case.call)]
        join_tasks(tasks.setdefault(call.tool, set()), task)
        clean = {id(clause) for clause, _ in outcome.broken}
        for _, other in corrupted:
            for clause, _ in other.broken:
                if id(clause) in uses and id(clause) not in clean:
                    uses[id(clause)].caught += 1
        for use in of_tool.get(call.tool, ()):
            if id(use.clause) in clean:
                join_tasks(use.clean, task)
            use.chance = use.chance or use.applies(call.arguments, call.result)
    found = []
    for use in uses.values():
        name, number = identify(use.tool, use.clause), count_tasks(tasks.get(use.tool, set()))
        why = _why(use) if number >= LEAST_TASKS and name not in kept else ""
        if why:
            found.append(Spare(use.tool, name, use.clause, why, number, count_tasks(use.clean)))
    return found


def without(registry: Registry, spare: Iterable[Spare]) -> Registry:
    """Return contracts without the clauses that can be given up."""
    gone = {(found.id, found.clause.source) for found in spare}
    contracts = {
        tool: Contract(
            tool,
            tuple(
                clause for clause in contract.clauses if (identify(tool, clause), clause.source) not in gone
            ),
        )
        for tool, contract in registry.contracts.items()
    }
    return Registry(contracts, registry.profile, registry.shapes)


def _why(use: _Use) -> str:
    if use.caught:
        return ""
    if use.clean:
        return "only clean"
    # What a session remembers cannot be seen in one result.
    remembers = isinstance(KINDS[use.clause.kind], SessionKind)
    return "" if use.chance or remembers else "no chance"
