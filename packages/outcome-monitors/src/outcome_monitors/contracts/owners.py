"""Whom a clause belongs to: a tool, or a shape (`checking.shapes`), which has a name here as tools have.

The name of a shape is its list of fields. Mined again it may have a field more or less, and is then the one it is most like.
"""

import json
from collections.abc import Mapping, Sequence

from outcome_monitors.model import Clause

from .registry import Registry
from .shapes import ALIKE, Shape

__all__ = ["fields_of", "most_like", "owned", "shape_name"]

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


def owned(registry: Registry) -> Mapping[str, tuple[Clause, ...]]:
    """Return the clauses of each tool, then those of each shape."""
    found = {tool: contract.clauses for tool, contract in sorted(registry.contracts.items())}
    for shape in registry.shapes:
        name = shape_name(shape.fields)
        # Merged files may have a shape twice.
        found[name] = (*found.get(name, ()), *shape.clauses)
    return found


def most_like(fields: Fields, shapes: Sequence[Shape]) -> Fields | None:
    """Return the fields of the shape that these are, or have become; nothing where there is none."""
    best = max(shapes, key=lambda shape: _likeness(fields, shape.fields), default=None)
    return best.fields if best is not None and _likeness(fields, best.fields) >= ALIKE else None


def _likeness(one: Fields, other: Fields) -> float:
    if one == other:
        return 2.0
    # The shape of anything is like no other.
    return len({*one} & {*other}) / len({*one} | {*other}) if one and other else 0.0
