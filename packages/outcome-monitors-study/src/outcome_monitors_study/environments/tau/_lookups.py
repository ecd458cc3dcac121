"""The tools that read, with the answers of tau-bench's own (`tau_bench/envs/retail/tools`); a refusal is a text."""

import ast
import operator
from collections.abc import Callable

from outcome_monitors.model import Json

from ._shop import Shop

__all__ = ["LOOKUPS"]

MOST_DIGITS = 400
"""Beyond this a power is refused: tau-bench's own calculator would not come back."""

_BINARY: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Pow: operator.pow,
}
_UNARY: dict[type[ast.unaryop], Callable[[float], float]] = {ast.UAdd: operator.pos, ast.USub: operator.neg}


def find_user_id_by_email(shop: Shop, email: str) -> Json:
    """Return the id of the user with an email, in whatever case."""
    wanted = email.lower()
    for name in shop.names("users"):
        if _user(shop, name)["email"].lower() == wanted:
            return name
    return "Error: user not found"


def find_user_id_by_name_zip(shop: Shop, first_name: str, last_name: str, zip: str) -> Json:  # noqa: A002 - the tool's own name for it
    """Return the id of the user with a name, in whatever case, and a postal code."""
    wanted = (first_name.lower(), last_name.lower(), zip)
    for name in shop.names("users"):
        user = _user(shop, name)
        full = user["name"]
        if (full["first_name"].lower(), full["last_name"].lower(), user["address"]["zip"]) == wanted:
            return name
    return "Error: user not found"


def get_user_details(shop: Shop, user_id: str) -> Json:
    """Return a user."""
    return shop.find("users", user_id) or "Error: user not found"


def get_order_details(shop: Shop, order_id: str) -> Json:
    """Return an order."""
    return shop.find("orders", order_id) or "Error: order not found"


def get_product_details(shop: Shop, product_id: str) -> Json:
    """Return a product with its variants."""
    return shop.find("products", product_id) or "Error: product not found"


def list_all_product_types(shop: Shop) -> Json:
    """Return the id of each product by its name, in the order of names."""
    products = [shop.find("products", name) or {} for name in shop.names("products")]
    return dict(sorted((product["name"], product["product_id"]) for product in products))


def calculate(_shop: Shop, expression: str) -> Json:
    """Return what an expression comes to, to two decimals."""
    if set(expression) - set("0123456789+-*/(). "):
        return "Error: invalid characters in expression"
    try:
        return round(float(_value(ast.parse(expression.strip(), mode="eval").body)), 2)
    except (ArithmeticError, KeyError, RecursionError, SyntaxError, TypeError, ValueError) as error:
        return f"Error: {error}"


def think(_shop: Shop, thought: str) -> Json:  # noqa: ARG001 - a thought has no effect
    """Return nothing."""
    return ""


def transfer_to_human_agents(_shop: Shop, summary: str) -> Json:  # noqa: ARG001 - nobody is there to read it
    """Hand the user over, which ends the conversation."""
    return "Transfer successful"


LOOKUPS = (
    find_user_id_by_email,
    find_user_id_by_name_zip,
    get_user_details,
    get_order_details,
    get_product_details,
    list_all_product_types,
    calculate,
    think,
    transfer_to_human_agents,
)


def _user(shop: Shop, name: str) -> dict[str, Json]:
    return shop.find("users", name) or {}


def _value(node: ast.expr) -> float:
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return node.value  # type: ignore[return-value]  # a number, as tested
    if isinstance(node, ast.UnaryOp):
        return _UNARY[type(node.op)](_value(node.operand))
    if isinstance(node, ast.BinOp):
        left, right = _value(node.left), _value(node.right)
        if isinstance(node.op, ast.Pow) and abs(right) * len(str(left)) > MOST_DIGITS:
            raise OverflowError("the power is too large")
        return _BINARY[type(node.op)](left, right)
    raise TypeError("not arithmetic")
