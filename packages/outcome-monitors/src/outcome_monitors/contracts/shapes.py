"""Contracts of objects rather than of tools: for results of tools that mining never saw.

A user is a user in whatever tool's answer it stands. A shape is a set of fields that recurs in several tools, with the clauses that
all its places support; the shape without fields speaks of every object, and of results as a whole.

A shape has a name where tools have theirs: its list of fields. Mined again it may have a field more or less, and is then the one it is
most like.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from outcome_monitors.model import Clause

ALIKE = 0.7
"""An object is of a shape when this share of all their fields is common to both."""


@dataclass(frozen=True)
class Shape:
    """What is known of objects with certain fields, in whatever tool; without fields, of anything."""

    fields: tuple[str, ...]
    tools: int
    """How many tools have such objects."""
    clauses: tuple[Clause, ...]
    """Their paths begin at the object."""


PREFIX = "shape "

Fields = tuple[str, ...]


def shape_name(fields: Sequence[str]) -> str:
    """Return what a shape is called: `shape ["id", "name"]`; that of anything has no fields."""
    return f"{PREFIX}{json.dumps(list(fields))}"


def fields_of(owner: str) -> Fields | None:
    """Return the fields of a shape, by its name; nothing where it is the name of a tool."""
    try:
        fields = json.loads(owner.removeprefix(PREFIX)) if owner.startswith(f"{PREFIX}[") else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(fields, list) or not all(isinstance(field, str) for field in fields):
        return None
    return tuple(fields)


def most_like(fields: Fields, shapes: Sequence[Shape]) -> Fields | None:
    """Return the fields of the shape that these are, or have become; nothing where there is none."""
    best = max(shapes, key=lambda shape: _likeness(fields, shape.fields), default=None)
    return best.fields if best is not None and _likeness(fields, best.fields) >= ALIKE else None


def _likeness(one: Fields, other: Fields) -> float:
    if one == other:
        return 2.0
    # The shape of anything is like no other.
    return len({*one} & {*other}) / len({*one} | {*other}) if one and other else 0.0
