"""What kind of value it is: the few questions that every rule asks of a JSON value."""

import math
from datetime import datetime
from typing import Any

__all__ = [
    "HIDDEN",
    "NUMBER_TYPES",
    "PLAIN",
    "Hidden",
    "clip",
    "finite",
    "is_number",
    "kind_of",
    "normalise",
    "when",
]

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
    """Stands for a private value (`_private`): all that is known of it is its kind. It equals nothing but itself."""

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


def when(text: Any) -> datetime | None:
    """Read a date or time as ISO 8601 writes it in full (2026-03-01, 2026-03-01T10:00:00Z), or say that it is none.

    Looser readers take "12" and "May" for dates. With these layouts alone, two texts with the same one of `PLAIN` for every
    ninth character from the tenth on (what separates date and time, and what follows the seconds) are in order as times when
    they are in order as texts.
    """
    if type(text) is not str or not 10 <= len(text) <= 40 or text[4] != "-" or text[7] != "-":
        return None
    if len(text) > 10 and (text[13:14] != ":" or text[16:17] not in _AFTER_MINUTES):
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


_AFTER_MINUTES = ("", ":", "Z")
PLAIN = frozenset({"", "T", " ", "TZ", " Z"})


def comparable(first: datetime, second: datetime) -> bool:
    """Say whether two times can be ordered: both carry an offset, or neither does."""
    return (first.tzinfo is None) == (second.tzinfo is None)


LONGEST = 80


def clip(value: Any) -> Any:
    """Return a value fit to be shown: bounded in length, without control characters, the same kind where it can be.

    Containers are named by their size, never walked: a result may be a hundred thousand levels deep.
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, (int, float)):
        if isinstance(value, float) and not math.isfinite(value):
            return str(value)
        # Very long integers cannot even be written by default (sys.set_int_max_str_digits).
        return value if -(10**40) < value < 10**40 else "a number of more than 40 digits"
    if isinstance(value, str):
        return clip_text(value)
    if isinstance(value, dict):
        return f"an object of {len(value)} field{'' if len(value) == 1 else 's'}"
    if isinstance(value, (list, tuple)):
        return f"a list of {len(value)} item{'' if len(value) == 1 else 's'}"
    return clip_text(f"a {type(value).__name__}")


def clip_text(text: str, longest: int = LONGEST) -> str:
    """Cut text to `longest` characters and replace what cannot be printed."""
    shown = text if len(text) <= longest else text[: longest - 1] + "…"
    if shown.isprintable():
        return shown
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in shown)
