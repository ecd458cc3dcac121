"""What a schema says of a value, reduced to types, fields and items.

Shapes form a lattice: `meet` is what holds where both hold (`allOf`), `join` what holds where either does (`anyOf`). Both only ever
lose knowledge, never invent it: a value that a schema admits has the schema's shape.

    ANYTHING    any value: the schema `true`
    NEVER       no value: the schema `false`
"""

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Final

from outcome_monitors.jsonvalue.paths import ROOT, below, each_item, each_value
from outcome_monitors.model import Clause, Json
from outcome_monitors.rules.domain import Domain
from outcome_monitors.rules.length import Length
from outcome_monitors.rules.pattern import Pattern
from outcome_monitors.rules.range import Range
from outcome_monitors.rules.required import Required
from outcome_monitors.rules.type import Type

LARGEST, LARGEST_WHOLE = sys.float_info.max, 2**53
# "number" stands for a number that is not whole here, so that the kinds exclude each other and sets of them can be intersected.
KINDS = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})

Spend = Callable[[int], None]
"""Counts steps of work, and raises where there were too many."""

Where = tuple[object, ...]
"""A place in a document: the name of its root, then the keys that lead there."""

Refuse = Callable[[Where, str], None]
"""Takes a place and the reason why it gives no clause."""


Interval = tuple[float, float]
UNBOUNDED: Interval = (-inf, inf)
_BOUNDED: Mapping[str, frozenset[str]] = {
    "numbers": frozenset({"integer", "number"}),
    "texts": frozenset({"string"}),
    "lists": frozenset({"array"}),
}
"""Of which types of value each interval speaks."""


@dataclass(frozen=True, slots=True)
class SchemaShape:
    """The types a value may have, and what its fields or items are if it has any."""

    kinds: frozenset[str] = KINDS
    fields: "Mapping[str, Some]" = field(default_factory=dict)
    rest: "Some" = None
    """What holds for every field that `fields` does not name."""
    required: frozenset[str] = frozenset()
    items: "Some" = None
    numbers: Interval = UNBOUNDED
    """Between which a number lies,"""
    texts: Interval = UNBOUNDED
    """and how many characters a text,"""
    lists: Interval = UNBOUNDED
    """or items a list may have."""
    values: frozenset[str] | None = None
    """The texts that are listed."""
    patterns: frozenset[str] = frozenset()
    """What a text matches, all of them."""
    at: Where = field(default=(), compare=False)
    """The place in the schema that says so."""


Some = SchemaShape | None

ANYTHING: Final = None
NEVER = SchemaShape(kinds=frozenset())


def field_of(shape: SchemaShape, name: str) -> Some:
    """Return what holds for one field."""
    return shape.fields.get(name, shape.rest) if "object" in shape.kinds else NEVER


def _rest(shape: SchemaShape) -> Some:
    return shape.rest if "object" in shape.kinds else NEVER


def _items(shape: SchemaShape) -> Some:
    return shape.items if "array" in shape.kinds else NEVER


def meet(first: Some, second: Some, spend: Spend) -> Some:
    """Return what holds for a value that has both shapes."""
    if first is None or second is None:
        return second if first is None else first
    names = {**first.fields, **second.fields}
    spend(1 + len(names))
    return SchemaShape(
        kinds=first.kinds & second.kinds,
        fields={name: meet(field_of(first, name), field_of(second, name), spend) for name in names},
        rest=meet(first.rest, second.rest, spend),
        required=first.required | second.required,
        items=meet(first.items, second.items, spend),
        **{name: _both(getattr(first, name), getattr(second, name)) for name in _BOUNDED},
        values=_common(first.values, second.values),
        patterns=first.patterns | second.patterns,
        at=first.at or second.at,
    )


def join(first: Some, second: Some, spend: Spend) -> Some:
    """Return what holds for a value that has one shape or the other."""
    if first is None or second is None:
        return None
    if not first.kinds or not second.kinds:
        # Where both admit nothing, the one that a schema has is kept: `NEVER` has no place that could be named.
        return max(first, second, key=lambda shape: (bool(shape.kinds), bool(shape.at)))
    names = {**first.fields, **second.fields}
    spend(1 + len(names))
    return SchemaShape(
        kinds=first.kinds | second.kinds,
        fields={name: join(field_of(first, name), field_of(second, name), spend) for name in names},
        rest=join(_rest(first), _rest(second), spend),
        required=_in_both(first, second, "object", "required"),
        items=join(_items(first), _items(second), spend),
        **{name: _either(first, second, name) for name in _BOUNDED},
        values=_listed_in_either(first, second),
        patterns=_in_both(first, second, "string", "patterns"),
        at=first.at or second.at,
    )


def _both(first: Interval, second: Interval) -> Interval:
    return max(first[0], second[0]), min(first[1], second[1])


def _either(first: SchemaShape, second: SchemaShape, name: str) -> Interval:
    """Return what holds of values of either shape; one that admits none of the type has no say."""
    known: list[Interval] = [getattr(one, name) for one in (first, second) if one.kinds & _BOUNDED[name]]
    return (min(low for low, _ in known), max(high for _, high in known)) if known else UNBOUNDED


def _common(first: frozenset[str] | None, second: frozenset[str] | None) -> frozenset[str] | None:
    if first is None or second is None:
        return second if first is None else first
    return first & second


def _listed_in_either(first: SchemaShape, second: SchemaShape) -> frozenset[str] | None:
    known = [one.values for one in (first, second) if "string" in one.kinds]
    found = [values for values in known if values is not None]
    return frozenset().union(*found) if found and len(found) == len(known) else None


def _in_both(first: SchemaShape, second: SchemaShape, kind: str, name: str) -> frozenset[str]:
    """Return what both say of values of a type; a shape that admits none of it has no say."""
    said: list[frozenset[str]] = [getattr(one, name) for one in (first, second) if kind in one.kinds]
    return said[0].intersection(*said) if said else frozenset()


def clauses(shape: Some, source: str, spend: Spend, refuse: Refuse) -> Iterator[Clause]:
    """Yield the clauses that say what a shape says, in no particular order."""
    left = [(ROOT, shape)]
    while left:
        path, here = left.pop()
        if here is None:
            continue
        if not here.kinds:
            refuse(here.at, "no value is allowed here, which no clause can say")
            continue
        if here.kinds != KINDS:
            yield Clause(Type.name, path, {"kinds": _written(here.kinds)}, 0, 0, source)
        for kind, params in _bounds(here):
            yield Clause(kind, path, params, 0, 0, source)
        for field_path in _required(path, here):
            spend(_cost(field_path))
            yield Clause(Required.name, field_path, {}, 0, 0, source)
        for inner_path, inner in _below(path, here, refuse):
            spend(_cost(inner_path))
            left.append((inner_path, inner))


def _bounds(shape: SchemaShape) -> Iterator[tuple[str, dict[str, Json]]]:
    """Yield the kinds and parameters that say between which bounds values are, and which texts are listed."""
    if shape.kinds & _BOUNDED["numbers"] and shape.numbers != UNBOUNDED:
        low, high = (_number(max(-LARGEST, min(bound, LARGEST))) for bound in shape.numbers)
        yield Range.name, {"low": low, "high": high, "room": "narrow"}
    for of, kind, (low, high) in (("text", "string", shape.texts), ("list", "array", shape.lists)):
        least, most = int(max(low, 0)), int(min(high, sys.maxsize))
        if kind in shape.kinds and (least or most < sys.maxsize):
            yield Length.name, {"of": of, "least": least, "most": most, "room": "narrow"}
    if "string" in shape.kinds and shape.values:
        yield Domain.name, {"values": sorted(shape.values)}
    for pattern in sorted(shape.patterns) if "string" in shape.kinds else ():
        yield Pattern.name, {"pattern": pattern}


def _number(bound: float) -> float:
    return int(bound) if float(bound).is_integer() and abs(bound) < LARGEST_WHOLE else bound


def _cost(path: str) -> int:
    """Return how much work a path is; a hostile schema has long ones."""
    return 1 + len(path) // 64


def _required(path: str, shape: SchemaShape) -> Iterator[str]:
    if "object" in shape.kinds:
        for name in shape.required:
            yield below(path, name)


def _below(path: str, shape: SchemaShape, refuse: Refuse) -> Iterator[tuple[str, Some]]:
    if "array" in shape.kinds:
        yield each_item(path), shape.items
    if "object" not in shape.kinds:
        return
    for name, inner in shape.fields.items():
        yield below(path, name), inner
    # Where no other field may exist there is nothing to say of one.
    if shape.rest is None or not shape.rest.kinds:
        return
    if shape.fields:
        # The path `*` would speak of the named fields, too.
        refuse(
            shape.rest.at,
            "`additionalProperties` beside `properties`: other fields have no path of their own",
        )
    else:
        yield each_value(path), shape.rest


def _written(kinds: frozenset[str]) -> list[str]:
    """Return the kinds as JSON Schema names them: a number may be whole."""
    return sorted(kinds - {"integer"} if "number" in kinds else kinds)
