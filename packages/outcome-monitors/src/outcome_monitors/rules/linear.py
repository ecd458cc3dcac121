"""`linear`: numbers of a record that belong together: a count and its rows, a total and its parts, price times quantity.

The forms are y = x, y = ax + b, z = x + y, z = x - y, z = xy and z = y / x over the features of a record, counts and sums of its
lists and arguments among them; a text that is a number counts as one. Each must hold exactly, to the last decimal place, on enough
different numbers that chance cannot explain it; a quotient may be rounded.
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, combinations
from typing import Any, NamedTuple

from outcome_monitors.exceptions import ContractError
from outcome_monitors.features.feature import Feature
from outcome_monitors.jsonvalue.types import NUMBER_TYPES, finite
from outcome_monitors.model import Clause, Json
from outcome_monitors.rules.evidence.evidence import Evidence
from outcome_monitors.rules.evidence.samples import Witness, tasks_behind
from outcome_monitors.rules.evidence.table import Column, Table, first_of, last_of, members

from .base.kind import Candidate
from .base.record import (
    Fault,
    Get,
    RecordKind,
    column_of,
    described,
    is_feature,
    rows_of,
    tables_of,
)
from .base.support import may_happen_to_agree
from .base.traits import Cause, Mining, Traits
from .config import CONFIG

LARGEST = 1e100
"""Nothing is said of larger numbers, whose products are no numbers."""
MOST_PLACES = 6
LONGEST_NUMBER = 18

# As a number is written, and as an id like 007 is not.
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?")

FORMS: dict[str, Callable[[float, float], float]] = {
    "sum": lambda x, y: x + y,
    "difference": lambda x, y: x - y,
    "product": lambda x, y: x * y,
    # Counts stand before sums in the order of names: an average is the second by the first.
    "quotient": lambda x, y: y / x if x else math.nan,
}


def _near(found: float, expected: float, *, rounded: bool = False) -> bool:
    off = abs(found - expected)
    if off <= CONFIG.linear_tolerance * max(1.0, min(abs(expected), 10.0)):
        return True
    return rounded and off < CONFIG.linear_rounded and off <= _half_a_unit(found)


def _half_a_unit(number: float) -> float:
    """Return how far a number may be from what it was rounded from; one that seems whole was given to a place at least."""
    text = repr(number)
    places = len(text.partition(".")[2]) if "e" not in text else MOST_PLACES
    return 0.5 * 10.0 ** -max(places, 1) + 1e-9


def _number(value: Any) -> float | None:
    """Return the number that a value is, or says; None of what is neither, or too large."""
    if type(value) is str:
        value = _number_in_text(value) if len(value) <= LONGEST_NUMBER else None
    return value if finite(value) and -LARGEST < value < LARGEST else None


# Mining reads the same text in the evidence of a tool, of its family, and of every part that is not left out.
@lru_cache(maxsize=65536)
def _number_in_text(text: str) -> float | None:
    return float(text) if _NUMBER.fullmatch(text) else None


def _follows(clause: Clause, taken: Sequence[Clause]) -> bool:
    """Say whether a line is that of two others through a third feature: of nine that go together, eight lines tell."""
    if clause.params["form"] != "line":
        return False
    lines = [{*one.params["of"], one.params["field"]} for one in taken if one.params["form"] == "line"]
    x, y = clause.params["of"][0], clause.params["field"]
    beside_x, beside_y = ({*chain(*(line for line in lines if end in line))} - {end} for end in (x, y))
    return not beside_x.isdisjoint(beside_y)


class Linear(RecordKind):
    """A number is what others make it."""

    name = "linear"
    code = "arithmetic_broken"
    cause = Cause.NUMBERS_DISAGREE
    traits = Traits(about="record", corroborates=True)
    mining = Mining(budget_weight=5.0, pools=True, judged="field", follows=_follows)
    identity = ("form", "of", "field")
    params = {
        "form": lambda v: v in ("line", *FORMS),
        "of": lambda v: isinstance(v, list) and len(v) in (1, 2) and all(is_feature(f) for f in v),
        "field": is_feature,
        "slope": finite,
        "intercept": finite,
    }

    def suggest(self, evidence: Evidence) -> Iterator[Candidate]:
        """Suggest each form that fits nearly all records; what a line explains needs no sum."""
        for path, table in tables_of(evidence):
            columns, tasks = _columns(table), evidence.tasks(path)
            explained: set[str] = set()
            for relation in _lines(columns, table):
                explained.add(relation.field)
                yield self._of(path, relation, tasks)
            rest = {name: column for name, column in columns.items() if name not in explained}
            for relation in _triples(rest, table):
                yield self._of(path, relation, tasks)

    def _of(self, path: str, relation: "_Relation", tasks: int) -> Candidate:
        form, of, field, slope, intercept, points, broken = relation
        made = {"form": form, "of": [*map(str, of)], "field": str(field)}
        params = {**made, "slope": slope, "intercept": intercept}
        return self.candidate(path, params, [w for *_, w in points], broken, tasks, len(points))

    def validate(self, params: Mapping[str, Json], where: str) -> None:
        """Refuse a line through two features, and a sum of one."""
        super().validate(params, where)
        needed = 1 if params["form"] == "line" else 2
        if len(params["of"]) != needed:
            raise ContractError(
                f"{where}: parameter 'of' of kind {self.name!r} needs {needed} for form {params['form']!r}"
            )

    def features(self, params: Mapping[str, Json]) -> tuple[str, ...]:
        return (*params["of"], params["field"])

    def broken(self, params: Mapping[str, Json]) -> Callable[..., Fault | None]:
        field, form, slope, intercept = (params[name] for name in ("field", "form", "slope", "intercept"))

        def line(x: float, _: float) -> float:
            return float(slope * x + intercept)

        make = FORMS.get(form, line)

        def broken(*values: Any) -> Fault | None:
            numbers = [number for value in values if (number := _number(value)) is not None]
            if len(numbers) < len(values):
                return None
            *of, found = numbers
            expected = make(of[0], of[-1])
            # The average of nothing is what the tool pleases.
            if not math.isfinite(expected) or _near(found, expected, rounded=form == "quotient"):
                return None
            return field, round(expected, 6), found

        return broken

    def agreement(self, clause: Clause, get: Get) -> str:
        found = self.fault(clause.params, get)
        return self.explain(clause) + (f", which is {found[1]:.10g}" if found is not None else "")

    def detail(self, params: Mapping[str, Json]) -> str:
        return f"{described(params['field'])} does not fit {' and '.join(map(described, params['of']))}"

    def explain(self, clause: Clause) -> str:
        params = clause.params
        first = described(params["of"][0])
        if params["form"] == "line":
            times = first if params["slope"] == 1 else f"{params['slope']:.10g} x {first}"
            plus = f" + {params['intercept']:.10g}" if params["intercept"] else ""
            return f"{described(params['field'])} = {times}{plus}"
        sign, second = _SIGNS[params["form"]], described(params["of"][1])
        if params["form"] == "quotient":
            first, second = second, first
        return f"{described(params['field'])} = {first} {sign} {second}"


_SIGNS = {"sum": "+", "difference": "-", "product": "x", "quotient": "/"}


class _Relation(NamedTuple):
    """A form that fits: its parameters, the points it was seen on, and those off it."""

    form: str
    of: list[Feature]
    field: Feature
    slope: float
    intercept: float
    points: Sequence[tuple[Any, ...]]
    broken: list[Witness]


_Columns = dict[Feature, Column]
_NUMERIC = NUMBER_TYPES | {str}


def _columns(table: Table) -> _Columns:
    """Return the features that are numbers and vary, those of the answer first, texts last."""
    columns: _Columns = {}
    written: set[Feature] = set()
    for name, (values, _) in table.columns.items():
        # An argument that is a text is the business of `argument`.
        numbers = _numbers(values, NUMBER_TYPES if name.sort.of_call else _NUMERIC)
        if len(set(numbers) - {None}) > 1:
            columns[name] = column_of(numbers)
            if any(type(values[row]) is str for row in members(columns[name].having)):
                written.add(name)
    names = sorted(columns, key=lambda name: (name in written, name.sort.of_call, name))
    return {name: columns[name] for name in names[: CONFIG.linear_features]}


def _numbers(values: list[Any], types: frozenset[type]) -> list[float | None]:
    """Return the numbers that values of some types are, or say."""
    found = {*map(type, values)}
    if found.isdisjoint(types):
        return []
    if found <= NUMBER_TYPES and max(map(abs, values)) < LARGEST:
        return values
    if found == {str}:
        return [_number_in_text(value) if len(value) <= LONGEST_NUMBER else None for value in values]
    return [_number(value) if type(value) in types else None for value in values]


def _lines(columns: _Columns, table: Table) -> Iterator[_Relation]:
    for x, y in combinations(columns, 2):
        both = columns[x].having & columns[y].having
        if (x.sort.of_call and y.sort.of_call) or both.bit_count() < CONFIG.linear_equal:
            continue
        points = rows_of(table, columns[x], columns[y])
        line = _line(points)
        if line is not None and not (line[:2] == (1.0, 0.0) and may_happen_to_agree(x, y)):
            yield _Relation("line", [x], y, *line[:2], points, line[2])


def _line(points: Sequence[tuple[Any, ...]]) -> tuple[float, float, list[Witness]] | None:
    """Return the slope and intercept of the line through the points, and what is off it; None where there is none."""
    distinct = min(len({x for x, _, _ in points}), len({y for _, y, _ in points}))
    if distinct < CONFIG.linear_equal or (
        distinct < CONFIG.linear_distinct and any(x != y for x, y, _ in points)
    ):
        return None
    line = _equal(points)
    if line is None and len({x for x, _, _ in points}) >= CONFIG.linear_made:
        line = _sloped(points)
    return line if line and len(tasks_behind(w for *_, w in points)) >= CONFIG.min_tasks else None


def _equal(points: Sequence[tuple[Any, ...]]) -> tuple[float, float, list[Witness]] | None:
    """Return the line on which both are equal, where nearly all points are; it looks no further than it must."""
    allowed = CONFIG.label_noise * len(points)
    unequal: list[Witness] = []
    for x, y, witness in points:
        if x != y and not _near(y, x):
            unequal.append(witness)
            if len(unequal) > allowed:
                return None
    return 1.0, 0.0, unequal


def _sloped(points: Sequence[tuple[Any, ...]]) -> tuple[float, float, list[Witness]] | None:
    """Return the line through the outermost points, where all others are on it too."""
    x0, y0, _ = min(points)
    x1, y1, _ = max(points)
    slope = (y1 - y0) / (x1 - x0)
    intercept = y0 - slope * x0
    if slope == 0 or not all(_near(y, slope * x + intercept) for x, y, _ in points):
        return None
    # Twelve digits are more than the data has, and keep 0.1 from being written as 0.09999999999999998.
    return float(f"{slope:.12g}"), round(intercept, 9) + 0.0, []


def _triples(columns: _Columns, table: Table) -> Iterator[_Relation]:
    for z in columns:
        if z.sort.of_call:
            continue
        for x, y in combinations([name for name in columns if name != z], 2):
            three = columns[x], columns[y], columns[z]
            forms = _forms(table, *three)
            points = rows_of(table, *three) if forms else []
            for form in forms:
                broken = _off(points, FORMS[form], rounded=form == "quotient")
                if broken is not None and _is_significant(points):
                    yield _Relation(form, [x, y], z, 1.0, 0.0, points, broken)


def _forms(table: Table, x: Column, y: Column, z: Column) -> list[str]:
    """Return the forms that may fit nearly all records: the first and the last record tell of most that they do not."""
    having = x.having & y.having & z.having
    if having.bit_count() < CONFIG.linear_distinct:
        return []
    ends = first_of(having), last_of(having)

    def fits(form: str) -> Callable[[int], bool]:
        return lambda row: _may_fit(form, x.values[row], y.values[row], z.values[row])

    # What cannot be computed fits, and only makes the share of what does not smaller.
    return [
        form
        for form in FORMS
        if any(map(fits(form), ends)) and table.odd(having, fits(form), CONFIG.label_noise) is not None
    ]


def _may_fit(form: str, x: Any, y: Any, z: Any) -> bool:
    expected = FORMS[form](x, y)
    return _near(z, expected, rounded=form == "quotient") or not math.isfinite(expected)


def _off(
    points: Sequence[tuple[Any, ...]], make: Callable[[float, float], float], *, rounded: bool
) -> list[Witness] | None:
    """Return what does not fit; None where that is too much."""
    made = [(c, expected, w) for a, b, c, w in points if math.isfinite(expected := make(a, b))]
    broken = [w for c, expected, w in made if not _near(c, expected, rounded=rounded)]
    return broken if len(broken) <= CONFIG.label_noise * len(made) else None


def _is_significant(points: Sequence[tuple[Any, ...]]) -> bool:
    """Say whether points are varied enough; with 0 and 1, sums and products of anything agree."""
    told = {(a, b, c) for a, b, c, _ in points if a not in (0, 1) and b not in (0, 1)}
    first, second, third = (set(column) for column in zip(*told, strict=True)) if told else (set(),) * 3
    enough = len(told) >= CONFIG.linear_made or (
        len(told) >= CONFIG.linear_distinct and sum(map(_digits, third)) >= CONFIG.linear_digits
    )
    return enough and len(third) >= CONFIG.linear_equal and min(len(first), len(second)) > 1


def _digits(number: float) -> int:
    """Return how many digits a number shows, those alone that are not zeros at its ends."""
    return min(len(f"{abs(number):.15g}".replace(".", "").strip("0")), CONFIG.linear_digits_each)
