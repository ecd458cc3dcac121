"""The airline of tau2-bench: its fourteen tools, with the rules and answers of its own, two faults, and a customer's visit.

A call that is refused has changed nothing (`src/tau2/domains/airline/tools.py` there).
"""

import copy
import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, TypedDict, get_args

from outcome_monitors.model import Json

from .domain import Caution, Domain, Records, RefusedError, Step, Tables
from .retail import calculate
from .retail_tools import transfer_to_human_agents

NOW = "2024-05-15T15:00:00"
Cabin = Literal["basic_economy", "business", "economy"]
CABINS = get_args(Cabin)
NEW_RESERVATIONS = ("HATHAT", "HATHAU", "HATHAV")
NEW_CERTIFICATES = ("certificate_3221322", "certificate_3221323", "certificate_3221324")
BAG, INSURANCE = 50, 30
AIRPORTS = (
    "SFO San Francisco, JFK New York, LAX Los Angeles, ORD Chicago, DFW Dallas, DEN Denver, SEA Seattle, ATL Atlanta, MIA Miami,"
    " BOS Boston, PHX Phoenix, IAH Houston, LAS Las Vegas, MCO Orlando, EWR Newark, CLT Charlotte, MSP Minneapolis, DTW Detroit,"
    " PHL Philadelphia, LGA LaGuardia"
)

Record = dict[str, Json]


class Leg(TypedDict):
    """A flight that is wanted."""

    flight_number: str
    date: str


class Passenger(TypedDict):
    """Who flies."""

    first_name: str
    last_name: str
    dob: str


class Payment(TypedDict):
    """What is paid with what."""

    payment_id: str
    amount: int


def get_user_details(shop: Records, user_id: str) -> Json:
    """Show a customer with the ids of all reservations."""
    return _record(shop, "users", user_id, "User")


def get_reservation_details(shop: Records, reservation_id: str) -> Json:
    """Show a reservation."""
    return _shown(_record(shop, "reservations", reservation_id, "Reservation"))


def list_all_airports(_shop: Records) -> Json:
    """List the airports."""
    return [{"iata": each[:3], "city": each[4:]} for each in AIRPORTS.split(", ")]


def search_direct_flight(shop: Records, origin: str, destination: str, date: str) -> Json:
    """Find flights of a day without a stop."""
    return [{**flight, "date": None} for flight in _flights(shop, date, origin, destination)]


def search_onestop_flight(shop: Records, origin: str, destination: str, date: str) -> Json:
    """Find flights of a day with one stop."""
    found: list[Json] = []
    for first in _flights(shop, date, origin, None):
        arrives = first["scheduled_arrival_time_est"]
        then = f"2024-05-{int(date[-2:]) + 1}" if "+1" in arrives else date
        seconds = _flights(shop, then, first["destination"], destination, arrives)
        found += [[{**first, "date": date}, {**second, "date": then}] for second in seconds]
    return found


def get_flight_status(shop: Records, flight_number: str, date: str) -> Json:
    """Say how a flight stands."""
    return _day(shop, flight_number, date)["status"]


def book_reservation(
    shop: Records,
    user_id: str,
    origin: str,
    destination: str,
    flight_type: Literal["one_way", "round_trip"],
    cabin: Cabin,
    flights: list[Leg],
    passengers: list[Passenger],
    payment_methods: list[Payment],
    total_baggages: int,
    nonfree_baggages: int,
    insurance: Literal["yes", "no"],
) -> Json:
    """Book flights, once the customer has confirmed."""
    user = _record(shop, "users", user_id, "User")
    name = next((each for each in NEW_RESERVATIONS if shop.find("reservations", each) is None), None)
    if name is None:
        raise RefusedError("Too many reservations")
    legs = [_leg(shop, each, cabin, len(passengers)) for each in flights]
    price = sum(leg["price"] for leg in legs) * len(passengers) + BAG * nonfree_baggages
    price += INSURANCE * len(passengers) if insurance == "yes" else 0
    paid = [{"payment_id": each["payment_id"], "amount": each["amount"]} for each in payment_methods]
    _refuse_payments(user, paid, price)
    _pay(shop.record("users", user_id), paid)
    for leg in legs:
        day = shop.record("flights", leg["flight_number"])["dates"][leg["date"]]
        day["available_seats"][cabin] -= len(passengers)
    reservation: Record = {
        "reservation_id": name,
        "user_id": user_id,
        "origin": origin,
        "destination": destination,
        "flight_type": flight_type,
        "cabin": cabin,
        "flights": legs,
        "passengers": _named(passengers),
        "payment_history": paid,
        "created_at": NOW,
        "total_baggages": total_baggages,
        "nonfree_baggages": nonfree_baggages,
        "insurance": insurance,
    }
    shop.add("reservations", name, reservation)
    shop.record("users", user_id)["reservations"].append(name)
    return _shown(reservation)


def cancel_reservation(shop: Records, reservation_id: str) -> Json:
    """Cancel a reservation, after confirmation."""
    _record(shop, "reservations", reservation_id, "Reservation")
    reservation = shop.record("reservations", reservation_id)
    reservation["payment_history"] += [
        {**payment, "amount": -payment["amount"]} for payment in reservation["payment_history"]
    ]
    reservation["status"] = "cancelled"
    return _shown(reservation)


def send_certificate(shop: Records, user_id: str, amount: int) -> Json:
    """Give a customer a certificate."""
    user = _record(shop, "users", user_id, "User")
    name = next((each for each in NEW_CERTIFICATES if each not in user["payment_methods"]), None)
    if name is None:
        raise RefusedError("Too many certificates")
    certificate = {"source": "certificate", "id": name, "amount": float(amount)}
    shop.record("users", user_id)["payment_methods"][name] = certificate
    return f"Certificate {name} added to user {user_id} with amount {amount}."


def update_reservation_baggages(
    shop: Records, reservation_id: str, total_baggages: int, nonfree_baggages: int, payment_id: str
) -> Json:
    """Change the bags of a reservation, after confirmation."""
    before = _record(shop, "reservations", reservation_id, "Reservation")
    paid = _charged(shop, before, payment_id, BAG * max(0, nonfree_baggages - before["nonfree_baggages"]))
    reservation = shop.record("reservations", reservation_id)
    reservation["payment_history"] += paid
    reservation |= {"total_baggages": total_baggages, "nonfree_baggages": nonfree_baggages}
    return _shown(reservation)


def update_reservation_flights(
    shop: Records, reservation_id: str, cabin: Cabin, flights: list[Leg], payment_id: str
) -> Json:
    """Change all flights or the cabin of a reservation, after confirmation."""
    before = _record(shop, "reservations", reservation_id, "Reservation")
    people = len(before["passengers"])
    kept = {(leg["flight_number"], leg["date"]): leg for leg in before["flights"] if cabin == before["cabin"]}
    legs = [
        kept.get((each["flight_number"], each["date"])) or _leg(shop, each, cabin, people) for each in flights
    ]
    price = (sum(leg["price"] for leg in legs) - sum(leg["price"] for leg in before["flights"])) * people
    paid = _charged(shop, before, payment_id, price)
    reservation = shop.record("reservations", reservation_id)
    reservation["payment_history"] += paid
    reservation |= {"flights": legs, "cabin": cabin}
    return _shown(reservation)


def update_reservation_passengers(shop: Records, reservation_id: str, passengers: list[Passenger]) -> Json:
    """Change who flies, after confirmation."""
    before = _record(shop, "reservations", reservation_id, "Reservation")
    if len(passengers) != len(before["passengers"]):
        raise RefusedError("Number of passengers does not match")
    named = _named(passengers)
    reservation = shop.record("reservations", reservation_id)
    reservation["passengers"] = named
    return _shown(reservation)


AIRLINE_LOOKUPS = (
    get_user_details,
    get_reservation_details,
    list_all_airports,
    search_direct_flight,
    search_onestop_flight,
    get_flight_status,
    transfer_to_human_agents,
)
AIRLINE_CHANGES = (
    book_reservation,
    cancel_reservation,
    send_certificate,
    update_reservation_baggages,
    update_reservation_flights,
    update_reservation_passengers,
)


def _record(shop: Records, table: str, name: str, what: str) -> Record:
    record = shop.find(table, name)
    if record is None:
        raise RefusedError(f"{what} {name} not found")
    return record


def _shown(reservation: Record) -> Record:
    """Return a reservation with the field that those have not which stand."""
    return {"status": None, **reservation}


def _day(shop: Records, flight_number: str, date: str) -> Record:
    days: Record = _record(shop, "flights", flight_number, "Flight")["dates"]
    if date not in days:
        raise RefusedError(f"Flight {flight_number} not found on date {date}")
    return dict(days[date])


def _flights(
    shop: Records, date: str, origin: str, destination: str | None, after: str = ""
) -> Iterator[dict[str, Json]]:
    for name in shop.names("flights"):
        flight = shop.find("flights", name) or {}
        day = flight["dates"].get(date, {})
        if (
            flight["origin"] == origin
            and destination in {None, flight["destination"]}
            and day.get("status") == "available"
            and flight["scheduled_departure_time_est"] >= after
        ):
            yield {**{key: value for key, value in flight.items() if key != "dates"}, **day}


def _leg(shop: Records, wanted: Mapping[str, Json], cabin: str, people: int) -> Record:
    """Return a flight as a reservation has it; refuse where it is not there or full."""
    name, date = wanted["flight_number"], wanted["date"]
    flight = _record(shop, "flights", name, "Flight")
    day = _day(shop, name, date)
    if day["status"] != "available":
        raise RefusedError(f"Flight {name} not available on date {date}")
    if day["available_seats"][cabin] < people:
        raise RefusedError(f"Not enough seats on flight {name}")
    ends = {"origin": flight["origin"], "destination": flight["destination"]}
    return {"flight_number": name, **ends, "date": date, "price": day["prices"][cabin]}


def _named(passengers: Sequence[Passenger]) -> list[Json]:
    return [{key: each[key] for key in ("first_name", "last_name", "dob")} for each in passengers]


def _refuse_payments(user: Record, paid: Sequence[Record], price: int) -> None:
    for each in paid:
        method = user["payment_methods"].get(each["payment_id"])
        if method is None:
            raise RefusedError(f"Payment method {each['payment_id']} not found")
        if method["source"] != "credit_card" and method["amount"] < each["amount"]:
            raise RefusedError(f"Not enough balance in payment method {each['payment_id']}")
    total = sum(each["amount"] for each in paid)
    if total != price:
        raise RefusedError(f"Payment amount does not add up, total price is {price}, but paid {total}")


def _pay(user: Record, paid: Sequence[Record]) -> None:
    """Take payments off gift cards; a certificate is used up."""
    for each in paid:
        method = user["payment_methods"][each["payment_id"]]
        if method["source"] == "gift_card":
            method["amount"] -= each["amount"]
        elif method["source"] == "certificate":
            del user["payment_methods"][each["payment_id"]]


def _charged(shop: Records, reservation: Record, payment_id: str, price: int) -> list[Json]:
    """Take what a change costs, and return what goes into the reservation's history."""
    user = _record(shop, "users", reservation["user_id"], "User")
    method = user["payment_methods"].get(payment_id)
    if method is None:
        raise RefusedError("Payment method not found")
    if method["source"] == "certificate":
        raise RefusedError("Certificate cannot be used to update reservation")
    if method["source"] == "gift_card":
        if method["amount"] < price:
            raise RefusedError("Gift card balance is not enough")
        shop.record("users", reservation["user_id"])["payment_methods"][payment_id]["amount"] -= price
    return [{"payment_id": payment_id, "amount": price}] if price else []


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
