"""The airline of tau2-bench: what its tools take, two faults on reservations, and a customer's visit."""

import copy
import random
from collections.abc import Iterator, Mapping

from outcome_monitors.model import Json

from .airline_tools import AIRLINE_CHANGES, AIRLINE_LOOKUPS, CABINS
from .domain import Caution, Domain, Step, Tables
from .retail import calculate

Reservation = Mapping[str, Json]
UNSOLD = ("first", "premium", "standby", "suite")
"""Cabins that nobody can have."""


def _price(reservation: Json, rng: random.Random) -> Json:
    """Show one flight at a price below nothing."""
    wrong = copy.deepcopy(reservation)
    leg = rng.choice(wrong["flights"])
    leg["price"] = -leg["price"]
    return wrong


def airline_visit(tables: Tables, name: str, rng: random.Random) -> Iterator[Step]:
    """Yield what is done for a customer."""
    user = tables["users"][name]
    yield "get_user_details", {"user_id": name}
    yield "list_all_airports", {}
    for each in user["reservations"]:
        if each in tables["reservations"]:
            yield from _about(tables["reservations"][each], user, rng)
    if rng.random() < 0.3:
        yield "send_certificate", {"user_id": name, "amount": rng.choice((50, 100, 150))}


def _about(reservation: Reservation, user: Reservation, rng: random.Random) -> Iterator[Step]:
    look: Step = ("get_reservation_details", {"reservation_id": reservation["reservation_id"]})
    leg = rng.choice(reservation["flights"])
    ends = {"origin": leg["origin"], "destination": leg["destination"], "date": leg["date"]}
    yield look
    yield "get_flight_status", {"flight_number": leg["flight_number"], "date": leg["date"]}
    yield rng.choice(("search_direct_flight", "search_onestop_flight")), ends
    # Cancelled last, if at all: nothing is done to what is cancelled.
    for way in sorted(rng.sample(_WAYS, rng.randint(1, 2)), key=_WAYS.index):
        yield way(reservation, user, rng)
        yield look


def _cancel(reservation: Reservation, _user: Reservation, _rng: random.Random) -> Step:
    return "cancel_reservation", {"reservation_id": reservation["reservation_id"]}


def _bags(reservation: Reservation, user: Reservation, rng: random.Random) -> Step:
    more = rng.randint(1, 2)
    free = rng.choice((0, more))  # members have some for nothing
    return "update_reservation_baggages", {
        "reservation_id": reservation["reservation_id"],
        "total_baggages": reservation["total_baggages"] + more,
        "nonfree_baggages": reservation["nonfree_baggages"] + more - free,
        "payment_id": _method(user, rng),
    }


def _people(reservation: Reservation, user: Reservation, rng: random.Random) -> Step:
    people = [
        *reservation["passengers"][1:],
        rng.choice(user["saved_passengers"] or reservation["passengers"]),
    ]
    return "update_reservation_passengers", {
        "reservation_id": reservation["reservation_id"],
        "passengers": people,
    }


def _cabin(reservation: Reservation, user: Reservation, rng: random.Random) -> Step:
    legs = [{key: leg[key] for key in ("flight_number", "date")} for leg in reservation["flights"]]
    return "update_reservation_flights", {
        "reservation_id": reservation["reservation_id"],
        "cabin": rng.choice(CABINS),
        "flights": legs,
        "payment_id": _method(user, rng),
    }


_WAYS = (_bags, _people, _cabin, _cancel)


def _method(user: Reservation, rng: random.Random) -> str:
    return str(rng.choice(list(user["payment_methods"])))


AIRLINE = Domain(
    name="airline",
    needed={
        "flights": ("flight_number", "origin", "destination", "scheduled_departure_time_est", "dates"),
        "reservations": ("reservation_id", "user_id", "flights", "cabin", "passengers", "payment_history"),
        "users": ("name", "payment_methods", "reservations", "saved_passengers"),
    },
    tools={tool.__name__: tool for tool in (*AIRLINE_LOOKUPS, calculate, *AIRLINE_CHANGES)},
    faults={
        "cabin": lambda reservation, rng: {**reservation, "cabin": rng.choice(UNSOLD)},
        "price": _price,
        "clean": None,
    },
    caution=Caution(
        frozenset(tool.__name__ for tool in AIRLINE_CHANGES),
        "get_reservation_details",
        "reservation_id",
        lambda _, reservation: reservation.get("cabin") in CABINS,
    ),
    table="reservations",
    visit=airline_visit,
    again=frozenset({"update_reservation_baggages", "update_reservation_passengers"}),
)
