"""The shop as a study needs it: two faults on orders, and a script."""

import copy
import random
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal

from outcome_monitors.model import Json
from outcome_monitors_study.world.agents import Run, Visit

from .checkout import Action

Fault = Callable[[Json, random.Random], Json]

LOOK = "get_order_details"
"""The tool that shows what is to be changed: faults are put on what it shows."""

REPEATABLE = frozenset({"modify_pending_order_address", "modify_user_address"})
"""The writes that change nothing more when they are called again."""
WRITES = REPEATABLE | {
    "cancel_pending_order",
    "exchange_delivered_order_items",
    "modify_pending_order_items",
    "modify_pending_order_payment",
    "return_delivered_order_items",
}

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
