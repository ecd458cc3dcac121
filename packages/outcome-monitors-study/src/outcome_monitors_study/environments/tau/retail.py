"""The retail domain: what the tools take, two faults on orders, a customer's visit, and what tau2-bench changed of it."""

import copy
import random
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from functools import wraps
from typing import Unpack

from outcome_monitors.model import Json

from .domain import Caution, Domain, Fault, Records, RefusedError, Step, Tables
from .retail_tools import (
    CHANGES,
    LOOKUPS,
    REASONS,
    Address,
    calculate as worked_out,
    pay_otherwise,
    send_elsewhere,
)

Order = dict[str, Json]
Way = Callable[[Tables, Order, random.Random], Iterator[Step]]

# The two faults of the paper's factorial, on what `get_order_details` shows.

STATUSES = ("archived", "in review", "on hold", "unresolved")
"""Out of the set: neither in the data nor what any tool leaves behind."""


def _status(order: Json, rng: random.Random) -> Json:
    return {**order, "status": rng.choice(STATUSES)}


def _conservation(order: Json, rng: random.Random) -> Json:
    """Change the first payment by a tenth to a half; an order whose payments do not add up to its items stays as it is."""
    if not _adds_up(order):
        return order
    wrong = copy.deepcopy(order)
    payment = wrong["payment_history"][0]
    payment["amount"] = round(payment["amount"] * (1 + rng.choice((-1, 1)) * rng.uniform(0.1, 0.5)), 2)
    return wrong


FAULTS: Mapping[str, Fault | None] = {"status": _status, "conservation": _conservation, "clean": None}


def _adds_up(order: Json) -> bool:
    """Say whether net payment is the items' total, to the cent: so it is of every order that is not cancelled."""
    signs = {"payment": 1, "refund": -1}
    paid = sum(signs[each["transaction_type"]] * _cents(each["amount"]) for each in order["payment_history"])
    return paid == sum(_cents(item["price"]) for item in order["items"]) > 0


def _cents(amount: float) -> Decimal:
    return Decimal(repr(amount)).quantize(Decimal("0.01"))


# A visit: something is done to each order that the shop allows, and the order is looked at again.


def shop_visit(tables: Tables, name: str, rng: random.Random) -> Iterator[Step]:
    """Yield what is done for a customer of the shop."""
    user = tables["users"][name]
    orders = [tables["orders"][order] for order in user["orders"] if order in tables["orders"]]
    known: list[Step] = [
        ("find_user_id_by_email", {"email": user["email"]}),
        ("find_user_id_by_name_zip", {**user["name"], "zip": user["address"]["zip"]}),
    ]
    elsewhere = rng.choice([each["address"] for each in (*orders, user)])
    yield rng.choice(known)
    yield "get_user_details", {"user_id": name}
    yield "list_all_product_types", {}
    for order in orders:
        yield from _about(tables, order, rng)
    yield "modify_user_address", {"user_id": name, **elsewhere}


def _about(tables: Tables, order: Order, rng: random.Random) -> Iterator[Step]:
    look: Step = ("get_order_details", {"order_id": order["order_id"]})
    yield look
    yield "get_product_details", {"product_id": rng.choice(order["items"])["product_id"]}
    prices = [str(item["price"]) for item in order["items"]]
    yield "calculate", {"expression": rng.choice((" + ", " - ")).join(prices)}
    ways = _WAYS.get(order["status"], ())
    if ways:
        yield from rng.choice(ways)(tables, order, rng)
        yield look


def _cancel(_tables: Tables, order: Order, rng: random.Random) -> Iterator[Step]:
    yield "cancel_pending_order", {"order_id": order["order_id"], "reason": rng.choice(REASONS)}


def _send_elsewhere(tables: Tables, order: Order, rng: random.Random) -> Iterator[Step]:
    address = rng.choice(list(tables["users"].values()))["address"]
    yield "modify_pending_order_address", {"order_id": order["order_id"], **address}


def _pay_otherwise(tables: Tables, order: Order, rng: random.Random) -> Iterator[Step]:
    method = _some_method(tables, order, rng)
    yield "modify_pending_order_payment", {"order_id": order["order_id"], "payment_method_id": method}


def _swap(tool: str) -> Way:
    def swap(tables: Tables, order: Order, rng: random.Random) -> Iterator[Step]:
        items = _some_items(order, rng)
        yield (
            tool,
            {
                "order_id": order["order_id"],
                "item_ids": [item["item_id"] for item in items],
                "new_item_ids": [
                    rng.choice(list(tables["products"][item["product_id"]]["variants"])) for item in items
                ],
                "payment_method_id": _some_method(tables, order, rng),
            },
        )

    return swap


def _give_back(tables: Tables, order: Order, rng: random.Random) -> Iterator[Step]:
    yield (
        "return_delivered_order_items",
        {
            "order_id": order["order_id"],
            "item_ids": [item["item_id"] for item in _some_items(order, rng)],
            "payment_method_id": _some_method(tables, order, rng),
        },
    )


_WAYS: dict[str, tuple[Way, ...]] = {
    "pending": (_cancel, _swap("modify_pending_order_items"), _send_elsewhere, _pay_otherwise),
    "delivered": (_give_back, _swap("exchange_delivered_order_items")),
}
"""What the shop allows, by status."""


def _some_items(order: Order, rng: random.Random) -> list[Json]:
    return rng.sample(order["items"], rng.randint(1, len(order["items"])))


def _some_method(tables: Tables, order: Order, rng: random.Random) -> str:
    methods: list[str] = list(tables["users"][order["user_id"]]["payment_methods"])
    return rng.choice(methods)


# What is another in tau2-bench.

_UNSET = (
    "cancel_reason",
    "exchange_items",
    "exchange_new_items",
    "exchange_payment_method_id",
    "exchange_price_difference",
    "return_items",
    "return_payment_method_id",
)
"""Fields that every order shows, set or not."""


def calculate(shop: Records, expression: str) -> Json:
    """Work out an arithmetic expression."""
    return str(worked_out(shop, expression))


def get_item_details(shop: Records, item_id: str) -> Json:
    """Show one variant of a product."""
    for name in shop.names("products"):
        variants: dict[str, Json] = (shop.find("products", name) or {})["variants"]
        if item_id in variants:
            return variants[item_id]
    raise RefusedError("item not found")


def modify_pending_order_address(shop: Records, order_id: str, **address: Unpack[Address]) -> Json:
    """Change the shipping address of a pending order, after confirmation."""
    _pending(shop, order_id)
    return send_elsewhere(shop, order_id, **address)


def modify_pending_order_payment(shop: Records, order_id: str, payment_method_id: str) -> Json:
    """Change the payment method of a pending order, after confirmation."""
    return pay_otherwise(shop, _pending(shop, order_id), payment_method_id)


def _pending(shop: Records, order_id: str) -> dict[str, Json]:
    order = shop.find("orders", order_id)
    if order is None:
        raise RefusedError("order not found")
    if "pending" not in order["status"]:
        raise RefusedError("non-pending order cannot be modified")
    return order


def _whole(tool: Callable[..., Json]) -> Callable[..., Json]:
    """Show all fields of an order."""

    @wraps(tool)
    def shown(shop: Records, **arguments: Json) -> Json:
        result = tool(shop, **arguments)
        is_order = isinstance(result, dict) and "payment_history" in result
        return {**dict.fromkeys(_UNSET), **result} if is_order else result

    return shown


def _status_allows(tool: str, order: Mapping[str, Json]) -> bool:
    status = order.get("status")
    return not isinstance(status, str) or status.startswith("pending" if "pending" in tool else "delivered")


_TOOLS = {tool.__name__: tool for tool in (*LOOKUPS, *CHANGES)}
_OURS = (calculate, get_item_details, modify_pending_order_address, modify_pending_order_payment)
_SHOP = {**_TOOLS, **{tool.__name__: tool for tool in _OURS}}

TAU_RETAIL = Domain(
    name="retail",
    needed={
        "orders": ("order_id", "user_id", "items", "status", "payment_history", "address"),
        "products": ("name", "product_id", "variants"),
        "users": ("name", "address", "email", "payment_methods", "orders"),
    },
    tools=_TOOLS,
    faults=FAULTS,
    caution=Caution(
        frozenset(tool.__name__ for tool in CHANGES), "get_order_details", "order_id", _status_allows
    ),
    table="orders",
    visit=shop_visit,
    again=frozenset({"modify_pending_order_address", "modify_user_address"}),
    capitals=False,
)
RETAIL = TAU_RETAIL._replace(
    tools={name: _whole(tool) for name, tool in _SHOP.items() if name != "think"},
    capitals=True,
)
