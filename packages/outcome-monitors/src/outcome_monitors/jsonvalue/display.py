"""Values fit to be shown: in receipts, errors and tables, whatever a result holds."""

import math
import os
from collections.abc import Collection, Sequence
from typing import Any

from outcome_monitors.exceptions import OutcomeMonitorsError

LONGEST = 80
MOST_LISTED = 12
"""Entries of a list of values that are shown, what is said of the rest among them."""
BEFORE = 0.3
"""The share of a cut text that stands before the place that matters."""


def clip(value: Any) -> Any:
    """Return a value fit to be shown: bounded in length, without control characters, the same kind where it can be.

    Containers are named by their size, never walked: a result may be a hundred thousand levels deep.
    """
    if isinstance(value, str):
        return clip_text(value)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, (int, float)):
        if isinstance(value, float) and not math.isfinite(value):
            return str(value)
        # Very long integers cannot even be written by default (sys.set_int_max_str_digits).
        return value if -(10**40) < value < 10**40 else "a number of more than 40 digits"
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


def clip_around(text: str, place: int, longest: int = LONGEST) -> str:
    """Cut text to `longest` characters so that a place in it is seen, with a little of what stands before."""
    if len(text) <= longest or place < longest - 1:
        return clip_text(text, longest)
    start = max(0, min(place - int(BEFORE * longest), len(text) - longest + 1))
    return clip_text("…" + text[start:], longest)


def alike(first: Sequence[Any], second: Sequence[Any]) -> int:
    """Return how many characters, or items, two texts or lists have in common before they differ."""
    pairs = enumerate(zip(first, second, strict=False))
    return next((place for place, (one, other) in pairs if one != other), min(len(first), len(second)))


def contrast(expected: Any, observed: Any) -> tuple[Any, Any]:
    """Return two values fit to be shown side by side; long texts are cut around the first place where they differ."""
    if not (isinstance(expected, str) and isinstance(observed, str)):
        return clip(expected), clip(observed)
    place = alike(expected, observed)
    return clip_around(expected, place), clip_around(observed, place)


def odd_item(expected: Sequence[Any], observed: Sequence[Any]) -> tuple[str, str]:
    """Say of two lists that are to be the same what the first item is that is not, counted from 1."""
    place = alike(expected, observed)
    return _item(expected, place), _item(observed, place)


def _item(items: Sequence[Any], place: int) -> str:
    return (
        f"item {place + 1} is {clip(items[place])!r}"
        if place < len(items)
        else f"item {place + 1} is missing"
    )


def first_of(values: Sequence[Any]) -> list[Any]:
    """Return values fit to be shown as a list; of many, the last entry says how many more there are."""
    if len(values) <= MOST_LISTED:
        return [clip(value) for value in values]
    shown = [clip(value) for value in values[: MOST_LISTED - 1]]
    return [*shown, f"and {len(values) - len(shown)} more"]


def refuse_unknown(noun: str, name: object, choices: Collection[str]) -> None:
    """Raise where a name is not among the choices."""
    if name not in choices:
        raise OutcomeMonitorsError(f"there is no {noun} {clip(name)!r}; choose one of {', '.join(choices)}")


def refuse_one(call: str, given: Any) -> None:
    """Raise where one file, or one text, stands in the place of a list of them; `call` is written as it should be, with {}."""
    if isinstance(given, (str, bytes, os.PathLike)):
        meant = call.format(f"[{os.fspath(given)!r}]")
        raise TypeError(f"a list is needed, not {os.fspath(given)!r} alone: {meant}")


def refuse_path(taker: str, given: object, wanted: str, call: str) -> None:
    """Raise where a path stands in the place of what is read from it, and say which call reads it."""
    if isinstance(given, (str, os.PathLike)):
        path = os.fspath(given)
        raise TypeError(f"{taker} takes a {wanted}, not the path {path!r}: {call}({path!r})")
