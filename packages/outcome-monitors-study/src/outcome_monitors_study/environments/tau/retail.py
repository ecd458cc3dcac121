"""The shop as a study needs it: two faults on orders, the visits that contracts are learned from, and a script."""

import copy
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal

from outcome_monitors.model import Json
from outcome_monitors_study.world.agents import Run, Visit

from .checkout import Action
from .records import Tables
from .tools import REASONS, WRITES

Fault = Callable[[Json, random.Random], Json]
Order = dict[str, Json]
Step = tuple[str, dict[str, Json]]
Way = Callable[[Tables, Order, random.Random], Iterator[Step]]

LOOK = "get_order_details"
"""The tool that shows what is to be changed: faults are put on what it shows."""

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
"""By stratum. They persist: every look shows them. Records and judge know nothing of them."""


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


def clerk(plan: Sequence[Action], visit: Visit) -> Run:
    """Carry a task's own actions out, as a script that can't read a request.

    It looks at an order before it changes it, as the policy says, and leaves it alone where what it sees does not allow the change.
    Where nothing comes without a receipt it relies on nothing: the change is tried, and the shop itself says whether it is allowed.
    """
    shown: dict[str, Json] = {}

    def look(tool: str, arguments: Mapping[str, Json]) -> None:
        found = visit.call(tool, arguments) if tool in WRITES else visit.checked(tool, arguments)
        if tool == LOOK:
            shown[str(arguments.get("order_id"))] = found

    def allowed(tool: str, order_id: str | None) -> bool:
        if order_id is None:
            return True
        if order_id not in shown:
            look(LOOK, {"order_id": order_id})
        order = shown[order_id]
        status = order.get("status") if isinstance(order, dict) else None
        wanted = "pending" if "pending" in tool else "delivered"
        return not isinstance(status, str) or status.startswith(wanted)

    for tool, arguments in plan:
        order_id = arguments.get("order_id")
        if tool in WRITES and not allowed(tool, order_id):
            visit.run.answer[f"{tool} {order_id}"] = {"left alone": True}
        else:
            look(tool, arguments)
    return visit.run
