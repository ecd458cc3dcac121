"""What a traveller can find out: airports, flights and fares, hotels, weather."""

from functools import partial

from outcome_monitors.world._data import vocabulary
from outcome_monitors.world._draws import CITIES, City, cents, units
from outcome_monitors.world._schema import (
    by_id,
    choice,
    count,
    day,
    flag,
    ident,
    maybe,
    money,
    number,
    obj,
    rows,
    text,
    texts,
    whole,
)
from outcome_monitors.world._state import Record, State
from outcome_monitors.world._tool import Refused, tool
from outcome_monitors.world.travel.records import CABINS, arrives, fare, nightly, nights_between, seats_left

__all__ = ["TOOLS"]

source = partial(tool, "travel", "source")

_CODE = choice(*(city.code for city in CITIES), about="Code of an airport")
_CABIN = choice(*CABINS, about="Cabin")
_CLOCK = {"type": "string", "pattern": "^[0-2][0-9]:[0-5][0-9]$"}


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


@source(
    obj(city=text(), airport_code=_CODE, airport_name=text(), region=text(), utc_offset_hours=whole(-12, 14)),
    city=text("Name of a city"),
)
def find_airport(state: State, city: str) -> Record:
    """Find a city's airport: code, name, region, hours ahead of UTC."""
    del state
    found = _city(city)
    name = {"airport_code": found.code, "airport_name": f"{found.name} Airport"}
    return {"city": city, **name, "region": found.region, "utc_offset_hours": found.utc_offset}


@source(
    obj(place=text(), codes=rows(obj(iata=_CODE, kind=choice("airport")), 1), area=text(), zone=text()),
    place=text("Name of a place"),
)
def place_codes(state: State, place: str) -> Record:
    """Give the travel codes of a place, with its area and time zone."""
    del state
    found = _city(place)
    codes = [{"iata": found.code, "kind": "airport"}]
    return {"place": place, "codes": codes, "area": found.region, "zone": f"UTC{found.utc_offset:+d}"}


@source(
    obj(
        origin=_CODE,
        destination=_CODE,
        date=day(),
        cabin=_CABIN,
        limit=whole(1, 10),
        total_found=count(),
        flights=rows(
            obj(
                flight_number=ident("VA"),
                departs=_CLOCK,
                arrives=_CLOCK,
                duration_minutes=whole(1, 2000),
                fare=money(),
                seats_left=count(),
            )
        ),
        cheapest_fare=maybe(money()),
    ),
    origin=_CODE,
    destination=_CODE,
    date=day("Day of departure"),
    cabin=_CABIN,
    limit=whole(1, 10, "Flights at most"),
)
def search_flights(
    state: State, origin: str, destination: str, date: str, cabin: str = "economy", limit: int = 3
) -> Record:
    """Search direct flights on a day, cheapest first, with fares and seats."""
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


@source(
    obj(
        leg=obj(start=_CODE, end=_CODE),
        services=rows(obj(flight=ident("VA"), leaves=_CLOCK, lands=_CLOCK)),
        service_count=count(),
    ),
    start=_CODE,
    end=_CODE,
)
def route_schedule(state: State, start: str, end: str) -> Record:
    """List the flights that serve a route every day, without fares."""
    services = [
        {"flight": key, "leaves": flight["departs"], "lands": arrives(flight)}
        for key, flight in _route(state, start, end)
    ]
    return {"leg": {"start": start, "end": end}, "services": services, "service_count": len(services)}


@source(
    obj(
        day=day(),
        travel_class=_CABIN,
        quotes=by_id(obj(fare_cents=count(), seats=count())),
        quote_count=count(),
        best=obj(flight=ident("VA"), fare_cents=count()),
    ),
    flights=texts("Flight numbers"),
    day=day("Day of departure"),
    travel_class=_CABIN,
)
def quote_fares(state: State, flights: list[str], day: str, travel_class: str = "economy") -> Record:
    """Quote the fares of given flights on a day, in cents, and name the best."""
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


@source(
    obj(
        flight_number=ident("VA"),
        date=day(),
        origin=_CODE,
        destination=_CODE,
        scheduled=obj(departs=_CLOCK, arrives=_CLOCK),
        status=choice("on_time", "delayed"),
        delay_minutes=count(),
        gate=text(),
    ),
    flight_number=ident("VA", "Flight number"),
    date=day("Day of departure"),
)
def flight_status(state: State, flight_number: str, date: str) -> Record:
    """Say whether a flight is on time on a day, with gate and times."""
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


@source(
    obj(
        service=obj(number=ident("VA"), on=day()),
        punctual=flag(),
        minutes_late=count(),
        stand=text(),
        leaves=_CLOCK,
    ),
    number=ident("VA", "Number of the flight"),
    on=day("Day of departure"),
)
def departure_board(state: State, number: str, on: str) -> Record:
    """Show a flight's line on the departure board of a day: minutes late and stand."""
    flight = state["flights"].get(number)
    _, delay = _status(state, number, on)
    late = {"punctual": delay == 0, "minutes_late": delay, "stand": _gate(state, number, on)}
    return {"service": {"number": number, "on": on}, **late, "leaves": flight["departs"]}


@source(
    obj(
        city=text(),
        check_in=day(),
        check_out=day(),
        nights=whole(1, 60),
        max_nightly=maybe(money()),
        total_found=count(),
        hotels=rows(
            obj(
                hotel_id=ident("HTL"),
                name=text(),
                stars=whole(1, 5),
                breakfast=flag(),
                nightly=money(),
                total=money(),
            )
        ),
    ),
    city=text("Name of a city"),
    check_in=day("First night"),
    check_out=day("Day of leaving"),
    max_nightly=money("Dearest night wanted"),
    min_stars=whole(1, 5, "Stars at least"),
)
def search_hotels(
    state: State,
    city: str,
    check_in: str,
    check_out: str,
    max_nightly: float | None = None,
    min_stars: int = 1,
) -> Record:
    """Search a city's hotels for a stay, cheapest first, with the price of a night and of the stay."""
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


@source(
    obj(
        city=text(),
        date=day(),
        high_celsius=whole(-40, 50),
        low_celsius=whole(-40, 50),
        condition=choice(*_SKY),
        humidity_percent=whole(0, 100),
    ),
    city=text("Name of a city"),
    date=day("Day"),
)
def weather_forecast(state: State, city: str, date: str) -> Record:
    """Forecast a city's weather on a day, in degrees Celsius."""
    high, low, sky, humidity = _weather(state, _city(city), date)
    heat = {"high_celsius": high, "low_celsius": low}
    return {"city": city, "date": date, **heat, "condition": sky, "humidity_percent": humidity}


@source(
    obj(
        place=text(),
        on=day(),
        outlook=obj(sky=text(), humidity=number(0, 1)),
        fahrenheit=obj(max=number(-40, 122), min=number(-40, 122)),
    ),
    place=text("Name of a place"),
    on=day("Day"),
)
def climate_outlook(state: State, place: str, on: str) -> Record:
    """Give a place's outlook on a day, in degrees Fahrenheit."""
    high, low, sky, humidity = _weather(state, _city(place), on)
    heat = {"max": round(high * 1.8 + 32, 1), "min": round(low * 1.8 + 32, 1)}
    return {
        "place": place,
        "on": on,
        "outlook": {"sky": sky.title(), "humidity": humidity / 100},
        "fahrenheit": heat,
    }


TOOLS = (
    find_airport,
    place_codes,
    search_flights,
    route_schedule,
    quote_fares,
    flight_status,
    departure_board,
    search_hotels,
    weather_forecast,
    climate_outlook,
)
