"""What can be said of many values at once: their hash, their sum, how they stand."""

import json
import math
from collections import Counter
from collections.abc import Callable, Mapping
from itertools import chain, islice
from typing import Any

from outcome_monitors.jsonvalue.hashing import stable_hash
from outcome_monitors.jsonvalue.types import HIDDEN, NUMBER_TYPES, Hidden

__all__ = [
    "digest",
    "known_by",
    "question_of",
    "standing",
    "standing_of_scalars",
    "total",
    "total_of_numbers",
]

_PLACES = 9
"""Decimal places of a sum; what stands behind them is the noise of binary arithmetic."""


_TELLING = 3
"""Fields of a row that mostly tell it from all others."""

_Write = Callable[[Any], str]


def _writer(default: Callable[[Any], str]) -> _Write:
    """Return what `json.dumps` does with sorted keys, prepared once: making an encoder costs more than most values."""
    make = getattr(json.encoder, "c_make_encoder", None)
    if make is None:  # a Python without it
        return json.JSONEncoder(sort_keys=True, default=default).encode
    # Without markers: a value that holds itself ends in a RecursionError.
    parts = make(None, default, json.encoder.encode_basestring_ascii, None, ": ", ", ", True, False, True)
    return lambda value: "".join(parts(value, 0))


class _HiddenValueError(Exception):
    """Something private stands in a value."""


def _unless_hidden(value: Any) -> str:
    if isinstance(value, Hidden):
        raise _HiddenValueError
    return repr(value)


_written, _written_unless_hidden = _writer(repr), _writer(_unless_hidden)


def digest(value: Any, write: _Write = _written) -> str:
    """Return the hash that a value is known by; no text that is kept as it is begins like it."""
    try:
        text = write(value)
    except (TypeError, ValueError, RecursionError):
        text = "?"
    return f"\0{stable_hash(text):x}"


def known_by(value: Any) -> str | Hidden:
    """Return the hash of a value; of one that holds something private nothing is known."""
    try:
        return digest(value, _written_unless_hidden)
    except _HiddenValueError:
        hidden: Hidden = HIDDEN["other"]()
        return hidden


def question_of(arguments: Mapping[str, Any]) -> str | None:
    """Return a text that the same arguments alone have, in whatever order; None where something in them is private.

    It is for comparing within one process: of plain arguments it is a tenth of the work of a hash.
    """
    if len(arguments) == 1:
        [(name, value)] = arguments.items()
        if type(value) is str is type(name):
            # As no list is written, and no hash.
            return f"{name!r}{value}"
    if _PLAIN.issuperset(map(type, arguments.values())):
        try:
            return repr([*arguments.items()] if len(arguments) < 2 else sorted(arguments.items()))
        except ValueError:  # a number of thousands of digits
            pass
    known = known_by(arguments)
    return None if isinstance(known, Hidden) else known


_PLAIN = frozenset({bool, float, int, str, type(None)})


def total(column: list[Any]) -> float | None:
    """Return the sum of a column of numbers; None of one that has anything else in it, or too large a sum."""
    if not NUMBER_TYPES.issuperset(map(type, column)):
        return None
    try:
        return total_of_numbers(column)
    except (OverflowError, ValueError):
        return None


def total_of_numbers(column: list[float]) -> float:
    """Return the sum of what is known to be numbers; it raises where that is too large, or there is none."""
    return round(math.fsum(column), _PLACES)


def _differ(rows: list[dict[str, Any]]) -> bool | None:
    """Say whether no two rows are the same; only those that begin alike are looked at as a whole. None of private ones."""
    telling = [*islice(rows[0], _TELLING)]
    columns = [[row.get(key) for row in rows] for key in telling]
    if any(map(_tells_all_apart, columns)) and _PLAIN_OR_MANY.issuperset(map(type, chain(*columns))):
        return True
    if any(isinstance(value, Hidden) for column in columns for value in column):
        return None
    beginnings = [repr([row.get(key) for key in telling]) for row in rows]
    often = Counter(beginnings)
    if len(often) == len(rows):
        return True
    alike = [row for row, beginning in zip(rows, beginnings, strict=True) if often[beginning] > 1]
    known = {known_by(row) for row in alike}
    return None if any(isinstance(one, Hidden) for one in known) else len(known) == len(alike)


def _tells_all_apart(column: list[Any]) -> bool:
    """Say whether no two texts, or whole numbers, of a column are the same; mostly the first that is looked at tells."""
    kinds = set(map(type, column))
    return kinds in _OF_NAMES and len(set(column)) == len(column)


_OF_NAMES = ({str}, {int})
_PLAIN_OR_MANY = _PLAIN | {dict, list}


def standing(column: list[Any]) -> str | None:
    """Say how a column stands: `u` all different, `a` ascending, `d` descending; None of what cannot be compared.

    Of two values alone, and of rows as a whole, `?` stands for the order: any two are in one, or in none.
    """
    kinds = set(map(type, column))
    if kinds == {dict}:
        return {True: "u?", False: "?", None: None}[_differ(column)]
    if not (kinds == {str} or kinds <= {int, float}):
        return None
    return standing_of_scalars(column)


def standing_of_scalars(column: list[Any]) -> str:
    """Say the same of what is known to be texts alone, or numbers."""
    unique = "u" if len(set(column)) == len(column) else ""
    if len(column) < 3:
        return unique + "?"
    ordered = sorted(column)
    if column == ordered:
        return unique + ("ad" if column == ordered[::-1] else "a")
    return unique + ("d" if column == ordered[::-1] else "")
