"""The rule kinds, one file each, and the table of them.

A new kind is one file and one row. The order is that of clauses in a contract file, and, but for the kinds that name a cause
(`Kind.cause`), of a result's violations.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from json import dumps

from outcome_monitors.model import Clause, Json, Violation
from outcome_monitors.values.display import clip_text
from outcome_monitors.values.memo import once_for_each

from .affine import Affine
from .alphabet import Alphabet
from .argument import Argument
from .base.kind import Candidate, Kind
from .base.traits import Traits
from .before import Before
from .cites import Cites
from .conservation import Conservation
from .core import Core
from .decimals import Decimals
from .domain import Domain
from .echo import Echo
from .edges import Edges
from .error import Error
from .fact import Fact
from .filled import Filled
from .foreign import Foreign
from .form import Form
from .fresh import Fresh
from .json import JsonText
from .known import Known
from .length import Length
from .linear import Linear
from .memory import Memory
from .onward import Onward
from .order import Order
from .positive import Positive
from .range import Range
from .renewed import Renewed
from .required import Required
from .rows import Rows
from .same import Same
from .template import Template
from .time import Time
from .type import Type
from .when import When
from .wording import Wording

__all__ = ["KINDS", "Candidate", "Kind", "evaluate", "explain", "own_place"]

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
        Same(),
        Cites(),
        Before(),
        When(),
        Fact(),
        Core(),
        Template(),
        Memory(),
        Fresh(),
        Renewed(),
        Onward(),
        Time(),
        Filled(),
        Range(),
        Decimals(),
        Foreign(),
        Wording(),
        Rows(),
        Form(),
        Edges(),
        Alphabet(),
        Length(),
        Known(),
    )
}

Failed = Callable[[Clause, Exception], None]


def evaluate(
    clauses: Iterable[Clause],
    arguments: Mapping[str, Json],
    result: Json,
    failed: Failed | None = None,
    doubted: Iterable[Clause] | None = None,
) -> Iterator[tuple[Clause, Violation]]:
    """Check a result against clauses the plain way: one violation a broken clause, at its first place.

    A check that fails is handed to `failed` and does not stop the rest; without `failed` the exception goes out. An answer that refuses
    the caller's own argument breaks nothing, unless there is a clean answer for it. Where it is known which clauses are `doubted`, the
    others are not looked at.
    """
    clauses = tuple(clauses)
    if _excused(clauses, arguments, result):
        return
    for clause in clauses if doubted is None else doubted:
        try:
            broken = KINDS[clause.kind].check(clause, arguments, result)
            first = next(broken, None)
            more = 0 if first is None else sum(1 for _ in broken)
        except Exception as error:
            if failed is None:
                raise
            failed(clause, error)
            continue
        if first is not None:
            yield clause, replace(first, detail=f"{first.detail} (and {more} more)") if more else first


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
