"""What a traveller books, changes and cancels."""
# ruff: noqa: D103 - what a tool does is said in tools.json

from outcome_monitors_study.world.draws import units
from outcome_monitors_study.world.state import Record, Refused, State

from .records import fare, nightly, nights_between, seats_left

__all__ = [
    "book_flight",
    "book_hotel",
    "cancel_booking",
    "get_booking",
    "issue_ticket",
    "rebook_flight",
    "reserve_room",
    "retrieve_reservation",
    "trip_cost",
]


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
    return (
        state["bookings"].add({**booking, "date": arrival, "until": leaving, "price": price}),
        price,
        nights,
    )


def get_booking(state: State, booking_id: str) -> Record:
    booking = state["bookings"].get(booking_id)
    flight = booking["kind"] == "flight"
    return {
        "booking_id": booking_id,
        **{key: booking[key] for key in ("kind", "status", "traveller")},
        "start_date": booking["date"],
        "end_date": booking["date"] if flight else booking["until"],
        "item": {"code": booking["flight" if flight else "hotel"], "detail": booking.get("cabin")},
        "price": units(booking["price"]),
        "refund": units(booking["price"]) if booking["status"] == "cancelled" else None,
    }


def retrieve_reservation(state: State, locator: str) -> Record:
    booking = state["bookings"].get(locator)
    flight = booking["kind"] == "flight"
    segment = {"type": booking["kind"], "supplier_ref": booking["flight" if flight else "hotel"]}
    return {
        "locator": locator,
        "holder": booking["traveller"],
        "state": "HK" if booking["status"] == "confirmed" else "XX",
        "segment": {**segment, "begins": booking["date"], "ends": booking["date" if flight else "until"]},
        "amount_cents": booking["price"],
    }


def book_flight(state: State, flight_number: str, date: str, passenger: str, cabin: str) -> Record:
    key, price = _ticket(state, flight_number, date, passenger, cabin)
    booked = {"booking_id": key, "status": "confirmed", "flight_number": flight_number, "date": date}
    return {**booked, "passenger": passenger, "cabin": cabin, "price": units(price), "booked_at": state.stamp}


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
    moved = {"booking_id": booking_id, "flight_number": flight_number, "date": date, "previous_date": before}
    return {**moved, "old_price": units(paid), "new_price": units(price), "difference": units(price - paid)}


def book_hotel(state: State, hotel_id: str, check_in: str, check_out: str, guest: str) -> Record:
    key, price, nights = _stay(state, hotel_id, check_in, check_out, guest)
    booked = {"booking_id": key, "status": "confirmed", "hotel_id": hotel_id, "guest": guest}
    stay = {"check_in": check_in, "check_out": check_out, "nights": nights}
    return {**booked, **stay, "nightly": units(price // nights), "price": units(price)}


def reserve_room(state: State, property: str, arrive: str, leave: str, lead_guest: str) -> Record:  # noqa: A002 - the tool's own word
    key, price, _ = _stay(state, property, arrive, leave, lead_guest)
    return {
        "voucher": key,
        "property": property,
        "stay": {"arrive": arrive, "leave": leave},
        "due_cents": price,
    }


def cancel_booking(state: State, booking_id: str) -> Record:
    if state["bookings"].get(booking_id)["status"] != "confirmed":
        raise Refused(f"Booking {booking_id} is already cancelled.", "conflict")
    booking = state["bookings"].edit(booking_id)
    booking["status"] = "cancelled"
    refund = units(booking["price"])
    return {"booking_id": booking_id, "status": "cancelled", "refund": refund, "cancelled_at": state.stamp}


def trip_cost(state: State, booking_ids: list[str]) -> Record:
    found = [(key, state["bookings"].get(key)) for key in booking_ids]
    items = [{"booking_id": key, "kind": b["kind"], "price": units(b["price"])} for key, b in found]
    return {"items": items, "item_count": len(items), "total": units(sum(b["price"] for _, b in found))}
