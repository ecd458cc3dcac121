"""What can be said of many values at once: their hash, their sum, how they stand."""

import ast
import json
import math
import operator
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from outcome_monitors.jsonvalue.text import BEGINS, last_word, stable_hash
from outcome_monitors.jsonvalue.types import HIDDEN, NUMBER_TYPES, Hidden

from .field_names import IDS
from .limits import LIST_MEMBERS, MEMBER_LENGTH

_PLACES = 9
"""Decimal places of a sum; what stands behind them is the noise of binary arithmetic."""


class _HiddenValueError(Exception):
    """Something private stands in a value."""


def _unless_hidden(value: Any) -> str:
    if isinstance(value, Hidden):
        raise _HiddenValueError
    return repr(value)


_written = json.JSONEncoder(sort_keys=True, check_circular=False, default=repr).encode
_written_unless_hidden = json.JSONEncoder(sort_keys=True, check_circular=False, default=_unless_hidden).encode
_written_without_hidden = json.JSONEncoder(
    sort_keys=True,
    check_circular=False,
    default=lambda value: "" if isinstance(value, Hidden) else repr(value),
).encode


def digest(value: Any, write: Callable[[Any], str] = _written) -> str:
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


def total(column: list[Any]) -> float | None:
    """Return the sum of a column of numbers; None of one that has anything else in it, or too large a sum."""
    if not NUMBER_TYPES.issuperset(map(type, column)):
        return None
    try:
        return round(math.fsum(column), _PLACES)
    except (OverflowError, ValueError):
        return None


def _differ(rows: list[dict[str, Any]]) -> bool | None:
    """Say whether no two rows are the same; None where what is private in them may tell them apart."""
    known = {digest(row, _written_without_hidden) for row in rows}
    if len(known) < len(rows) and any(isinstance(known_by(row), Hidden) for row in rows):
        return None
    return len(known) == len(rows)


def standing(column: list[Any]) -> str | None:
    """Say how a column stands: `u` all different, `a` ascending, `d` descending; None of what cannot be compared.

    Of two values alone, and of rows as a whole, `?` stands for the order: any two are in one, or in none.
    """
    kinds = set(map(type, column))
    if kinds == {dict}:
        return {True: "u?", False: "?", None: None}[_differ(column)]
    if not (kinds == {str} or kinds <= {int, float}):
        return None
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


def members(value: Any) -> tuple[str, ...] | None:
    """Return what names each item of a list, or the keys of an object, in order and each once; None where there is no telling."""
    named = (
        [*value] if isinstance(value, dict) else _naming_values(value) if isinstance(value, list) else None
    )
    if named is None or len(named) > LIST_MEMBERS or not _CAN_NAME.issuperset(map(type, named)):
        return None
    return tuple(sorted({*map(_member, named)}))


_CAN_NAME = frozenset({str, int})


def _naming_values(items: list[Any]) -> list[Any] | None:
    """Return the items, or the field of each that names it."""
    if not items or type(items[0]) is not dict:
        return items
    if len(items) > LIST_MEMBERS or set(map(type, items)) != {dict}:
        return None
    key = naming_field(items)
    named = [] if key is None else [item.get(key) for item in items]
    # JSON in a text is an answer of its own.
    return None if key is None or any(map(_begins_json, named)) else named


def naming_field(items: Any) -> str | None:
    """Return the field that names each row of a list; None where there is none, or no rows."""
    rows = isinstance(items, list) and items and type(items[0]) is dict
    return _naming_field(tuple(items[0])) if rows else None


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
    return text if len(text) <= MEMBER_LENGTH else f"\0{stable_hash(text):x}"
