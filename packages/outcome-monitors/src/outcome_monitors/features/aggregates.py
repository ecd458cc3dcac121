"""What can be said of many values at once: their hash, their sum, how they stand."""

import ast
import json
import math
import operator
import re
from collections import Counter
from collections.abc import Callable, Mapping
from functools import lru_cache
from itertools import chain, islice
from typing import Any

from outcome_monitors.jsonvalue.text import BEGINS, last_word, stable_hash
from outcome_monitors.jsonvalue.types import HIDDEN, NUMBER_TYPES, Hidden

from .field_names import IDS

__all__ = [
    "digest",
    "known_by",
    "members",
    "question_of",
    "standing",
    "standing_of_scalars",
    "total",
    "total_of_numbers",
    "worth",
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


LONGEST = 200
LARGEST = 1e15
"""Beyond this a float is no exact whole number."""

_SIGNS = re.compile(r"[\d\s.+\-*/()]*\d\s*\)*\s*[+\-*/][\d\s.+\-*/()]+")
# By the names that `ast` gives them.
_BINARY: dict[str, Callable[[float, float], float]] = {
    "Add": operator.add,
    "Sub": operator.sub,
    "Mult": operator.mul,
    "Div": operator.truediv,
}
_UNARY: dict[str, Callable[[float], float]] = {"UAdd": operator.pos, "USub": operator.neg}


def worth(text: Any) -> float | None:
    """Return the number that a text of digits, + - * / and brackets comes to; None of any other, and of a bare number."""
    if type(text) is not str or len(text) > LONGEST or not _SIGNS.fullmatch(text):
        return None
    try:
        found = _value(ast.parse(text.strip(), mode="eval").body)
    except (ArithmeticError, KeyError, MemoryError, RecursionError, SyntaxError, TypeError, ValueError):
        return None
    return found if math.isfinite(found) and abs(found) < LARGEST else None


def _value(node: Any) -> float:
    """Compute a tree of the operators above; anything else is a KeyError or a TypeError."""
    match type(node).__name__:
        case "Constant" if type(node.value) in (int, float):
            return float(node.value)
        case "UnaryOp":
            return _UNARY[type(node.op).__name__](_value(node.operand))
        case "BinOp":
            return _BINARY[type(node.op).__name__](_value(node.left), _value(node.right))
    raise TypeError


_NAMING = frozenset({"name", "title", "filename", "label"})
"""The last words of those that mostly do, where nothing better is there."""
_WORDS = frozenset({"body", "message", "question", "subject", "summary", "text"})
"""The last words of what somebody wrote, and nobody writes twice: a message that was sent stays as it is."""

MOST_MEMBERS = 64
"""Of a longer list nothing is known by its members."""
LONGEST_MEMBER = 64
"""Longer names are known by their hash."""


def members(value: Any) -> tuple[str, ...] | None:
    """Return what names each item of a list, or the keys of an object, in order and each once; None where there is no telling."""
    named = (
        [*value] if isinstance(value, dict) else _naming_values(value) if isinstance(value, list) else None
    )
    if named is None or len(named) > MOST_MEMBERS or not _CAN_NAME.issuperset(map(type, named)):
        return None
    return tuple(sorted({*map(_member, named)}))


_CAN_NAME = frozenset({str, int})


def _naming_values(items: list[Any]) -> list[Any] | None:
    """Return the items, or the field of each that names it."""
    if not items or type(items[0]) is not dict:
        return items
    if len(items) > MOST_MEMBERS or set(map(type, items)) != {dict}:
        return None
    key = _naming_field(tuple(items[0]))
    named = [] if key is None else [item.get(key) for item in items]
    # JSON in a text is an answer of its own.
    return None if key is None or any(map(_begins_json, named)) else named


@lru_cache(maxsize=4096)
def _naming_field(fields: tuple[Any, ...]) -> str | None:
    """Return the field of a row that names it: the first whose name says so."""
    names: list[str] = sorted((name for name in fields if type(name) is str), key=len)
    for words in (IDS, _NAMING, _WORDS):
        found = next((name for name in names if last_word(name) in words), None)
        if found is not None:
            return found
    return None


def _begins_json(value: Any) -> bool:
    return type(value) is str and value[:1] in BEGINS


def _member(item: str | int) -> str:
    text = item if isinstance(item, str) else str(item)
    return text if len(text) <= LONGEST_MEMBER else f"\0{stable_hash(text):x}"
