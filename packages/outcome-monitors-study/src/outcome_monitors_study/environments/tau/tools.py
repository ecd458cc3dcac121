"""The tools of tau-bench's retail domain, with the rules and answers of its own (`tau_bench/envs/retail/tools`).

A lookup refuses by a text; a change that is refused has changed nothing.
"""

import ast
import copy
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, TypedDict, Unpack, get_args

from outcome_monitors.model import Json

from .records import Records, RefusedError

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


def find_user_id_by_email(shop: Records, email: str) -> Json:
    """Look a customer's user id up by email."""
    wanted = email.lower()
    for name in shop.names("users"):
        if _user(shop, name)["email"].lower() == wanted:
            return name
    return "Error: user not found"


def find_user_id_by_name_zip(shop: Records, first_name: str, last_name: str, zip: str) -> Json:  # noqa: A002 - the tool's own name for it
    """Look a customer's user id up by first name, last name and zip code, where the email is not known."""
    wanted = (first_name.lower(), last_name.lower(), zip)
    for name in shop.names("users"):
        user = _user(shop, name)
        full = user["name"]
        if (full["first_name"].lower(), full["last_name"].lower(), user["address"]["zip"]) == wanted:
            return name
    return "Error: user not found"


def get_user_details(shop: Records, user_id: str) -> Json:
    """Show a customer: address, email, payment methods and order ids."""
    return shop.find("users", user_id) or "Error: user not found"


def get_order_details(shop: Records, order_id: str) -> Json:
    """Show an order: items, address, status and payments. Order ids begin with #."""
    return shop.find("orders", order_id) or "Error: order not found"


def get_product_details(shop: Records, product_id: str) -> Json:
    """Show a product with all of its variants."""
    return shop.find("products", product_id) or "Error: product not found"


def list_all_product_types(shop: Records) -> Json:
    """List the product id of every product by name."""
    products = [shop.find("products", name) or {} for name in shop.names("products")]
    return dict(sorted((product["name"], product["product_id"]) for product in products))


def calculate(_shop: Records, expression: str) -> Json:
    """Work out an arithmetic expression."""
    if set(expression) - set("0123456789+-*/(). "):
        return "Error: invalid characters in expression"
    try:
        return round(float(_value(ast.parse(expression.strip(), mode="eval").body)), 2)
    except (ArithmeticError, KeyError, RecursionError, SyntaxError, TypeError, ValueError) as error:
        return f"Error: {error}"


def think(_shop: Records, thought: str) -> Json:  # noqa: ARG001 - a thought has no effect
    """Note a thought; nothing else happens."""
    return ""


def transfer_to_human_agents(_shop: Records, summary: str) -> Json:  # noqa: ARG001 - nobody is there to read it
    """Hand the customer over to a person, with a summary, where no tool can help."""
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


def _user(shop: Records, name: str) -> dict[str, Json]:
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


Reason = Literal["no longer needed", "ordered by mistake"]
REASONS = get_args(Reason)

Order = dict[str, Json]


class Address(TypedDict):
    """Where somebody lives, or an order goes."""

    address1: str
    address2: str
    city: str
    state: str
    country: str
    zip: str


def cancel_pending_order(shop: Records, order_id: str, reason: Reason) -> Json:
    """Cancel a pending order and refund it, once the customer has confirmed."""
    order = _order(shop, order_id, "pending", "cancelled")
    if reason not in REASONS:
        raise RefusedError("invalid reason")
    refunds = [
        {
            "transaction_type": "refund",
            "amount": payment["amount"],
            "payment_method_id": payment["payment_method_id"],
        }
        for payment in order["payment_history"]
    ]
    for refund in refunds:
        if "gift_card" in refund["payment_method_id"]:
            _credit(shop, order, refund["payment_method_id"], refund["amount"])
    order = shop.record("orders", order_id)
    order["status"] = "cancelled"
    order["cancel_reason"] = reason
    order["payment_history"].extend(refunds)
    return order


def exchange_delivered_order_items(
    shop: Records, order_id: str, item_ids: list[str], new_item_ids: list[str], payment_method_id: str
) -> Json:
    """Exchange items of a delivered order for other variants of the same products, once, after confirmation."""
    order = _order(shop, order_id, "delivered", "exchanged")
    difference = round(_difference(shop, order, item_ids, new_item_ids), 2)
    method = _method(shop, order, payment_method_id)
    if method["source"] == "gift_card" and method["balance"] < difference:
        raise RefusedError("insufficient gift card balance to pay for the price difference")
    order = shop.record("orders", order_id)
    order["status"] = "exchange requested"
    order["exchange_items"] = sorted(item_ids)
    order["exchange_new_items"] = sorted(new_item_ids)
    order["exchange_payment_method_id"] = payment_method_id
    order["exchange_price_difference"] = difference
    return order


def modify_pending_order_address(shop: Records, order_id: str, **address: Unpack[Address]) -> Json:
    """Change the shipping address of a pending order, after confirmation."""
    _order(shop, order_id, "pending", "modified")
    order = shop.record("orders", order_id)
    order["address"] = _checked(address)
    return order


def modify_pending_order_items(
    shop: Records, order_id: str, item_ids: list[str], new_item_ids: list[str], payment_method_id: str
) -> Json:
    """Change items of a pending order to other variants of the same products, once, after confirmation."""
    order = _order(shop, order_id, "pending", "modified")
    difference = _difference(shop, order, item_ids, new_item_ids)
    method = _method(shop, order, payment_method_id)
    if method["source"] == "gift_card":
        if method["balance"] < difference:
            raise RefusedError("insufficient gift card balance to pay for the new item")
        _credit(shop, order, payment_method_id, -difference)
    order = shop.record("orders", order_id)
    order["payment_history"].append(
        {
            "transaction_type": "payment" if difference > 0 else "refund",
            "amount": abs(difference),
            "payment_method_id": payment_method_id,
        }
    )
    for old, new in zip(item_ids, new_item_ids, strict=True):
        item = next(item for item in order["items"] if item["item_id"] == old)
        variant = _variants(shop, item)[new]
        item |= {"item_id": new, "price": variant["price"], "options": variant["options"]}
    order["status"] = "pending (item modified)"
    return order


def modify_pending_order_payment(shop: Records, order_id: str, payment_method_id: str) -> Json:
    """Change the payment method of a pending order, after confirmation."""
    order = _order(shop, order_id, "pending", "modified")
    method = _method(shop, order, payment_method_id)
    history = order["payment_history"]
    if len(history) > 1 or history[0]["transaction_type"] != "payment":
        raise RefusedError("there should be exactly one payment for a pending order")
    amount, before = history[0]["amount"], history[0]["payment_method_id"]
    if before == payment_method_id:
        raise RefusedError("the new payment method should be different from the current one")
    if method["source"] == "gift_card":
        if method["balance"] < amount:
            raise RefusedError("insufficient gift card balance to pay for the order")
        _credit(shop, order, payment_method_id, -amount)
    if "gift_card" in before:
        _credit(shop, order, before, amount)
    order = shop.record("orders", order_id)
    order["payment_history"] += [
        {"transaction_type": "payment", "amount": amount, "payment_method_id": payment_method_id},
        {"transaction_type": "refund", "amount": amount, "payment_method_id": before},
    ]
    return order


def modify_user_address(shop: Records, user_id: str, **address: Unpack[Address]) -> Json:
    """Change a customer's own address, after confirmation."""
    if shop.find("users", user_id) is None:
        raise RefusedError("user not found")
    user = shop.record("users", user_id)
    user["address"] = _checked(address)
    return user


def return_delivered_order_items(
    shop: Records, order_id: str, item_ids: list[str], payment_method_id: str
) -> Json:
    """Return items of a delivered order, after confirmation."""
    order = _order(shop, order_id, "delivered", "returned")
    _method(shop, order, payment_method_id)
    first = order["payment_history"][0]["payment_method_id"]
    if "gift_card" not in payment_method_id and payment_method_id != first:
        raise RefusedError("payment method should be either the original payment method or a gift card")
    if _absent(order, item_ids) is not None:
        raise RefusedError("some item not found")
    order = shop.record("orders", order_id)
    order["status"] = "return requested"
    order["return_items"] = sorted(item_ids)
    order["return_payment_method_id"] = payment_method_id
    return order


CHANGES = (
    cancel_pending_order,
    exchange_delivered_order_items,
    modify_pending_order_address,
    modify_pending_order_items,
    modify_pending_order_payment,
    modify_user_address,
    return_delivered_order_items,
)


WRITES = frozenset(tool.__name__ for tool in CHANGES)
REPEATABLE = frozenset({"modify_pending_order_address", "modify_user_address"})
"""The writes that change nothing more when they are called again."""
TOOLS: dict[str, Callable[..., Json]] = {tool.__name__: tool for tool in (*LOOKUPS, *CHANGES)}


def call(records: Records, tool: str, arguments: Mapping[str, Json]) -> Json:
    """Call a tool and return a copy of what it gives; every failure is a text that begins with `Error`."""
    if tool not in TOOLS:
        return f"Error: there is no tool {tool}"
    try:
        return copy.deepcopy(TOOLS[tool](records, **arguments))
    except Exception as error:  # noqa: BLE001 - arguments of any kind come in, and tau-bench answers them all so
        return f"Error: {error}"


def _order(shop: Records, order_id: str, status: str, done: str) -> Order:
    """Return an order, not to be changed; refuse where it is not of the status that a change asks for."""
    order = shop.find("orders", order_id)
    if order is None:
        raise RefusedError("order not found")
    if order["status"] != status:
        raise RefusedError(f"non-{status} order cannot be {done}")
    return order


def _absent(order: Order, item_ids: Sequence[str]) -> str | None:
    """Return the first item that stands more often in the list than in the order."""
    owned = [item["item_id"] for item in order["items"]]
    return next((name for name in item_ids if item_ids.count(name) > owned.count(name)), None)


def _variants(shop: Records, item: dict[str, Json]) -> dict[str, dict[str, Json]]:
    product = shop.find("products", item["product_id"]) or {}
    variants: dict[str, dict[str, Json]] = product["variants"]
    return variants


def _difference(shop: Records, order: Order, item_ids: list[str], new_item_ids: list[str]) -> float:
    """Return what the new items cost more than the old ones."""
    if (absent := _absent(order, item_ids)) is not None:
        raise RefusedError(f"{absent} not found")
    if len(item_ids) != len(new_item_ids):
        raise RefusedError("the number of items to be exchanged should match")
    difference = 0
    for old, new in zip(item_ids, new_item_ids, strict=True):
        item = next(item for item in order["items"] if item["item_id"] == old)
        variant = _variants(shop, item).get(new)
        if variant is None or not variant["available"]:
            raise RefusedError(f"new item {new} not found or available")
        difference += variant["price"] - item["price"]
    return difference


def _method(shop: Records, order: Order, name: str) -> dict[str, Json]:
    owner = shop.find("users", order["user_id"]) or {}
    method: dict[str, Json] | None = owner["payment_methods"].get(name)
    if method is None:
        raise RefusedError("payment method not found")
    return method


def _credit(shop: Records, order: Order, method: str, amount: float) -> None:
    card = shop.record("users", order["user_id"])["payment_methods"][method]
    card["balance"] = round(card["balance"] + amount, 2)


def _checked(address: Address) -> dict[str, Json]:
    if address.keys() != Address.__annotations__.keys():
        raise RefusedError(f"an address has {', '.join(Address.__annotations__)}")
    return dict(address)
