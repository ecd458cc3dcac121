"""The rule kinds, one file each, and the table of them.

A new kind is one file and one row. The order is that of clauses in a contract file, and, but for the kinds that name a cause
(`Kind.cause`), of a result's violations.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from json import dumps

from outcome_monitors.jsonvalue.display import clip_text
from outcome_monitors.model import Clause, Json, Violation

from .affine import Affine
from .anomalous_text import AnomalousText
from .argument import Argument
from .base.kind import Candidate, Kind
from .before import Before
from .built_in import BUILT_IN_KINDS
from .changes_after_write import ChangesAfterWrite
from .closed_fields import ClosedFields
from .conditional import Conditional
from .conservation import Conservation
from .contains_id import ContainsId
from .distinct_per_query import DistinctPerQuery
from .domain import Domain
from .echo import Echo
from .error import Error
from .fields_equal import FieldsEqual
from .form import Form
from .functional_dependency import FunctionalDependency
from .json import JsonText
from .length import Length
from .linear import Linear
from .memory import Memory
from .non_empty import NonEmpty
from .order import Order
from .pattern import Pattern
from .positive import Positive
from .range import Range
from .required import Required
from .required_members import RequiredMembers
from .rows import Rows
from .template import Template
from .time import Time
from .type import Type

__all__ = [
    "FORMER_NAMES",
    "KINDS",
    "RETIRED",
    "Candidate",
    "Kind",
    "current_name",
    "evaluate",
    "evaluate_everywhere",
    "explain",
    "is_excused",
    "own_place",
    "violated",
]

KINDS: Mapping[str, Kind] = {
    kind.name: kind
    for kind in (
        Error(),
        Type(),
        JsonText(),
        Required(),
        Positive(),
        Domain(),
        Echo(),
        Argument(),
        Affine(),
        Conservation(),
        Order(),
        Linear(),
        FieldsEqual(),
        ContainsId(),
        Before(),
        Conditional(),
        FunctionalDependency(),
        RequiredMembers(),
        Template(),
        Memory(),
        DistinctPerQuery(),
        ChangesAfterWrite(),
        Time(),
        NonEmpty(),
        Range(),
        AnomalousText(),
        Rows(),
        Form(),
        Pattern(),
        Length(),
        ClosedFields(),
        *BUILT_IN_KINDS.values(),
    )
}
"""The kinds by name, in the order of a contract file."""

RETIRED = ("alphabet", "decimals", "edges", "monotonic", "onward", "wording")
"""Kinds that there were: contract files that name them are read, without their clauses (docs/reference/kinds.md says why)."""

FORMER_NAMES: Mapping[str, str] = {
    "cites": "contains_id",
    "core": "required_members",
    "fact": "functional_dependency",
    "filled": "non_empty",
    "foreign": "anomalous_text",
    "fresh": "distinct_per_query",
    "known": "closed_fields",
    "renewed": "changes_after_write",
    "same": "fields_equal",
    "when": "conditional",
}
"""Names that kinds had in earlier releases, with those of today: read in contracts, overrides and stored state, never written."""


def current_name(kind: str) -> str:
    """Return the name of a kind today."""
    return FORMER_NAMES.get(kind, kind)


Failed = Callable[[Clause, Exception], None]

MAX_PLACES = 32
"""Places at which one clause is broken that are kept."""


def evaluate(
    clauses: Iterable[Clause],
    arguments: Mapping[str, Json],
    result: Json,
    failed: Failed | None = None,
) -> Iterator[tuple[Clause, Violation]]:
    """Check a result against clauses: one violation a broken clause, at its first place."""
    for clause, violation, _ in evaluate_everywhere(clauses, arguments, result, failed):
        yield clause, violation


def evaluate_everywhere(
    clauses: Iterable[Clause],
    arguments: Mapping[str, Json],
    result: Json,
    failed: Failed | None = None,
) -> Iterator[tuple[Clause, Violation, Sequence[Violation]]]:
    """Check a result against clauses: each broken one with a violation that counts its places, and those at the first places.

    A check that fails is handed to `failed` and does not stop the rest; without `failed` the exception goes out. An answer that refuses
    the caller's own argument breaks nothing, unless there is a clean answer for it.
    """
    clauses = tuple(clauses)
    if not is_excused(clauses, arguments, result):
        yield from violated(clauses, arguments, result, failed)


def violated(
    clauses: Iterable[Clause],
    arguments: Mapping[str, Json],
    result: Json,
    failed: Failed | None = None,
) -> Iterator[tuple[Clause, Violation, Sequence[Violation]]]:
    """Check a result against clauses as `evaluate_everywhere` does, whatever it excuses."""
    for clause in clauses:
        try:
            broken = KINDS[clause.kind].check(clause, arguments, result)
            places = [*islice(broken, MAX_PLACES)]
            more = len(places) - 1 + sum(1 for _ in broken)
        except Exception as error:
            if failed is None:
                raise
            failed(clause, error)
            continue
        if places:
            first = places[0]
            yield (
                clause,
                replace(first, detail=f"{first.detail} (and {more} more)") if more else first,
                places,
            )


def is_excused(clauses: Sequence[Clause], arguments: Mapping[str, Json], result: Json) -> bool:
    """Say whether an answer refuses an argument that no clause has heard of; contracts of the published profile excuse nothing."""
    refused = {name for clause in clauses for name in KINDS[clause.kind].excuses(clause, arguments, result)}
    if not refused or not any(
        KINDS[clause.kind].mining.profiles == _FULL and clause.source == "traces" for clause in clauses
    ):
        return False
    return not any(
        KINDS[clause.kind].knows(clause, arguments, name) for clause in clauses for name in refused
    )


_FULL = frozenset({"full"})


def own_place(clause: Clause, violation: Violation) -> str:
    """Return the place that a broken clause names by itself, whichever of its members its violation is told of."""
    kind = KINDS.get(clause.kind)
    return violation.path if kind is None else kind.own_place(clause, violation)


def explain(clause: Clause) -> str:
    """Say a clause in words; one that a file says oddly is shown as it stands there."""
    try:
        return KINDS[clause.kind].explain(clause)
    except (ArithmeticError, LookupError, TypeError, ValueError):
        return f"{clause.path or 'the result'}: {clause.kind} {clip_text(dumps(dict(clause.params)))}"
