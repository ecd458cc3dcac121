"""Text that is an object or a list: as JSON writes it, as Python prints it, or as a table has it.

A number or a bare word may be JSON by chance, so only what begins with a bracket is read as JSON or as Python's. What cannot be read to
its end stays text.
"""

import ast
import json
import math
from collections.abc import Callable
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any
from uuid import UUID

from .tables import read_table

__all__ = ["LONGEST", "LONGEST_PRINTED", "read_text"]

LONGEST = 2**23
"""Characters of a text that is read; a longer one is a text and no more."""
LONGEST_PRINTED = 2**18
"""Characters of what Python prints that are read: its parser takes fifty times as long as that of JSON."""

_BEGINS = ("{", "[")


_CALLS: dict[str, Callable[..., Any]] = {
    "Decimal": Decimal,
    "UUID": UUID,
    "datetime.date": date,
    "datetime.datetime": datetime,
    "datetime.time": time,
    "uuid.UUID": UUID,
    "decimal.Decimal": Decimal,
}
"""What Python prints as a call, and is read."""
_NAMES = {"nan": math.nan, "inf": math.inf, "null": None, "true": True, "false": False}


def read_text(text: str) -> Any:
    """Return the object or the list that a text is; the text itself where it is none."""
    if text[:1] not in _BEGINS and text[:200].lstrip()[:1] not in _BEGINS:
        table = read_table(text)
        return text if table is None else table
    if len(text) > LONGEST:
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return _printed(text)


def _printed(text: str) -> Any:
    """Return what Python has printed: dicts and lists of literals, dates and decimals among them."""
    # JSON that is broken has no single quotes before its keys; nearly all that Python prints has.
    if len(text) > LONGEST_PRINTED or not (
        "'" in text or "None" in text or "True" in text or "False" in text
    ):
        return text
    if text.rstrip()[-1:] not in ("}", "]"):
        return text
    try:
        found = _value(ast.parse(text.strip(), mode="eval").body)
    except (
        ArithmeticError,
        AttributeError,
        LookupError,
        MemoryError,
        RuntimeError,
        SyntaxError,
        TypeError,
        ValueError,
    ):
        return text
    return found if isinstance(found, (dict, list)) else text


def _value(node: ast.expr) -> Any:
    """Return what a tree of literals is; anything else raises."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Dict):
        return {_key(key): _value(item) for key, item in zip(node.keys, node.values, strict=True)}
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        return [_value(item) for item in node.elts]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_value(node.operand)
    if isinstance(node, ast.Name):
        return _NAMES[node.id]
    if isinstance(node, ast.Call) and not node.keywords:
        return _CALLS[ast.unparse(node.func)](*map(_value, node.args))
    raise TypeError


def _key(node: ast.expr | None) -> Any:
    if node is None:  # `**more` is no literal
        raise TypeError
    key = _value(node)
    if not isinstance(key, (str, int, float, bool, type(None))):
        raise TypeError
    return key
