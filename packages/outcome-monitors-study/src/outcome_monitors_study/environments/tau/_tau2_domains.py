"""The two domains of tau2-bench that an agent can be alone in: retail and airline, each with its tools, faults and clean traffic.

In the telecom domain the user has tools as well; it is not among them.
"""

import copy
import random
from collections.abc import Callable, Mapping
from typing import NamedTuple

from outcome_monitors.model import Json

from ._airline import AIRLINE_CHANGES, AIRLINE_LOOKUPS, CABINS
from ._airline_walk import airline_visit
from ._changes import CHANGES, RefusedError, pay_otherwise, send_elsewhere
from ._clean import Visit, shop_visit
from ._clerk import SHOP, Caution
from ._faults import FAULTS, Fault
from ._lookups import LOOKUPS, calculate as worked_out
from ._shop import Shop
from ._tools import TAKES, answered

__all__ = ["AIRLINE", "RETAIL", "Tau2Domain"]

Takes = Mapping[str, tuple[str, Mapping[str, Json]]]


class Tau2Domain(NamedTuple):
    """A domain."""

    name: str
    needed: Mapping[str, tuple[str, ...]]
    """The tables, and the fields without which the tools could not do their work."""
    tools: Mapping[str, Callable[..., Json]]
    takes: Takes
    """What each tool takes, in words of our own where a checkout has none."""
    faults: Mapping[str, Fault | None]
    """By stratum."""
    caution: Caution
    table: str
    """Whose records the faults are put on."""
    visit: Visit
    again: frozenset[str] = frozenset()
    """The writes that change nothing more when they are called again."""

    def call(self, shop: Shop, tool: str, arguments: Mapping[str, Json]) -> Json:
        """Call a tool; every failure is a text that begins with `Error`."""
        result = answered(self.tools, shop, tool, arguments)
        if isinstance(result, str) and result.startswith("Error: "):
            return f"Error: {result[7:8].upper()}{result[8:]}"
        return result


# Retail. The tools are tau-bench's but for these.

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


def calculate(shop: Shop, expression: str) -> Json:
    """Return what an expression comes to, as a text."""
    return str(worked_out(shop, expression))


def get_item_details(shop: Shop, item_id: str) -> Json:
    """Return a variant of whatever product."""
    for name in shop.names("products"):
        variants: dict[str, Json] = (shop.find("products", name) or {})["variants"]
        if item_id in variants:
            return variants[item_id]
    raise RefusedError("item not found")


def modify_pending_order_address(shop: Shop, order_id: str, **address: str) -> Json:
    """Send an order elsewhere, if its items were changed before as well."""
    _pending(shop, order_id)
    return send_elsewhere(shop, order_id, **address)


def modify_pending_order_payment(shop: Shop, order_id: str, payment_method_id: str) -> Json:
    """Pay an order by another method, if its items were changed before as well."""
    return pay_otherwise(shop, _pending(shop, order_id), payment_method_id)


def _pending(shop: Shop, order_id: str) -> dict[str, Json]:
    order = shop.find("orders", order_id)
    if order is None:
        raise RefusedError("order not found")
    if "pending" not in order["status"]:
        raise RefusedError("non-pending order cannot be modified")
    return order


def _whole(tool: Callable[..., Json]) -> Callable[..., Json]:
    """Show all fields of an order."""

    def shown(shop: Shop, **arguments: Json) -> Json:
        result = tool(shop, **arguments)
        is_order = isinstance(result, dict) and "payment_history" in result
        return {**dict.fromkeys(_UNSET), **result} if is_order else result

    return shown


_OURS = (calculate, get_item_details, modify_pending_order_address, modify_pending_order_payment)
_SHOP = {tool.__name__: tool for tool in (*LOOKUPS, *CHANGES, *_OURS) if tool.__name__ != "think"}
_TEXT = {"type": "string"}

RETAIL = Tau2Domain(
    name="retail",
    needed={
        "orders": ("order_id", "user_id", "items", "status", "payment_history", "address"),
        "products": ("name", "product_id", "variants"),
        "users": ("name", "address", "email", "payment_methods", "orders"),
    },
    tools={name: _whole(tool) for name, tool in _SHOP.items()},
    takes={**TAKES, "get_item_details": ("Show one variant of a product.", {"item_id": _TEXT})},
    faults=FAULTS,
    caution=SHOP,
    table="orders",
    visit=shop_visit,
    again=frozenset({"modify_pending_order_address", "modify_user_address"}),
)


# Airline.

_NUMBER = {"type": "integer"}
_CABIN = {"type": "string", "enum": list(CABINS)}


def _list(**fields: Json) -> Json:
    item = {"type": "object", "properties": fields, "required": list(fields)}
    return {"type": "array", "items": item}


_ROUTE = {"origin": _TEXT, "destination": _TEXT}
_LEGS = _list(flight_number=_TEXT, date=_TEXT)
_PEOPLE = _list(first_name=_TEXT, last_name=_TEXT, dob=_TEXT)
_BAGS = {"total_baggages": _NUMBER, "nonfree_baggages": _NUMBER}
_RESERVATION = {"reservation_id": _TEXT}

_AIRLINE_TAKES: Takes = {
    "get_user_details": ("Show a customer with the ids of all reservations.", {"user_id": _TEXT}),
    "get_reservation_details": ("Show a reservation.", _RESERVATION),
    "list_all_airports": ("List the airports.", {}),
    "search_direct_flight": ("Find flights of a day without a stop.", {**_ROUTE, "date": _TEXT}),
    "search_onestop_flight": ("Find flights of a day with one stop.", {**_ROUTE, "date": _TEXT}),
    "get_flight_status": ("Say how a flight stands.", {"flight_number": _TEXT, "date": _TEXT}),
    "calculate": TAKES["calculate"],
    "transfer_to_human_agents": TAKES["transfer_to_human_agents"],
    "book_reservation": (
        "Book flights, once the customer has confirmed.",
        {
            "user_id": _TEXT,
            **_ROUTE,
            "flight_type": {"type": "string", "enum": ["one_way", "round_trip"]},
            "cabin": _CABIN,
            "flights": _LEGS,
            "passengers": _PEOPLE,
            "payment_methods": _list(payment_id=_TEXT, amount=_NUMBER),
            **_BAGS,
            "insurance": {"type": "string", "enum": ["yes", "no"]},
        },
    ),
    "cancel_reservation": ("Cancel a reservation, after confirmation.", _RESERVATION),
    "send_certificate": ("Give a customer a certificate.", {"user_id": _TEXT, "amount": _NUMBER}),
    "update_reservation_baggages": (
        "Change the bags of a reservation, after confirmation.",
        {**_RESERVATION, **_BAGS, "payment_id": _TEXT},
    ),
    "update_reservation_flights": (
        "Change all flights or the cabin of a reservation, after confirmation.",
        {**_RESERVATION, "cabin": _CABIN, "flights": _LEGS, "payment_id": _TEXT},
    ),
    "update_reservation_passengers": (
        "Change who flies, after confirmation.",
        {**_RESERVATION, "passengers": _PEOPLE},
    ),
}
UNSOLD = ("first", "premium", "standby", "suite")
"""Cabins that nobody can have."""


def _cabin(reservation: Json, rng: random.Random) -> Json:
    return {**reservation, "cabin": rng.choice(UNSOLD)}


def _price(reservation: Json, rng: random.Random) -> Json:
    """Show one flight at a price below nothing."""
    wrong = copy.deepcopy(reservation)
    leg = rng.choice(wrong["flights"])
    leg["price"] = -leg["price"]
    return wrong


def _cabin_is_sold(_tool: str, reservation: Mapping[str, Json]) -> bool:
    return reservation.get("cabin") in CABINS


AIRLINE = Tau2Domain(
    name="airline",
    needed={
        "flights": ("flight_number", "origin", "destination", "scheduled_departure_time_est", "dates"),
        "reservations": ("reservation_id", "user_id", "flights", "cabin", "passengers", "payment_history"),
        "users": ("name", "payment_methods", "reservations", "saved_passengers"),
    },
    tools={tool.__name__: tool for tool in (*AIRLINE_LOOKUPS, calculate, *AIRLINE_CHANGES)},
    takes=_AIRLINE_TAKES,
    faults={"cabin": _cabin, "price": _price, "clean": None},
    caution=Caution(
        frozenset(tool.__name__ for tool in AIRLINE_CHANGES),
        "get_reservation_details",
        "reservation_id",
        _cabin_is_sold,
    ),
    table="reservations",
    visit=airline_visit,
    again=frozenset({"update_reservation_baggages", "update_reservation_passengers"}),
)
