"""Which clauses are needed: not what another says already, nor what the caller supplies."""

from collections.abc import Collection, Iterable, Iterator, Sequence

from outcome_monitors.model import Clause
from outcome_monitors.records.feature import Sort
from outcome_monitors.rules import KINDS
from outcome_monitors.rules.base.kind import Candidate, Kind
from outcome_monitors.rules.base.record import is_of, place_of
from outcome_monitors.rules.form import FIXED_WIDTH
from outcome_monitors.values.paths import each_item

__all__ = ["TELL_ALL", "needed", "spoken_of", "supplied_by_caller", "words_of"]


def needed(judged: Sequence[tuple[Candidate, str]], supplied: Collection[str]) -> Iterator[str]:
    """Yield why each candidate is refused, if it is: also for what another clause says already, or the caller supplies."""
    listed = {c.clause.path for c, refused in judged if not refused and c.clause.kind == "domain"}
    formed = {c.clause.path for c, refused in judged if not refused and c.clause.kind in ("form", "time")}
    sized = {c.clause.path for c, refused in judged if not refused and _is_sized(c.clause)}
    read = {c.clause.path for c, refused in judged if not refused and _reads_all(c.clause)}
    taken: set[tuple[str, ...]] = set()
    for candidate, already in judged:
        if already:
            yield already
            continue
        refused = ""
        clause, kind, what = candidate.clause, KINDS[candidate.clause.kind], spoken_of(candidate)
        if kind.of_the_answer and _judged_at(clause) in supplied:
            refused = "the caller supplies it"
        elif read and _is_of_text(clause, kind, read):
            refused = "it is JSON, and what stands in it is told"
        elif what in taken:
            refused = "a stricter one holds, or the tool's own evidence suffices"
        elif clause.path in listed and (clause.kind in _OF_TEXTS or clause.params.get("of") == "text"):
            refused = "the values are listed"
        elif (clause.path in formed and clause.kind in _OF_CHARACTERS) or (
            clause.path in sized and clause.params.get("of") == "text"
        ):
            refused = "the form says it"
        else:
            taken.add(what)
        yield refused


def _judged_at(clause: Clause) -> str:
    """Return the place whose values a clause judges: of rows, that of their column."""
    return place_of(clause.path, clause.params["field"]) if clause.kind == "rows" else clause.path


def spoken_of(candidate: Candidate) -> tuple[str, ...]:
    """Return what a clause speaks of: of all that speak of the same, the first that is taken is needed."""
    clause = candidate.clause
    grade = (str(clause.params.get("of")),) if KINDS[clause.kind].grades else words_of(clause)
    return (clause.kind, clause.path, *grade, candidate.sort)


def _is_sized(clause: Clause) -> bool:
    """Say whether a clause tells how long a text is, too."""
    if clause.kind == "form":
        return clause.params["reading"] in FIXED_WIDTH
    return clause.kind == "time"


def _reads_all(clause: Clause) -> bool:
    return clause.kind == "json" and clause.params["texts"] == "all"


def _is_of_text(clause: Clause, kind: Kind, read: Collection[str]) -> bool:
    """Say whether a clause speaks of a text as it stands that is read as JSON."""
    field = clause.params.get("field")
    if is_of(field, Sort.FIELD) and kind.name != "when":
        return place_of(clause.path, field) in read
    return kind.of_the_answer and clause.path in read


_OF_TEXTS = frozenset({"alphabet", "edges", "foreign", "form"})
"""Kinds that have, like the length of a text, nothing to add where its values are listed."""
_OF_CHARACTERS = frozenset({"alphabet", "edges", "foreign"})
"""Kinds that have nothing to add where a text's form is known."""
TELL_ALL = frozenset({"domain", "form", "json", "time"})
"""Kinds that make others needless."""


def supplied_by_caller(candidates: Iterable[Candidate]) -> set[str]:
    """Return the paths that repeat an argument: their values are the caller's, and say nothing of the tool."""
    supplied: set[str] = set()
    for candidate in candidates:
        clause = candidate.clause
        if clause.kind == "argument" and clause.params["agree"] in ("equal", "same"):
            place = place_of(clause.path, clause.params["field"])
            # With a list, all its items.
            is_list = is_of(clause.params["field"], Sort.WHOLE)
            supplied.update((place, each_item(place)) if is_list else (place,))
    return supplied


def words_of(clause: Clause) -> tuple[str, ...]:
    """Return the parameters of a clause that are texts: what it speaks of, not what it has learned."""
    params = clause.params
    return tuple([value for name in sorted(params) if isinstance(value := params[name], str)])
