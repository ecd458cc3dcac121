"""Clean traffic to learn from: a walk through the public records with the tools themselves.

Nobody's request is read for it, and no solution: each customer is looked up with all orders, something is done to each order that
the shop allows, and the order is looked at again. Customers of the tasks under study are left out.
"""

import random
from collections.abc import Callable, Iterable, Iterator, Mapping

from outcome_monitors.contracts.registry import Registry
from outcome_monitors.contracts.sources.database import from_records
from outcome_monitors.mining.observations import mine
from outcome_monitors.model import Call, Json, Profile
from outcome_monitors.traces.reader import read_traces

from ._changes import REASONS
from ._shop import Shop, Tables
from ._tools import call_tool, failed

__all__ = ["Visit", "contracts_of", "orders_as_shown", "shop_visit", "walk", "with_recorded"]

MOST_CUSTOMERS = 160
"""More add time and no clause."""

Order = dict[str, Json]
Step = tuple[str, dict[str, Json]]
Visit = Callable[[Tables, str, random.Random], Iterator[Step]]
"""What is done for a customer."""
Calling = Callable[[Shop, str, Mapping[str, Json]], Json]
Way = Callable[[Tables, Order, random.Random], Iterator[Step]]


def walk(
    tables: Tables, without: frozenset[str], visit: Visit | None = None, call: Calling = call_tool
) -> Iterator[Call]:
    """Yield the calls of a visit of each customer but these; what is done is drawn, always the same."""
    steps = shop_visit if visit is None else visit
    for name in [name for name in tables["users"] if name not in without][:MOST_CUSTOMERS]:
        shop, place = Shop(tables), f"visit/{name}"
        for tool, arguments in steps(tables, name, random.Random(name)):  # noqa: S311 - made-up requests, not secrets
            result = call(shop, tool, arguments)
            if not failed(result):
                yield Call(tool, arguments, result, task=place, session=place)


def with_recorded(walked: Iterable[Call], traces: str, without: frozenset[str]) -> Iterator[Call]:
    """Yield a walk's calls, and recorded runs of other tasks than these where there are any."""
    yield from walked
    if traces:
        yield from (call for call in read_traces([traces]) if call.task not in without)


def contracts_of(
    calls: Iterable[Call], records: list[Json], look: str, source: str, profile: Profile
) -> Registry:
    """Return what calls show, and what holds of all records that a tool looks at."""
    accepted = from_records(records, look, source).accepted
    return mine(calls, profile).merge(Registry({contract.tool: contract for contract in accepted}, profile))


def orders_as_shown(
    tables: Tables, without: frozenset[str], calls: Iterable[Call], table: str = "orders"
) -> list[Json]:
    """Return all orders but these customers', and how the walk's changes leave them."""
    before = [order for order in tables[table].values() if order["user_id"] not in without]
    after = [
        call.result for call in calls if isinstance(call.result, dict) and "payment_history" in call.result
    ]
    return [*before, *after]


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
