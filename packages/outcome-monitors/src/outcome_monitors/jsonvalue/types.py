"""What kind of value it is: the few questions that every rule asks of a JSON value."""

import math
from typing import Any

NUMBER_TYPES = frozenset((int, float))

_KINDS: dict[type, str] = {
    bool: "boolean",
    dict: "object",
    float: "number",
    int: "integer",
    list: "array",
    str: "string",
    type(None): "null",
}


class Hidden:
    """Stands for a private value (`traces.private`): all that is known of it is its kind. It equals nothing but itself."""

    kind = "other"


HIDDEN = {kind: type(f"Hidden_{kind}", (Hidden,), {"kind": kind}) for kind in (*_KINDS.values(), "other")}
"""A class for each kind: values of one Python type are taken to be of one kind."""


def kind_of(value: Any) -> str:
    """Return the JSON type name of a value, with whole numbers told apart from others."""
    found = _KINDS.get(type(value))
    if found is not None:
        return found
    if isinstance(value, Hidden):
        return value.kind
    # Hosts hand over subclasses (an IntEnum, a defaultdict) and things that are not JSON at all.
    for known, name in _KINDS.items():
        if isinstance(value, known):
            return name
    return "array" if isinstance(value, tuple) else "other"


def is_number(value: Any) -> bool:
    """Say whether a value is a number; a boolean is not."""
    return type(value) in NUMBER_TYPES


def finite(value: Any) -> bool:
    """Say whether a value is a number other than NaN and the infinities."""
    return type(value) is int or (type(value) is float and math.isfinite(value))


def normalise(text: str) -> str:
    """Fold what does not tell two categories apart: case and surrounding space."""
    return text.strip().casefold()
