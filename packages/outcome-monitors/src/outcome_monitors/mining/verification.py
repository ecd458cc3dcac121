"""A second look at the traces: what the run time's own check finds broken of the clauses that other tasks suggest.

Samples of values stand between the traces and the trials of `validation`, and what a kind says of a sample is not always what it says
of a result. So what came through is held against every call once more, by `checking.evaluation`, as a result will be that comes tomorrow.
Counts by task merge in any order: the calls may be looked at in several processes, or on several machines.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from outcome_monitors.checking.evaluation import CompiledContracts, evaluate
from outcome_monitors.checking.failures import quiet
from outcome_monitors.contracts.registry import Registry
from outcome_monitors.features.walk import task_hash
from outcome_monitors.model import Call, Clause, Contract

from .validation import HeldOutResult, part_of

Clauses = Mapping[str, tuple[Clause, ...]]
"""By tool."""
Shown = Callable[[Call], Call | None]
"""Gives a call as it is learned from; None of one that is not."""
Fired = dict[int, int]
"""Tasks, with the calls that a clause fired on."""


class Verification:
    """How the clauses that the other parts suggest do on the calls of each part."""

    def __init__(self, clauses: Sequence[Clauses], shown: Shown) -> None:
        self._clauses = clauses
        self._shown = shown
        self.fired: dict[tuple[int, str, int], Fired] = {}
        """By part, tool and the place of the clause among those of the tool."""

    def empty(self) -> "Verification":
        """Return one that has seen nothing."""
        return Verification(self._clauses, self._shown)

    def add_all(self, calls: Iterable[Call]) -> None:
        """Check many calls."""
        with quiet():
            for call in calls:
                self._add(call)

    def _add(self, call: Call) -> None:
        shown = self._shown(call)
        if shown is None:
            return
        task, tool = task_hash(shown), shown.tool
        part = part_of(task)
        if tool not in self._clauses[part]:
            return
        contracts, places = self._compiled[part]
        for clause, *_ in evaluate(contracts, tool, shown.arguments, shown.result).broken:
            place = places.get(id(clause))
            if place is not None:
                fired = self.fired.setdefault((part, tool, place), {})
                fired[task] = fired.get(task, 0) + 1

    @cached_property
    def _compiled(self) -> list[tuple[CompiledContracts, Mapping[int, int]]]:
        """The contract of each part, and the place of each clause among those of its tool."""
        return [
            (
                CompiledContracts(
                    Registry({tool: Contract(tool, found) for tool, found in clauses.items()}, "full"),
                    built_in=False,
                ),
                {id(clause): place for found in clauses.values() for place, clause in enumerate(found)},
            )
            for clauses in self._clauses
        ]

    def merge(self, other: "Verification") -> None:
        """Add what another has found."""
        for where, theirs in other.fired.items():
            fired = self.fired.setdefault(where, {})
            for task, calls in theirs.items():
                fired[task] = fired.get(task, 0) + calls

    def __getstate__(self) -> dict[str, object]:
        """Leave out what each process makes for itself."""
        return {name: value for name, value in vars(self).items() if name != "_compiled"}


Again = Callable[[Verification], None]
"""Shows a verification every call that was observed."""


def verified(
    trials: Sequence[HeldOutResult], parts: int, shown: Shown, again: Again
) -> Iterator[HeldOutResult]:
    """Yield the trials with all that fired; what the samples have refuted is not looked at again."""
    open_: list[dict[str, list[Clause]]] = [{} for _ in range(parts)]
    places: list[tuple[int, str, int] | None] = []
    for trial in trials:
        if trial.fired:
            places.append(None)
            continue
        clauses = open_[trial.part].setdefault(trial.tool, [])
        places.append((trial.part, trial.tool, len(clauses)))
        clauses.append(trial.candidate.clause)
    clauses_of = [{tool: tuple(found) for tool, found in part.items()} for part in open_]
    verification = Verification(clauses_of, shown)
    again(verification)
    for trial, place in zip(trials, places, strict=True):
        fired = verification.fired.get(place) if place is not None else None
        yield trial if fired is None else trial._replace(fired={**trial.fired, **fired})
