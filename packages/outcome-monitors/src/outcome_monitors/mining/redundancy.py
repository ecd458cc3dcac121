"""Which clauses are needed: not what another says already, nor what the caller supplies."""

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence

from outcome_monitors.contracts.identity import redundancy_key
from outcome_monitors.features.feature import Sort
from outcome_monitors.model import Clause
from outcome_monitors.rules import KINDS
from outcome_monitors.rules.base.kind import Candidate, Kind
from outcome_monitors.rules.base.record import is_of, place_of
from outcome_monitors.rules.base.traits import Determined

__all__ = ["may_make_redundant", "needed", "spoken_of", "supplied_by_caller"]


def needed(judged: Sequence[tuple[Candidate, str]], supplied: Collection[str]) -> Iterator[str]:
    """Yield why each candidate is refused, if it is: also for what another clause says already, or the caller supplies."""
    told = _told(candidate.clause for candidate, refused in judged if not refused)
    read = {path for path, found in told.items() if Determined.INSIDE in found}
    taken: set[Hashable] = set()
    beside: dict[tuple[str, str], list[Clause]] = {}
    for candidate, already in judged:
        if already:
            yield already
            continue
        clause, kind, what = candidate.clause, KINDS[candidate.clause.kind], spoken_of(candidate)
        others = beside.setdefault((clause.kind, clause.path), [])
        refused = ""
        if kind.mining.of_the_answer and _judged_at(clause, kind) in supplied:
            refused = "the caller supplies it"
        elif read and _text_of(clause, kind) in read:
            refused = "it is JSON, and what stands in it is told"
        elif what in taken:
            refused = "a stricter one holds, or the tool's own evidence suffices"
        elif kind.mining.follows(clause, others):
            refused = "it follows from others"
        elif clause.path in told:
            refused = _needless(told[clause.path] & kind.mining.redundant_given(clause.params))
        if not refused:
            taken.add(what)
            others.append(clause)
        yield refused


def _told(clauses: Iterable[Clause]) -> Mapping[str, Determined]:
    """Return what is told of the texts at each path so fully that others need not."""
    told: dict[str, Determined] = {}
    for clause in clauses:
        found = KINDS[clause.kind].mining.determines(clause.params)
        if found is not Determined.NOTHING:
            told[clause.path] = told.get(clause.path, Determined.NOTHING) | found
    return told


def _needless(told: Determined) -> str:
    if Determined.VALUES in told:
        return "the values are listed"
    return "the form says it" if told else ""


def may_make_redundant(clause: Clause) -> bool:
    """Say whether a clause may make others needless."""
    return KINDS[clause.kind].mining.determines(clause.params) is not Determined.NOTHING


def spoken_of(candidate: Candidate) -> Hashable:
    """Return what a clause speaks of: of all that speak of the same, the first that is taken is needed."""
    return redundancy_key(candidate.clause), candidate.sort


def _judged_at(clause: Clause, kind: Kind) -> str:
    """Return the place whose values a clause judges: of rows, that of their column."""
    return place_of(clause.path, clause.params[kind.mining.judged]) if kind.mining.judged else clause.path


def _text_of(clause: Clause, kind: Kind) -> str | None:
    """Return the place whose texts a clause takes as they stand; None where it takes none."""
    feature = clause.params[kind.mining.judged] if kind.mining.judged else ""
    if is_of(feature, Sort.FIELD):
        return place_of(clause.path, feature)
    return clause.path if kind.mining.of_the_answer else None


def supplied_by_caller(candidates: Iterable[Candidate]) -> set[str]:
    """Return the paths that repeat an argument: their values are the caller's, and say nothing of the tool."""
    clauses = (candidate.clause for candidate in candidates)
    return {path for clause in clauses for path in KINDS[clause.kind].mining.supplied(clause)}
