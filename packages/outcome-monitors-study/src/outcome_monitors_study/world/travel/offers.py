"""What a traveller can find out: airports, flights and fares, hotels, weather."""
# ruff: noqa: D103 - what a tool does is said in tools.json

from outcome_monitors_study.world.data import vocabulary
from outcome_monitors_study.world.draws import CITIES, City, cents, units
from outcome_monitors_study.world.state import Record, Refused, State

from .records import arrives, fare, nightly, nights_between, seats_left

__all__ = [
    "climate_outlook",
    "departure_board",
    "find_airport",
    "flight_status",
    "place_codes",
    "quote_fares",
    "route_schedule",
    "search_flights",
    "search_hotels",
    "weather_forecast",
]


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
    return {"city": city, **name, "region": found.region, "utc_offset_hours": found.utc_offset}


def place_codes(state: State, place: str) -> Record:
    del state
    found = _city(place)
    codes = [{"iata": found.code, "kind": "airport"}]
    return {"place": place, "codes": codes, "area": found.region, "zone": f"UTC{found.utc_offset:+d}"}


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
    asked = {"origin": origin, "destination": destination, "date": date, "cabin": cabin, "limit": limit}
    cheapest = found[0]["fare"] if found else None
    return {**asked, "total_found": len(found), "flights": found[:limit], "cheapest_fare": cheapest}


def route_schedule(state: State, start: str, end: str) -> Record:
    services = [
        {"flight": key, "leaves": flight["departs"], "lands": arrives(flight)}
        for key, flight in _route(state, start, end)
    ]
    return {"leg": {"start": start, "end": end}, "services": services, "service_count": len(services)}


def quote_fares(state: State, flights: list[str], day: str, travel_class: str) -> Record:
    quotes = {
        key: {"fare_cents": fare(state, key, day, travel_class), "seats": seats_left(state, key, day)}
        for key in flights
    }
    best = min(quotes, key=lambda key: (quotes[key]["fare_cents"], key))
    shown = {"day": day, "travel_class": travel_class, "quotes": quotes, "quote_count": len(quotes)}
    return {**shown, "best": {"flight": best, "fare_cents": quotes[best]["fare_cents"]}}


def _status(state: State, flight: str, date: str) -> tuple[str, int]:
    draw = state.noise("delay", flight, date)
    return ("on_time", 0) if draw < 0.7 else ("delayed", 10 + int(draw * 100) // 5 * 5)


def flight_status(state: State, flight_number: str, date: str) -> Record:
    flight = state["flights"].get(flight_number)
    status, delay = _status(state, flight_number, date)
    return {
        "flight_number": flight_number,
        "date": date,
        "origin": flight["origin"],
        "destination": flight["destination"],
        "scheduled": {"departs": flight["departs"], "arrives": arrives(flight)},
        "status": status,
        "delay_minutes": delay,
        "gate": _gate(state, flight_number, date),
    }


def _gate(state: State, flight: str, date: str) -> str:
    return f"{'ABCD'[int(4 * state.noise('pier', flight))]}{1 + int(30 * state.noise('gate', flight, date))}"


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
        if hotel["city"] != name or hotel["stars"] < min_stars:
            continue
        price = nightly(state, key, check_in)
        if max_nightly is None or price <= cents(max_nightly):
            shown = {"hotel_id": key, **{k: hotel[k] for k in ("name", "stars", "breakfast")}}
            found.append({**shown, "nightly": units(price), "total": units(price * nights)})
    found.sort(key=lambda row: (row["nightly"], row["hotel_id"]))
    asked = {"city": city, "check_in": check_in, "check_out": check_out, "nights": nights}
    return {**asked, "max_nightly": max_nightly, "total_found": len(found), "hotels": found}


_SKY = vocabulary("travel")["skies"]


def _weather(state: State, city: City, date: str) -> tuple[int, int, str, int]:
    high = city.warmth + round(8 * state.noise("high", city.code, date)) - 2
    low = high - 3 - round(6 * state.noise("low", city.code, date))
    sky = _SKY[int(len(_SKY) * state.noise("sky", city.code, date))]
    return high, low, sky, 20 + round(75 * state.noise("wet", city.code, date))


def weather_forecast(state: State, city: str, date: str) -> Record:
    high, low, sky, humidity = _weather(state, _city(city), date)
    heat = {"high_celsius": high, "low_celsius": low}
    return {"city": city, "date": date, **heat, "condition": sky, "humidity_percent": humidity}


def climate_outlook(state: State, place: str, on: str) -> Record:
    high, low, sky, humidity = _weather(state, _city(place), on)
    heat = {"max": round(high * 1.8 + 32, 1), "min": round(low * 1.8 + 32, 1)}
    return {
        "place": place,
        "on": on,
        "outlook": {"sky": sky.title(), "humidity": humidity / 100},
        "fahrenheit": heat,
    }
