"""Clauses on trial: suggested by all parts of the tasks but one, and tried on that one.

What fires there is a false alarm on tasks that mining had not seen, or a wrong result among the clean ones.
"""

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from outcome_monitors.contracts.identity import validation_key
from outcome_monitors.jsonvalue.paths import ROOT, InText, parse, render
from outcome_monitors.rules import KINDS
from outcome_monitors.rules.base.kind import Candidate, Kind
from outcome_monitors.rules.evidence.evidence import Evidence, together

from .config import CONFIG
from .mutability import Mutability
from .shapes import families

Suggested = dict[str, list[Candidate]]
"""By tool."""


class Name(NamedTuple):
    """What makes a clause the same one in two minings: all but the values it has learned."""

    tool: str
    kind: str
    about: tuple[Hashable, ...]
    pooled: bool
    sort: str


def part_of(task: int) -> int:
    """Return the part of a task. Folds are dealt by the same hash: its upper half keeps the two apart."""
    return (task >> 32) % CONFIG.parts


def name_of(tool: str, candidate: Candidate) -> Name:
    """Return the name of a clause in all minings."""
    clause = candidate.clause
    return Name(tool, clause.kind, validation_key(clause), candidate.pooled, candidate.sort)


class HeldOutResult(NamedTuple):
    """A clause that the other parts suggest, tried on one part."""

    tool: str
    candidate: Candidate
    checked: int
    """Tasks of the part in which the tool had something at the path."""
    fired: Mapping[int, int]
    part: int
    name: Name


def suggest(
    evidence: Mapping[str, Evidence], kinds: Sequence[Kind], tools: Collection[str] | None = None
) -> Suggested:
    """Return what each tool's own evidence suggests, then what all objects of the same shapes do; for all tools or for some."""
    asked = set(evidence) if tools is None else set(evidence).intersection(tools)
    suggested = {
        tool: [candidate for kind in kinds for candidate in kind.suggest(evidence[tool])]
        for tool in sorted(asked)
    }
    pooling = [kind for kind in kinds if kind.mining.pools]
    related = families(evidence, asked)
    mutability = Mutability(evidence, related)
    for family in related:
        shared = [candidate for kind in pooling for candidate in kind.suggest(family.evidence)]
        for member in family.members:
            if member.tool not in asked:
                continue
            for candidate in shared:
                clause = candidate.clause
                path = member.place(clause.path)
                if path is not None and (clause.path or KINDS[clause.kind].traits.about == "record"):
                    suggested[member.tool].append(candidate.pooled_at(path))
    documents = {
        tool: frozenset(path for path in evidence[tool].records if _are_documents(evidence[tool], path))
        for tool in suggested
    }
    return {
        tool: [
            candidate
            for candidate in found
            if not mutability.concerns(tool, candidate.clause)
            and not _in_documents(documents[tool], candidate.clause.path)
        ]
        for tool, found in suggested.items()
    }


def _in_documents(documents: frozenset[str], path: str) -> bool:
    """Say whether a path leads into texts, or results, that are documents."""
    return not documents.isdisjoint((*_texts_on(path), *([ROOT] if path else ())))


@lru_cache(maxsize=16384)
def _texts_on(path: str) -> tuple[str, ...]:
    """Return the paths of the JSON in texts that a path leads through."""
    steps = parse(path)
    return tuple(render(steps[: n + 1]) for n, step in enumerate(steps) if step is InText.JSON)


def _are_documents(evidence: Evidence, path: str) -> bool:
    sets = {
        frozenset(name.steps[0] for name in names if name.sort.of_answer and name.steps)
        for names in evidence.table(path).shapes
    }
    if len(sets) <= CONFIG.max_key_sets or CONFIG.tasks_per_key_set * len(sets) <= evidence.tasks(path):
        return False
    # The fields of an answer may come and go, but most of them are in most of the sets.
    often = Counter(key for keys in sets for key in keys).values()
    return path != ROOT or sum(often) > 2 * sum(number for number in often if 2 * number > len(sets))


def validate_on(
    part: int, parts: Sequence[Mapping[str, Evidence]], kinds: Sequence[Kind]
) -> Iterator[HeldOutResult]:
    """Yield the trial of each clause that the other parts suggest, on each tool of one part."""
    others = together(other for number, other in enumerate(parts) if number != part)
    for tool, candidates in suggest(others, kinds, parts[part]).items():
        evidence = parts[part][tool]
        for candidate in candidates:
            if not candidate.refused:
                fired = KINDS[candidate.clause.kind].fires(candidate.clause, evidence)
                checked = evidence.tasks(candidate.clause.path)
                yield HeldOutResult(tool, candidate, checked, fired, part, name_of(tool, candidate))
        evidence.let_go()


@dataclass(slots=True)
class _ClauseRecord:
    """How one clause did: the trials, the tasks in them, and of those that it fired on, how many of each task in each part."""

    tried: int = 0
    checked: int = 0
    fired: dict[int, dict[int, int]] = field(default_factory=dict)


_NOT_TRIED = _ClauseRecord()


class ValidationRecord:
    """How each clause did in its trials."""

    def __init__(self, trials: Iterable[HeldOutResult]) -> None:
        self._of: dict[Name, _ClauseRecord] = {}
        for trial in trials:
            record = self._of.setdefault(trial.name, _ClauseRecord())
            record.tried += trial.checked > 0
            record.checked += trial.checked
            if trial.fired:
                fired = record.fired.setdefault(trial.part, {})
                for task, calls in trial.fired.items():
                    fired[task] = max(calls, fired.get(task, 0))

    def tried(self, name: Name) -> bool:
        """Say whether a clause was tried on most parts that were left out of its mining."""
        return self._of.get(name, _NOT_TRIED).tried >= CONFIG.parts // 2

    def broken(self) -> list[Name]:
        """Return the clauses that fired."""
        return [name for name, record in self._of.items() if record.fired]

    def fired(self, name: Name, without: int | None = None) -> dict[int, int]:
        """Return the tasks that a clause fired on in the trials, or in those of the other parts than one, with the calls."""
        found: dict[int, int] = {}
        for part, fired in self._of.get(name, _NOT_TRIED).fired.items():
            if part != without:
                found.update(fired)
        return found

    def share(self, name: Name) -> float:
        """Return the share of the tasks it was tried on that a clause fired on."""
        return len(self.fired(name)) / max(self._of[name].checked, 1)


def is_trusted(candidate: Candidate) -> bool:
    """Say whether a clause is believed where it could not be tried."""
    return KINDS[candidate.clause.kind].mining.trusted if candidate.trusted is None else candidate.trusted
