"""The tree of an arithmetic expression, computed. Apart from `arithmetic`, since few texts come so far, and `ast` is slow to load."""

import ast
import operator
from collections.abc import Callable

__all__ = ["computed"]

_BINARY: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
_UNARY: dict[type[ast.unaryop], Callable[[float], float]] = {ast.UAdd: operator.pos, ast.USub: operator.neg}


def computed(text: str) -> float:
    """Return what an expression comes to; raise ValueError, or whatever computing it raises, where that is nothing."""
    return _value(ast.parse(text, mode="eval").body)


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
