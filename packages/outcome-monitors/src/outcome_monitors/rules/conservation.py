"""`conservation`: what came in is what went out: payments less refunds are the total of the items.

A record whose `where` field is not one of the listed values is not judged, and neither is one where a number or a category is
missing or unknown: that is the business of other kinds.

Money is decimal and floats are not, so `==` on binary sums fails on clean data. A number is read by its shortest decimal
form, sums are exact, and the sides may differ by half a unit of the last decimal place that the data has.

A side is a sum over the rows of a list, or a field by itself:

    {"path": "items[].price"}
    {"path": "payments[].amount", "by": "type", "signs": {"payment": 1, "refund": -1}}

With signs, a row counts for or against by the category that its field `by` says.
"""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Context, Decimal
from fractions import Fraction
from functools import reduce
from operator import mul

from outcome_monitors.jsonvalue.display import clip, clip_text
from outcome_monitors.jsonvalue.paths import Each, Step, parse, render, select
from outcome_monitors.jsonvalue.types import finite, normalise
from outcome_monitors.model import Clause, Json, Violation

from .base.kind import Beside, Bind, Kind
from .base.record import record_of, value_at
from .base.traits import Mining, Traits

MOST_PLACES = 9
"""Decimal places that are told apart; what stands behind them is the noise of binary arithmetic."""
MOST_VALUES = 64

Side = Mapping[str, Json]

DEEPEST = 40
MOST_SIGNS = 64

# Wide enough for the exact sum of any floats: 309 digits before the point, 324 after it, and those that carrying adds.
_WIDE = Context(prec=700)


def leaves(value: Json, steps: Sequence[Step]) -> list[Json] | None:
    """Return all that stands at the end of the steps, in order, or None where a step leads nowhere."""
    level = [value]
    for step in steps:
        holder = list if step is Each.ITEM else dict
        keyed = isinstance(step, str)
        for one in level:
            if not isinstance(one, holder) or (keyed and step not in one):
                return None
        level = _next(level, step)
    return level


def _next(level: list[Json], step: Step) -> list[Json]:
    if step is Each.ITEM:
        return [*itertools.chain.from_iterable(level)]
    if step is Each.VALUE:
        return [item for one in level for item in one.values()]
    return [one[step] for one in level]


def category(value: Json) -> str | None:
    """Return the category that a text or a boolean stands for; there is none for anything else."""
    if type(value) is str:
        return normalise(value)
    return ("false", "true")[value] if type(value) is bool else None


def is_path(value: Json, steps: tuple[type, ...] = (str, Each)) -> bool:
    """Say whether a value is a path below a record, of steps of some types."""
    try:
        found = parse(value) if isinstance(value, str) else ()
    except ValueError:
        return False
    return 0 < len(found) <= DEEPEST and all(isinstance(step, steps) for step in found)


def is_category(value: Json) -> bool:
    """Say whether a value is a category as `category` writes it; no other could ever be met."""
    return isinstance(value, str) and normalise(value) == value


def is_side(value: Json) -> bool:
    """Say whether a value can be read as a side."""
    if not isinstance(value, dict) or not is_path(value.get("path")):
        return False
    if value.keys() == {"path"}:
        return True
    return (
        value.keys() == {"path", "by", "signs"}
        and isinstance(parse(value["path"])[-1], str)
        and isinstance(value["by"], str)
        and isinstance(value["signs"], dict)
        and 0 < len(value["signs"]) <= MOST_SIGNS
        and all(map(is_category, value["signs"]))
        and all(type(sign) is int and sign in (1, -1) for sign in value["signs"].values())
    )


def total(value: Json, side: Side) -> Fraction | None:
    """Return what a side comes to, exactly, or None where that cannot be told."""
    steps = parse(side["path"])
    numbers = leaves(value, steps)
    if numbers is None or not all(map(finite, numbers)):
        return None
    if "by" in side:
        kinds = leaves(value, (*steps[:-1], side["by"]))
        signs = [side["signs"].get(category(kind)) for kind in kinds or ()]
        if kinds is None or None in signs:
            return None
        numbers = [*map(mul, numbers, signs)]
    whole = sum(number for number in numbers if type(number) is int)
    parts = (Decimal(repr(number)) for number in numbers if type(number) is float)
    return whole + Fraction(reduce(_WIDE.add, parts, Decimal()))


def under(place: str, path: str) -> str:
    """Return a path below a place."""
    return render([*parse(place), *parse(path)])


def noun(side: Side, place: str) -> str:
    """Name a side in the sentence of a violation."""
    path = under(place, side["path"])
    if "by" not in side:
        return f"sum of {path}" if _is_sum(side) else path
    added, taken = (" and ".join(map(clip_text, _signed(side, sign))) for sign in (1, -1))
    return f"sum of {path} ({f'{added} less {taken}'.strip() if taken else added})"


def phrase(side: Side, place: str) -> str:
    """Name a side in the sentence that explains a clause."""
    path = under(place, side["path"])
    if "by" not in side:
        return f"the sum of {path}" if _is_sum(side) else path
    signs = [
        f"{clip_text(kind)} {mark}" for sign, mark in ((1, "+"), (-1, "-")) for kind in _signed(side, sign)
    ]
    return f"net {path} ({', '.join(signs)})"


def _signed(side: Side, sign: int) -> list[str]:
    return [kind for kind, own in side["signs"].items() if own == sign]


def _is_sum(side: Side) -> bool:
    return any(isinstance(step, Each) for step in parse(side["path"]))


class Conservation(Kind):
    """Two sums over a record, or a sum and a field, are equal."""

    name = "conservation"
    code = "conservation_broken"
    traits = Traits(about="object", never_normal=True)
    mining = Mining(profiles=frozenset())
    identity = ("left", "right", "where")
    params = {
        "left": is_side,
        "right": is_side,
        "where": lambda v: v is None or _is_guard(v),
        "places": lambda v: type(v) is int and 0 <= v <= MOST_PLACES,
    }

    def check(self, clause: Clause, arguments: Mapping[str, Json], result: Json) -> Iterator[Violation]:
        """Yield each record whose sides differ."""
        left, right, places = (clause.params[name] for name in ("left", "right", "places"))
        differing = _differing(clause.params)
        for place, value in select(result, clause.path):
            sums = differing(value)
            if sums is not None:
                observed, expected = (_shown(amount, places) for amount in sums)
                detail = f"{noun(left, place)} differs from {noun(right, place)}"
                yield Violation(self.code, under(place, left["path"]), expected, observed, detail)

    def members(
        self, clause: Clause, violation: Violation, arguments: Mapping[str, Json], result: Json
    ) -> tuple[str, ...]:
        place = record_of(clause, violation)
        return tuple(under(place, clause.params[side]["path"]) for side in ("left", "right"))

    def own_place(self, clause: Clause, violation: Violation) -> str:
        return under(record_of(clause, violation), clause.params["left"]["path"])

    def restate(
        self,
        clause: Clause,
        violation: Violation,
        member: str | None,
        arguments: Mapping[str, Json],
        result: Json,
    ) -> Violation:
        """Say of the left side what it should come to; of the right, or of both, that they should be equal."""
        own, place = self.own_place(clause, violation), record_of(clause, violation)
        if member == violation.path == own:
            return violation
        found = next(self.check(replace(clause, path=place), arguments, result), violation)
        if member == own:
            return replace(violation, path=own, expected=found.expected, observed=found.observed)
        left, right = (phrase(clause.params[side], place) for side in ("left", "right"))
        expected = clip(f"{left} equals {right}")
        if member is None:
            both = f"{found.observed} and {found.expected}"
            return replace(violation, path=place, expected=expected, observed=both)
        return replace(violation, path=member, expected=expected, observed=value_at(result, member))

    def explain(self, clause: Clause) -> str:
        left, right, where = (clause.params[name] for name in ("left", "right", "where"))
        text = f"{phrase(left, clause.path)} equals {phrase(right, clause.path)}"
        if where is None:
            return text
        *most, last = map(clip_text, where["values"])
        values = f"{', '.join(most)} or {last}" if most else last
        return f"{text} where {under(clause.path, where['path'])} is {values}"

    def fast(self, clause: Clause, bind: Bind, beside: Beside) -> str | None:
        return f"{bind(_differing(clause.params))}({{v}}) is None"


def _is_guard(value: Json) -> bool:
    return (
        isinstance(value, dict)
        and value.keys() == {"path", "values"}
        and is_path(value["path"], (str,))
        and isinstance(value["values"], list)
        and 0 < len(value["values"]) <= MOST_VALUES
        and all(map(is_category, value["values"]))
    )


def _applies(where: Mapping[str, Json] | None) -> Callable[[Mapping[str, Json]], bool]:
    if where is None:
        return lambda _: True
    *above, field = parse(where["path"])
    values = frozenset(where["values"])

    def applies(value: Mapping[str, Json]) -> bool:
        holder = (leaves(value, above) or [None])[0] if above else value
        return isinstance(holder, dict) and category(holder.get(field)) in values

    return applies


def _differing(params: Mapping[str, Json]) -> Callable[[Json], tuple[Fraction, Fraction] | None]:
    """Return what tells the sums of the two sides of a record where they differ."""
    left, right, places = (params[name] for name in ("left", "right", "places"))
    applies = _applies(params["where"])

    def differing(value: Json) -> tuple[Fraction, Fraction] | None:
        if not isinstance(value, dict) or not applies(value):
            return None
        first, second = total(value, left), total(value, right)
        if first is None or second is None or 2 * 10**places * abs(first - second) <= 1:
            return None
        return first, second

    return differing


def _shown(amount: Fraction, places: int) -> Json:
    if abs(amount) >= 10**15 or (amount.denominator == 1 and not places):
        return clip(int(amount))
    return float(amount)
