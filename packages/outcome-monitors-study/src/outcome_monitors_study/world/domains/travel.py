"""Flights and fares, hotels, weather, bookings."""
# ruff: noqa: D103 - what a tool does is said in tools.json

import random
from datetime import date as calendar_day

from outcome_monitors_study.world.records import (
    CITIES,
    City,
    cents,
    generator,
    numbered,
    person,
    shift,
    units,
    vocabulary,
)
from outcome_monitors_study.world.state import TODAY, Record, Refused, State, Tables

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
        key: (_first_ticket if rng.random() < 0.6 else _first_stay)(rng, flights, hotels)
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


def _first_ticket(rng: random.Random, flights: dict[str, Record], hotels: dict[str, Record]) -> Record:
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


def _first_stay(rng: random.Random, flights: dict[str, Record], hotels: dict[str, Record]) -> Record:
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


def _city(name: str) -> City:
    found = next((city for city in CITIES if city.name.lower() == name.lower()), None)
    if found is None:
        raise Refused(f"There is no city {name}.", "not_found")
    return found


def _route(state: State, origin: str, destination: str) -> list[tuple[str, Record]]:
    return [
        (key, flight)
        for key, flight in state["flights"].items()
        if flight["origin"] == origin and flight["destination"] == destination
    ]


def find_airport(state: State, city: str) -> Record:
    del state
    found = _city(city)
    name = {"airport_code": found.code, "airport_name": f"{found.name} Airport"}
    return {**name, "region": found.region, "utc_offset_hours": found.utc_offset}


def place_codes(state: State, place: str) -> Record:
    del state
    found = _city(place)
    codes = [{"iata": found.code, "kind": "airport"}]
    return {"codes": codes, "area": found.region, "zone": f"UTC{found.utc_offset:+d}"}


def search_flights(state: State, origin: str, destination: str, date: str, cabin: str, limit: int) -> Record:
    found = [
        {
            "flight_number": key,
            "departs": flight["departs"],
            "arrives": arrives(flight),
            "duration_minutes": flight["minutes"],
            "fare": units(fare(state, key, date, cabin)),
            "seats_left": seats_left(state, key, date),
        }
        for key, flight in _route(state, origin, destination)
    ]
    found.sort(key=lambda row: (row["fare"], row["flight_number"]))
    cheapest = found[0]["fare"] if found else None
    return {"total_found": len(found), "flights": found[:limit], "cheapest_fare": cheapest}


def route_schedule(state: State, start: str, end: str) -> Record:
    services = [
        {"flight": key, "leaves": flight["departs"], "lands": arrives(flight)}
        for key, flight in _route(state, start, end)
    ]
    return {"leg": {"start": start, "end": end}, "services": services}


def quote_fares(state: State, flights: list[str], day: str, travel_class: str) -> Record:
    quotes = {
        key: {"fare_cents": fare(state, key, day, travel_class), "seats": seats_left(state, key, day)}
        for key in flights
    }
    best = min(quotes, key=lambda key: (quotes[key]["fare_cents"], key))
    return {"quotes": quotes, "best": {"flight": best, "fare_cents": quotes[best]["fare_cents"]}}


def _status(state: State, flight: str, date: str) -> tuple[str, int]:
    draw = state.noise("delay", flight, date)
    return ("on_time", 0) if draw < 0.7 else ("delayed", 10 + int(draw * 100) // 5 * 5)


def _gate(state: State, flight: str, date: str) -> str:
    return f"{'ABCD'[int(4 * state.noise('pier', flight))]}{1 + int(30 * state.noise('gate', flight, date))}"


def flight_status(state: State, flight_number: str, date: str) -> Record:
    flight = state["flights"].get(flight_number)
    status, delay = _status(state, flight_number, date)
    return {
        **flight,
        "scheduled": {"departs": flight["departs"], "arrives": arrives(flight)},
        "status": status,
        "delay_minutes": delay,
        "gate": _gate(state, flight_number, date),
    }


def departure_board(state: State, number: str, on: str) -> Record:
    flight = state["flights"].get(number)
    _, delay = _status(state, number, on)
    late = {"punctual": delay == 0, "minutes_late": delay, "stand": _gate(state, number, on)}
    return {"service": {"number": number, "on": on}, **late, "leaves": flight["departs"]}


def search_hotels(
    state: State, city: str, check_in: str, check_out: str, max_nightly: float | None, min_stars: int
) -> Record:
    name, nights = _city(city).name, nights_between(check_in, check_out)
    found = []
    for key, hotel in state["hotels"].items():
        price = nightly(state, key, check_in)
        fits = hotel["city"] == name and hotel["stars"] >= min_stars
        if fits and (max_nightly is None or price <= cents(max_nightly)):
            costs = {"nightly": units(price), "total": units(price * nights)}
            found.append({**hotel, **costs, "hotel_id": key})
    found.sort(key=lambda row: (row["nightly"], row["hotel_id"]))
    return {"nights": nights, "total_found": len(found), "hotels": found}


def _weather(state: State, city: City, date: str) -> tuple[int, int, str, int]:
    high = city.warmth + round(8 * state.noise("high", city.code, date)) - 2
    low = high - 3 - round(6 * state.noise("low", city.code, date))
    skies = _WORDS["skies"]
    sky = skies[int(len(skies) * state.noise("sky", city.code, date))]
    return high, low, sky, 20 + round(75 * state.noise("wet", city.code, date))


def weather_forecast(state: State, city: str, date: str) -> Record:
    high, low, sky, humidity = _weather(state, _city(city), date)
    heat = {"high_celsius": high, "low_celsius": low}
    return {**heat, "condition": sky, "humidity_percent": humidity}


def climate_outlook(state: State, place: str, on: str) -> Record:
    high, low, sky, humidity = _weather(state, _city(place), on)
    heat = {"max": round(high * 1.8 + 32, 1), "min": round(low * 1.8 + 32, 1)}
    return {"outlook": {"sky": sky.title(), "humidity": humidity / 100}, "fahrenheit": heat}


def _seat(state: State, flight: str, date: str) -> None:
    if seats_left(state, flight, date) < 1:
        raise Refused(f"Flight {flight} is full on {date}.", "conflict")


def _ticket(state: State, flight: str, date: str, traveller: str, cabin: str) -> tuple[str, int]:
    _seat(state, flight, date)
    price = fare(state, flight, date, cabin)
    booking = {"kind": "flight", "status": "confirmed", "traveller": traveller, "flight": flight}
    return state["bookings"].add({**booking, "date": date, "cabin": cabin, "price": price}), price


def _stay(state: State, hotel: str, arrival: str, leaving: str, guest: str) -> tuple[str, int, int]:
    nights = nights_between(arrival, leaving)
    price = nightly(state, hotel, arrival) * nights
    booking = {"kind": "hotel", "status": "confirmed", "traveller": guest, "hotel": hotel}
    key = state["bookings"].add({**booking, "date": arrival, "until": leaving, "price": price})
    return key, price, nights


def get_booking(state: State, booking_id: str) -> Record:
    booking = state["bookings"].get(booking_id)
    flight = booking["kind"] == "flight"
    price = units(booking["price"])
    return {
        **booking,
        "start_date": booking["date"],
        "end_date": booking["date"] if flight else booking["until"],
        "item": {"code": booking["flight" if flight else "hotel"], "detail": booking.get("cabin")},
        "price": price,
        "refund": price if booking["status"] == "cancelled" else None,
    }


def retrieve_reservation(state: State, locator: str) -> Record:
    booking = state["bookings"].get(locator)
    flight = booking["kind"] == "flight"
    segment = {"type": booking["kind"], "supplier_ref": booking["flight" if flight else "hotel"]}
    return {
        "holder": booking["traveller"],
        "state": "HK" if booking["status"] == "confirmed" else "XX",
        "segment": {**segment, "begins": booking["date"], "ends": booking["date" if flight else "until"]},
        "amount_cents": booking["price"],
    }


def book_flight(state: State, flight_number: str, date: str, passenger: str, cabin: str) -> Record:
    key, price = _ticket(state, flight_number, date, passenger, cabin)
    return {"booking_id": key, "status": "confirmed", "price": units(price)}


def issue_ticket(state: State, flight: str, on: str, holder: str, travel_class: str) -> Record:
    key, price = _ticket(state, flight, on, holder, travel_class)
    return {"ticket": {"locator": key, "flight": flight, "on": on, "holder": holder}, "charged_cents": price}


def rebook_flight(state: State, booking_id: str, flight_number: str, date: str) -> Record:
    old = state["bookings"].get(booking_id)
    if old["kind"] != "flight" or old["status"] != "confirmed":
        raise Refused(f"Booking {booking_id} is not a seat that can be moved.", "conflict")
    if (old["flight"], old["date"]) != (flight_number, date):
        _seat(state, flight_number, date)
    price = fare(state, flight_number, date, old["cabin"])
    before, paid = old["date"], old["price"]
    state["bookings"].edit(booking_id).update(flight=flight_number, date=date, price=price)
    prices = {"old_price": units(paid), "new_price": units(price), "difference": units(price - paid)}
    return {"previous_date": before, **prices}


def book_hotel(state: State, hotel_id: str, check_in: str, check_out: str, guest: str) -> Record:
    key, price, nights = _stay(state, hotel_id, check_in, check_out, guest)
    costs = {"nights": nights, "nightly": units(price // nights), "price": units(price)}
    return {"booking_id": key, "status": "confirmed", **costs}


def reserve_room(state: State, property: str, arrive: str, leave: str, lead_guest: str) -> Record:  # noqa: A002 - the tool's own word
    key, price, _ = _stay(state, property, arrive, leave, lead_guest)
    return {"voucher": key, "stay": {"arrive": arrive, "leave": leave}, "due_cents": price}


def cancel_booking(state: State, booking_id: str) -> Record:
    if state["bookings"].get(booking_id)["status"] != "confirmed":
        raise Refused(f"Booking {booking_id} is already cancelled.", "conflict")
    booking = state["bookings"].edit(booking_id)
    booking["status"] = "cancelled"
    return {"status": "cancelled", "refund": units(booking["price"])}


def trip_cost(state: State, booking_ids: list[str]) -> Record:
    found = [(key, state["bookings"].get(key)) for key in booking_ids]
    items = [{"booking_id": key, "kind": b["kind"], "price": units(b["price"])} for key, b in found]
    return {"items": items, "total": units(sum(b["price"] for _, b in found))}
