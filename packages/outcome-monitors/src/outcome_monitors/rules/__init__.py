"""The rule kinds, one file each, and the table of them.

A new kind is one file and one row. The order is that of clauses in a contract file, and, but for the kinds that name a cause
(`Kind.cause`), of a result's violations.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from itertools import islice
from json import dumps

from outcome_monitors.model import Clause, Json, Violation
from outcome_monitors.values.display import clip_text
from outcome_monitors.values.memo import once_for_each

from .base.kind import Candidate, Kind
from .base.traits import Traits

__all__ = ["KINDS", "RETIRED", "Candidate", "Kind", "evaluate", "evaluate_everywhere", "explain", "own_place"]

ROWS = {
    "error": "Error",
    "type": "Type",
    "json": "JsonText",
    "required": "Required",
    "positive": "Positive",
    "domain": "Domain",
    "echo": "Echo",
    "argument": "Argument",
    "affine": "Affine",
    "conservation": "Conservation",
    "order": "Order",
    "linear": "Linear",
    "same": "Same",
    "cites": "Cites",
    "before": "Before",
    "when": "When",
    "fact": "Fact",
    "core": "Core",
    "template": "Template",
    "memory": "Memory",
    "fresh": "Fresh",
    "renewed": "Renewed",
    "onward": "Onward",
    "time": "Time",
    "filled": "Filled",
    "range": "Range",
    "foreign": "Foreign",
    "rows": "Rows",
    "form": "Form",
    "length": "Length",
    "known": "Known",
}
"""Each kind, which is also the name of its module, and its class there."""

RETIRED = ("alphabet", "decimals", "edges", "wording")
"""Kinds that there were: contract files that name them are read, without their clauses (docs/reference/kinds.md says why)."""


class _Kinds(dict[str, Kind]):
    """The kinds by name, in the order of their rows; one is loaded when it is first asked for.

    A contract names ten of them, and each takes a third of a millisecond to load. Whoever asks for all, as mining does, gets all.
    """

    def __missing__(self, name: str) -> Kind:
        if name not in ROWS:
            raise KeyError(name)
        kind: Kind = getattr(import_module(f".{name}", __package__), ROWS[name])()
        self[name] = kind
        return kind

    def __contains__(self, name: object) -> bool:
        return name in ROWS or super().__contains__(name)

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys([*ROWS, *super().__iter__()]))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    # By what is above: a dictionary's own would show what is loaded already.
    keys, values, items, get = Mapping.keys, Mapping.values, Mapping.items, Mapping.get  # type: ignore[assignment]  # views


KINDS: Mapping[str, Kind] = _Kinds()

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
    if _excused(clauses, arguments, result):
        return
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


def _excused(clauses: tuple[Clause, ...], arguments: Mapping[str, Json], result: Json) -> bool:
    """Say whether an answer refuses an argument that no clause has heard of; contracts of the published profile excuse nothing."""
    refused: set[str] = set()
    for kind, clause in _tellers(clauses):
        refused.update(kind.excuses(clause, arguments, result))
    if not refused:
        return False
    heard_of = (KINDS[clause.kind].knows(clause, arguments, name) for clause in clauses for name in refused)
    return not any(heard_of)


@once_for_each(4096)
def _tellers(clauses: tuple[Clause, ...]) -> list[tuple[Kind, Clause]]:
    """Return the clauses by which an answer may be excused."""
    if not any(KINDS[clause.kind].profiles == _FULL and clause.source == "traces" for clause in clauses):
        return []
    pairs = ((KINDS[clause.kind], clause) for clause in clauses)
    return [(kind, clause) for kind, clause in pairs if kind.__class__.excuses is not Traits.excuses]


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
