"""One side of a conservation clause: a sum over the rows of a list, or a field by itself, as plain JSON.

    {"path": "items[].price"}
    {"path": "payments[].amount", "by": "type", "signs": {"payment": 1, "refund": -1}}

With signs, a row counts for or against by the category that its field `by` says.
"""

import itertools
from collections.abc import Callable, Mapping, Sequence
from decimal import Context, Decimal
from functools import reduce
from operator import itemgetter, mul
from typing import TYPE_CHECKING

from outcome_monitors.jsonvalue.display import clip_text
from outcome_monitors.jsonvalue.paths import Each, Step, parse, render
from outcome_monitors.jsonvalue.types import finite, normalise
from outcome_monitors.model import Json

if TYPE_CHECKING:
    from fractions import Fraction

__all__ = [
    "Side",
    "category",
    "is_category",
    "is_path",
    "is_side",
    "leaves",
    "noun",
    "phrase",
    "quick",
    "total",
    "under",
]

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


def total(value: Json, side: Side) -> "Fraction | None":
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
    from fractions import Fraction  # noqa: PLC0415 - long in coming, and only what may be wrong is added up exactly

    whole = sum(number for number in numbers if type(number) is int)
    parts = (Decimal(repr(number)) for number in numbers if type(number) is float)
    return whole + Fraction(reduce(_WIDE.add, parts, Decimal()))


def quick(side: Side) -> Callable[[Json], list[float]]:
    """Return a reader of a side's signed numbers that raises, or answers anything, where `total` gives None."""
    steps = parse(side["path"])
    *above, field = steps
    if not isinstance(field, str):
        return _rows(steps)
    rows = _rows(above)
    if "by" not in side:
        return lambda value: [row[field] for row in rows(value)]
    by, signs = side["by"], side["signs"]
    return lambda value: [
        (signs.get(row[by]) or signs[category(row[by])]) * row[field] for row in rows(value)
    ]


def _rows(steps: Sequence[Step]) -> Callable[[Json], list[Json]]:
    match steps:
        case [str() as field, Each.ITEM]:
            return itemgetter(field)
        case _:
            return lambda value: reduce(_next, steps, [value])


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
