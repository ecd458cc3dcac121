"""Clean traffic of the airline to learn from: a walk through the public records with the tools themselves.

Nobody's request is read for it, and no solution: each customer is looked up with all reservations, something is done to each that
the airline allows, and it is looked at again. Customers of the tasks under study are left out.
"""

import random
from collections.abc import Iterator, Mapping

from outcome_monitors.model import Json

from ._airline import CABINS
from ._shop import Tables

__all__ = ["airline_visit"]

Reservation = Mapping[str, Json]
Step = tuple[str, dict[str, Json]]


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
