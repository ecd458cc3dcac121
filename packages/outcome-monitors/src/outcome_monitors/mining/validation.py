"""Clauses on trial: suggested by all parts of the tasks but one, and tried on that one.

What fires there is a false alarm on tasks that mining had not seen, unless it is label noise: a wrong result among the clean ones.
"""

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from outcome_monitors.contracts.identity import validation_key
from outcome_monitors.jsonvalue.paths import InText, parse, render
from outcome_monitors.rules import KINDS
from outcome_monitors.rules.base.kind import Candidate, Kind
from outcome_monitors.rules.config import CONFIG as RULES
from outcome_monitors.rules.evidence.evidence import Evidence, together

from .config import CONFIG
from .mutability import Mutability
from .shapes import families

__all__ = [
    "HeldOutResult",
    "ValidationRecord",
    "is_trusted",
    "name_of",
    "suggest",
    "validate_on",
]


Suggested = dict[str, list[Candidate]]
"""By tool."""
Name = tuple[str, tuple[Hashable, ...], bool, str]


def name_of(tool: str, candidate: Candidate) -> Name:
    """Return what makes a clause the same one in two minings: all but the values it has learned."""
    return tool, validation_key(candidate.clause), candidate.pooled, candidate.sort


class HeldOutResult(NamedTuple):
    """A clause that the other parts suggest, tried on one part."""

    tool: str
    candidate: Candidate
    checked: int
    """Results of the tool in the part, times the share that has the path."""
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
    return {
        tool: [
            candidate
            for candidate in found
            if not mutability.concerns(tool, candidate.clause)
            and not _in_documents(evidence[tool], candidate.clause.path)
        ]
        for tool, found in suggested.items()
    }


def _in_documents(evidence: Evidence, path: str) -> bool:
    """Say whether a path leads into texts that are documents."""
    return any(_are_documents(evidence, outer) for outer in _texts_on(path))


@lru_cache(maxsize=16384)
def _texts_on(path: str) -> tuple[str, ...]:
    """Return the paths of the JSON in texts that a path leads through."""
    steps = parse(path)
    return tuple(render(steps[: n + 1]) for n, step in enumerate(steps) if step is InText.JSON)


def _are_documents(evidence: Evidence, path: str) -> bool:
    if path not in evidence.records:
        return False
    sets = {
        frozenset(name.steps[0] for name in names if name.sort.of_answer and name.steps)
        for names in evidence.table(path).shapes
    }
    return len(sets) > CONFIG.max_key_sets and CONFIG.tasks_per_key_set * len(sets) > evidence.tasks(path)


def validate_on(
    part: int, parts: Sequence[Mapping[str, Evidence]], kinds: Sequence[Kind]
) -> Iterator[HeldOutResult]:
    """Yield the trial of each clause that the other parts suggest, on each tool of one part."""
    others = together(other for number, other in enumerate(parts) if number != part)
    for tool, candidates in suggest(others, kinds, parts[part]).items():
        evidence = parts[part][tool]
        for candidate in candidates:
            if not candidate.refused:
                place = evidence.places.get(candidate.clause.path)
                fired = KINDS[candidate.clause.kind].fires(candidate.clause, evidence)
                checked = place.calls if place else 0
                yield HeldOutResult(tool, candidate, checked, fired, part, name_of(tool, candidate))
        evidence.let_go()


class _ClauseRecord:
    """How one clause did: the trials, the calls in them, and of those that it fired on, how many in each part."""

    __slots__ = ("checked", "fired", "tried")

    def __init__(self) -> None:
        self.tried = self.checked = 0
        self.fired: dict[int, int] = {}


_NOT_TRIED = _ClauseRecord()


class ValidationRecord:
    """How each clause did in its trials."""

    def __init__(self, trials: Iterable[HeldOutResult]) -> None:
        self._of: dict[Name, _ClauseRecord] = {}
        for _, _, checked, fired, part, name in trials:
            record = self._of.get(name)
            if record is None:
                record = self._of[name] = _ClauseRecord()
            record.tried += checked > 0
            record.checked += checked
            if fired:
                record.fired[part] = record.fired.get(part, 0) + sum(fired.values())

    def tolerates(self, name: Name, candidate: Candidate) -> float:
        """Return how many calls may break a clause and be taken for label noise."""
        return _tolerated(candidate, self._of.get(name, _NOT_TRIED).checked)

    def forgives(self, name: Name, candidate: Candidate) -> bool:
        """Say whether all that broke a clause is taken for label noise."""
        exact = _exact(candidate) and self.tolerates(name, candidate) > 0
        return exact and not self.fired(name, candidate)

    def tried(self, name: Name) -> bool:
        """Say whether a clause was tried on most parts that were left out of its mining."""
        return self._of.get(name, _NOT_TRIED).tried >= CONFIG.parts // 2

    def fired(self, name: Name, candidate: Candidate, without: int | None = None) -> bool:
        """Say whether a clause fired in the trials, or in those of the other parts than one."""
        record = self._of.get(name, _NOT_TRIED)
        if not record.fired:
            return False
        fired = sum(calls for part, calls in record.fired.items() if part != without)
        return fired > 0 and fired > _tolerated(candidate, record.checked)


def _tolerated(candidate: Candidate, calls: int) -> float:
    """Return how many of so many calls may break a clause and be taken for label noise."""
    return (
        (CONFIG.label_noise if _exact(candidate) else CONFIG.single_task_noise) * calls
        if _allows_noise(candidate.clause.tasks, candidate)
        else 0
    )


def _exact(candidate: Candidate) -> bool:
    """Say whether what breaks a clause is wrong rather than rare: by its kind, or since many tasks stand behind each value."""
    kind = KINDS[candidate.clause.kind]
    each = candidate.clause.tasks // max(candidate.values, 1)
    return kind.mining.exact or (kind.mining.exact_where_common and _allows_noise(each, candidate))


def _allows_noise(tasks: int, candidate: Candidate) -> bool:
    enough = tasks if candidate.entities is None else min(tasks, candidate.entities)
    return enough >= RULES.label_noise_tasks


def is_trusted(candidate: Candidate) -> bool:
    """Say whether a clause is believed where it could not be tried."""
    return KINDS[candidate.clause.kind].mining.trusted if candidate.trusted is None else candidate.trusted
