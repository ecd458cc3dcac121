"""What an arithmetic expression comes to: callers hand them to calculators, and the answer can be held against it."""

import ast
import math
import operator
import re
from collections.abc import Callable
from typing import Any

__all__ = ["worth"]

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
