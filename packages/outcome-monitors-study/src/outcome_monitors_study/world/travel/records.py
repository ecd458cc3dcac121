"""Flights, hotels and bookings."""

import random
from datetime import date as calendar_day

from outcome_monitors_study.world.data import vocabulary
from outcome_monitors_study.world.draws import CITIES, generator, numbered, person, shift
from outcome_monitors_study.world.state import TODAY, Record, Refused, State, Tables

__all__ = ["CABINS", "arrives", "fare", "nightly", "nights_between", "seats_left", "tables"]

_WORDS = vocabulary("travel")
CABINS = _WORDS["cabins"]
"""Each cabin's fare, in per cent of the cheapest one's."""


def tables(seed: int) -> Tables:
    """Make the travel tables."""
    rng = generator(seed, "travel")
    flights = _flights(rng)
    hotels = {
        key: {
            "name": f"{rng.choice(_WORDS['hotel_words'])} {rng.choice(_WORDS['hotel_kinds'])}",
            "city": rng.choice(CITIES).name,
            "stars": rng.randint(2, 5),
            "rate": rng.randint(5500, 32_000),
            "breakfast": rng.random() < 0.6,
        }
        for key in numbered(rng, "HTL", 72, 100)
    }
    bookings = {
        key: (_ticket if rng.random() < 0.6 else _stay)(rng, flights, hotels)
        for key in numbered(rng, "BKG", 90, 30_000)
    }
    return {"flights": flights, "hotels": hotels, "bookings": bookings}


def _flights(rng: random.Random) -> dict[str, Record]:
    routes = [(a.code, b.code) for a in CITIES for b in CITIES if a.region != b.region]
    numbers = numbered(rng, "VA", 3 * len(routes), 100)
    return {
        next(numbers): {
            "origin": origin,
            "destination": destination,
            "departs": f"{hour:02d}:{rng.randrange(0, 60, 5):02d}",
            "minutes": rng.randint(70, 420),
            "fare": rng.randint(6500, 42_000),
            "seats": rng.choice((90, 132, 180)),
        }
        for origin, destination in routes
        for hour in sorted(rng.sample(range(6, 16), 3))
    }


def _ticket(rng: random.Random, flights: dict[str, Record], hotels: dict[str, Record]) -> Record:
    del hotels
    name, _ = person(rng, set())
    flight = rng.choice(list(flights))
    cabin = rng.choice(list(CABINS))
    return {
        "kind": "flight",
        "status": rng.choice(("confirmed", "confirmed", "cancelled")),
        "traveller": name,
        "flight": flight,
        "date": shift(TODAY, rng.randint(2, 60)),
        "cabin": cabin,
        "price": flights[flight]["fare"] * CABINS[cabin] // 100,
    }


def _stay(rng: random.Random, flights: dict[str, Record], hotels: dict[str, Record]) -> Record:
    del flights
    name, _ = person(rng, set())
    hotel, nights = rng.choice(list(hotels)), rng.randint(1, 6)
    arrival = shift(TODAY, rng.randint(2, 60))
    return {
        "kind": "hotel",
        "status": rng.choice(("confirmed", "confirmed", "cancelled")),
        "traveller": name,
        "hotel": hotel,
        "date": arrival,
        "until": shift(arrival, nights),
        "price": hotels[hotel]["rate"] * nights,
    }


def arrives(flight: Record) -> str:
    """Return when a flight lands, by the clock of the place it left; none flies past midnight."""
    hour, minute = map(int, flight["departs"].split(":"))
    landed = 60 * hour + minute + flight["minutes"]
    return f"{landed // 60:02d}:{landed % 60:02d}"


def nights_between(arrival: str, leaving: str) -> int:
    """Return how many nights a stay has, or refuse the call."""
    nights = (calendar_day.fromisoformat(leaving) - calendar_day.fromisoformat(arrival)).days
    if not 1 <= nights <= 60:
        raise Refused("A stay has between 1 and 60 nights.")
    return nights


def fare(state: State, flight: str, date: str, cabin: str) -> int:
    """Return what a seat costs on a day, in cents."""
    swing = 80 + round(60 * state.noise("fare", flight, date))
    return int(state["flights"].get(flight)["fare"] * swing * CABINS[cabin] // 10_000)


def nightly(state: State, hotel: str, arrival: str) -> int:
    """Return what a night costs for stays that begin on a day, in cents."""
    return int(
        state["hotels"].get(hotel)["rate"] * (85 + round(50 * state.noise("rate", hotel, arrival))) // 100
    )


def seats_left(state: State, flight: str, date: str) -> int:
    """Return how many seats are free: what others took is drawn, what was booked here is counted."""
    seats = int(state["flights"].get(flight)["seats"])
    booked = [
        booking
        for _, booking in state["bookings"].items()
        if booking["kind"] == "flight"
        and booking["status"] == "confirmed"
        and (booking["flight"], booking["date"]) == (flight, date)
    ]
    return seats - int(seats * 0.9 * state.noise("taken", flight, date)) - len(booked)
