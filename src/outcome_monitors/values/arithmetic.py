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
_BINARY: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
_UNARY: dict[type[ast.unaryop], Callable[[float], float]] = {ast.UAdd: operator.pos, ast.USub: operator.neg}


def worth(text: Any) -> float | None:
    """Return the number that a text of digits, + - * / and brackets comes to; None of any other, and of a bare number."""
    if type(text) is not str or len(text) > LONGEST or not _SIGNS.fullmatch(text):
        return None
    try:
        found = _value(ast.parse(text.strip(), mode="eval").body)
    except (ArithmeticError, KeyError, MemoryError, RecursionError, SyntaxError, TypeError, ValueError):
        return None
    return found if math.isfinite(found) and abs(found) < LARGEST else None


def _value(node: ast.expr) -> float:
    """Compute a tree of the operators above; anything else is a KeyError or a TypeError."""
    if isinstance(node, ast.Constant):
        if type(node.value) not in (int, float):
            raise TypeError
        return float(node.value)  # type: ignore[arg-type]  # a number, as tested
    if isinstance(node, ast.UnaryOp):
        return _UNARY[type(node.op)](_value(node.operand))
    if isinstance(node, ast.BinOp):
        return _BINARY[type(node.op)](_value(node.left), _value(node.right))
    raise TypeError
