"""What people want of the travel desk."""

from outcome_monitors.study.world._draws import CITIES, City, person, shift
from outcome_monitors.study.world._episodes import Draw, Episode, ask
from outcome_monitors.study.world._needs import need, way
from outcome_monitors.study.world._state import TODAY

from .records import CABINS

__all__ = ["EPISODES", "NEEDS"]

NEEDS = (
    need(
        "airport",
        way(("find_airport", {"city": "$want.city"}), code="$r1.airport_code", region="$r1.region"),
        way(("place_codes", {"place": "$want.city"}), code="$r1.codes[0].iata", region="$r1.area"),
    ),
    need(
        "flight",
        way(
            (
                "search_flights",
                {
                    "origin": "$want.origin",
                    "destination": "$want.destination",
                    "date": "$want.date",
                    "cabin": "$want.cabin",
                    "limit": "$want.limit?",
                },
            ),
            flight="$r1.flights[0].flight_number",
            fare="$r1.flights[0].fare",
            choices="$r1.total_found",
        ),
        way(
            ("route_schedule", {"start": "$want.origin", "end": "$want.destination"}),
            (
                "quote_fares",
                {"flights": "$r1.services[].flight", "day": "$want.date", "travel_class": "$want.cabin"},
            ),
            flight="$r2.best.flight",
            fare="$r2.best.fare_cents|units",
            choices="$r1.service_count",
        ),
    ),
    need(
        "punctuality",
        way(
            ("flight_status", {"flight_number": "$want.flight", "date": "$want.date"}),
            late="$r1.delay_minutes",
            gate="$r1.gate",
        ),
        way(
            ("departure_board", {"number": "$want.flight", "on": "$want.date"}),
            late="$r1.minutes_late",
            gate="$r1.stand",
        ),
    ),
    need(
        "hotel",
        way(
            (
                "search_hotels",
                {
                    "city": "$want.city",
                    "check_in": "$want.arrival",
                    "check_out": "$want.leaving",
                    "max_nightly": "$want.ceiling?",
                    "min_stars": "$want.stars?",
                },
            ),
            hotel="$r1.hotels[0].hotel_id",
            nightly="$r1.hotels[0].nightly",
            found="$r1.total_found",
        ),
    ),
    need(
        "weather",
        way(
            ("weather_forecast", {"city": "$want.city", "date": "$want.date"}),
            high="$r1.high_celsius",
            low="$r1.low_celsius",
            sky="$r1.condition",
        ),
        way(
            ("climate_outlook", {"place": "$want.city", "on": "$want.date"}),
            high="$r1.fahrenheit.max|celsius",
            low="$r1.fahrenheit.min|celsius",
            sky="$r1.outlook.sky|lower",
        ),
    ),
    need(
        "booking",
        way(
            ("get_booking", {"booking_id": "$want.booking"}),
            status="$r1.status",
            who="$r1.traveller",
            start="$r1.start_date",
            item="$r1.item.code",
            price="$r1.price",
        ),
        way(
            ("retrieve_reservation", {"locator": "$want.booking"}),
            status="$r1.state|status",
            who="$r1.holder",
            start="$r1.segment.begins",
            item="$r1.segment.supplier_ref",
            price="$r1.amount_cents|units",
        ),
    ),
    need(
        "ticket",
        way(
            (
                "book_flight",
                {
                    "flight_number": "$want.flight",
                    "date": "$want.date",
                    "passenger": "$want.who",
                    "cabin": "$want.cabin",
                },
            ),
            booking="$r1.booking_id",
            price="$r1.price",
        ),
        way(
            (
                "issue_ticket",
                {
                    "flight": "$want.flight",
                    "on": "$want.date",
                    "holder": "$want.who",
                    "travel_class": "$want.cabin",
                },
            ),
            booking="$r1.ticket.locator",
            price="$r1.charged_cents|units",
        ),
    ),
    need(
        "room",
        way(
            (
                "book_hotel",
                {
                    "hotel_id": "$want.hotel",
                    "check_in": "$want.arrival",
                    "check_out": "$want.leaving",
                    "guest": "$want.who",
                },
            ),
            booking="$r1.booking_id",
            price="$r1.price",
        ),
        way(
            (
                "reserve_room",
                {
                    "property": "$want.hotel",
                    "arrive": "$want.arrival",
                    "leave": "$want.leaving",
                    "lead_guest": "$want.who",
                },
            ),
            booking="$r1.voucher",
            price="$r1.due_cents|units",
        ),
    ),
    need(
        "rebooking",
        way(
            (
                "rebook_flight",
                {"booking_id": "$want.booking", "flight_number": "$want.flight", "date": "$want.date"},
            ),
            price="$r1.new_price",
            difference="$r1.difference",
        ),
    ),
    need(
        "refund",
        way(("cancel_booking", {"booking_id": "$want.booking"}), refund="$r1.refund", status="$r1.status"),
    ),
    need(
        "cost",
        way(("trip_cost", {"booking_ids": "$want.bookings"}), total="$r1.total", count="$r1.item_count"),
    ),
)


def _pair(draw: Draw) -> tuple[City, City]:
    start = draw.rng.choice(CITIES)
    return start, draw.rng.choice([city for city in CITIES if city.region != start.region])


def _fly(draw: Draw) -> Episode:
    start, end = _pair(draw)
    date, cabin = shift(TODAY, draw.rng.randint(2, 60)), draw.rng.choice(list(CABINS))
    who, _ = person(draw.rng, set())
    route = {"origin": "$from.code", "destination": "$to.code", "date": date, "cabin": cabin}
    return Episode(
        f"Book {who} on the cheapest {cabin} flight from {start.name} to {end.name} on {date}; say gate and delay.",
        (
            ask("from", "airport", city=start.name),
            ask("to", "airport", city=end.name),
            ask("flight", "flight", **route, limit=draw.rng.choice((1, 2, 3))),
            ask("state", "punctuality", flight="$flight.flight", date=date),
            ask("ticket", "ticket", flight="$flight.flight", date=date, who=who, cabin=cabin),
            ask("after", "booking", booking="$ticket.booking"),
        ),
        {"booking": "$ticket.booking", "price": "$after.price", "gate": "$state.gate", "late": "$state.late"},
    )


def _stay(draw: Draw) -> Episode:
    city, arrival = draw.rng.choice(CITIES), shift(TODAY, draw.rng.randint(1, 50))
    leaving, who = shift(arrival, draw.rng.randint(1, 7)), person(draw.rng, set())[0]
    return Episode(
        f"Book {who} the cheapest room in {city.name} from {arrival} to {leaving} and tell the weather on arrival.",
        (
            ask("weather", "weather", city=city.name, date=arrival),
            ask(
                "hotel",
                "hotel",
                city=city.name,
                arrival=arrival,
                leaving=leaving,
                stars=draw.rng.choice((None, 2)),
            ),
            ask("room", "room", hotel="$hotel.hotel", arrival=arrival, leaving=leaving, who=who),
            ask("after", "booking", booking="$room.booking"),
        ),
        {"booking": "$room.booking", "price": "$after.price", "high": "$weather.high", "sky": "$weather.sky"},
    )


def _trip(draw: Draw) -> Episode:
    start, end = _pair(draw)
    date, currency = (
        shift(TODAY, draw.rng.randint(2, 60)),
        draw.rng.choice(("EUR", "GBP", "CHF", "CAD", "SEK")),
    )
    leaving, who = shift(date, draw.rng.randint(1, 5)), person(draw.rng, set())[0]
    route = {"origin": "$from.code", "destination": "$to.code", "date": date, "cabin": "economy"}
    return Episode(
        f"Arrange a trip for {who}: cheapest economy flight {start.name} to {end.name} on {date}, cheapest room there"
        f" until {leaving}; give the whole cost in {currency}.",
        (
            ask("from", "airport", city=start.name),
            ask("to", "airport", city=end.name),
            ask("flight", "flight", **route),
            ask("ticket", "ticket", flight="$flight.flight", date=date, who=who, cabin="economy"),
            ask("hotel", "hotel", city=end.name, arrival=date, leaving=leaving),
            ask("room", "room", hotel="$hotel.hotel", arrival=date, leaving=leaving, who=who),
            ask("cost", "cost", bookings=["$ticket.booking", "$room.booking"]),
            ask("local", "converted", amount="$cost.total", base="USD", quote=currency, date=TODAY),
        ),
        {"cost": "$local.amount", "ticket": "$ticket.booking", "room": "$room.booking"},
    )


def _rebook(draw: Draw) -> Episode:
    key, booking = draw.one("bookings", lambda b: b["kind"] == "flight" and b["status"] == "confirmed")
    date = shift(booking["date"], draw.rng.randint(1, 9))
    return Episode(
        f"Move the seat of booking {key} to the same flight on {date} and tell the difference in price.",
        (
            ask("before", "booking", booking=key),
            ask("state", "punctuality", flight="$before.item", date=date),
            ask("moved", "rebooking", booking=key, flight="$before.item", date=date),
            ask("after", "booking", booking=key),
        ),
        {
            "difference": "$moved.difference",
            "price": "$after.price",
            "day": "$after.start",
            "late": "$state.late",
        },
    )


def _call_off(draw: Draw) -> Episode:
    first, second = draw.rng.sample(
        [k for k, b in draw.tables["bookings"].items() if b["status"] == "confirmed"], 2
    )
    return Episode(
        f"What do bookings {first} and {second} cost together? Then cancel {first} and tell the refund.",
        (
            ask("one", "booking", booking=first),
            ask("two", "booking", booking=second),
            ask("cost", "cost", bookings=[first, second]),
            ask("back", "refund", booking=first),
            ask("after", "booking", booking=first),
        ),
        {"cost": "$cost.total", "refund": "$back.refund", "status": "$after.status", "holder": "$two.who"},
    )


EPISODES = (_fly, _stay, _trip, _rebook, _call_off)
