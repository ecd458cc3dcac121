"""The two faults of the paper's factorial, both on `get_order_details`, and both persistent: every look shows them.

`status`: a status that no order can have. `conservation`: a payment that does not add up to the items. Only what is shown is
changed; the records and the judge know nothing of it.
"""

import copy
import random
from collections.abc import Callable, Mapping
from decimal import Decimal

from outcome_monitors.model import Json

__all__ = ["FAULTS", "VICTIM", "Fault"]

VICTIM = "get_order_details"
STATUSES = ("archived", "in review", "on hold", "unresolved")
"""Out of the set: neither in the data nor what any tool leaves behind."""

Fault = Callable[[Json, random.Random], Json]


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
"""By stratum."""


def _adds_up(order: Json) -> bool:
    """Say whether net payment is the items' total, to the cent: so it is of every order that is not cancelled."""
    signs = {"payment": 1, "refund": -1}
    paid = sum(signs[each["transaction_type"]] * _cents(each["amount"]) for each in order["payment_history"])
    return paid == sum(_cents(item["price"]) for item in order["items"]) > 0


def _cents(amount: float) -> Decimal:
    return Decimal(repr(amount)).quantize(Decimal("0.01"))
