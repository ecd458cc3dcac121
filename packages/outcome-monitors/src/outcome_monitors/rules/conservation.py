"""`conservation`: what came in is what went out: payments less refunds are the total of the items.

A record whose `where` field is not one of the listed values is not judged, and neither is one where a number or a category is
missing or unknown: that is the business of other kinds.

Money is decimal and floats are not, so `==` on binary sums fails on clean data. A number is read by its shortest decimal
form, sums are exact, and the sides may differ by half a unit of the last decimal place that the data has.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from outcome_monitors.jsonvalue.display import clip, clip_text
from outcome_monitors.jsonvalue.paths import parse, select
from outcome_monitors.model import Clause, Json, Violation

from .base.kind import Beside, Bind, Kind
from .base.record import record_of, value_at
from .base.sides import category, is_category, is_path, is_side, leaves, noun, phrase, quick, total, under
from .base.traits import Mining, Traits

if TYPE_CHECKING:
    from fractions import Fraction

__all__ = ["MOST_PLACES", "Conservation"]

MOST_PLACES = 9
"""Decimal places that are told apart; what stands behind them is the noise of binary arithmetic."""
MOST_VALUES = 64


class Conservation(Kind):
    """Two sums over a record, or a sum and a field, are equal."""

    name = "conservation"
    code = "conservation_broken"
    traits = Traits(about="object")
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
        applies = _applies(clause.params["where"])
        for place, value in select(result, clause.path):
            if not isinstance(value, dict) or not applies(value):
                continue
            observed, expected = total(value, left), total(value, right)
            if observed is None or expected is None or 2 * 10**places * abs(observed - expected) <= 1:
                continue
            yield Violation(
                self.code,
                under(place, left["path"]),
                _shown(expected, places),
                _shown(observed, places),
                f"{noun(left, place)} differs from {noun(right, place)}",
            )

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
        """Compare sums of floats, a little more closely than `check` does."""
        left, right = quick(clause.params["left"]), quick(clause.params["right"])
        applies = _applies(clause.params["where"])
        unit: float = 10.0 ** -clause.params["places"]
        # `fsum` is off by one rounding, and so is each number: below this limit, by less than a twentieth of a unit.
        near, limit = 0.4 * unit, 1e14 * unit

        def surely(value: Mapping[str, Json]) -> bool:
            if not applies(value):
                return True
            first, second = left(value), right(value)
            agree = -near < math.fsum(first) - math.fsum(second) < near
            return agree and sum(map(abs, first)) + sum(map(abs, second)) < limit

        return f"{bind(surely)}({{v}})"


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


def _shown(amount: "Fraction", places: int) -> Json:
    if abs(amount) >= 10**15 or (amount.denominator == 1 and not places):
        return clip(int(amount))
    return float(amount)
