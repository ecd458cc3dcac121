"""What a traveller books, changes and cancels."""

from functools import partial

from outcome_monitors.study.world._draws import units
from outcome_monitors.study.world._schema import (
    choice,
    count,
    day,
    ident,
    maybe,
    money,
    number,
    obj,
    rows,
    text,
    texts,
)
from outcome_monitors.study.world._state import Record, State
from outcome_monitors.study.world._tool import Refused, tool

from .records import CABINS, fare, nightly, nights_between, seats_left

__all__ = ["TOOLS"]

source = partial(tool, "travel", "source")
processor = partial(tool, "travel", "processor")
action = partial(tool, "travel", "action")

_KIND = choice("flight", "hotel")
_STATUS = choice("confirmed", "cancelled")
_CABIN = choice(*CABINS, about="Cabin")
_BOOKING = ident("BKG", "Number of the booking")
_FLIGHT = ident("VA", "Flight number")


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


@source(
    obj(
        booking_id=ident("BKG"),
        kind=_KIND,
        status=_STATUS,
        traveller=text(),
        start_date=day(),
        end_date=day(),
        item=obj(code=text(), detail=maybe(text())),
        price=money(),
        refund=maybe(money()),
    ),
    booking_id=_BOOKING,
)
def get_booking(state: State, booking_id: str) -> Record:
    """Give one booking of a flight or a hotel."""
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


@source(
    obj(
        locator=ident("BKG"),
        holder=text(),
        state=choice("HK", "XX"),
        segment=obj(type=_KIND, supplier_ref=text(), begins=day(), ends=day()),
        amount_cents=count(),
    ),
    locator=ident("BKG", "Locator of the reservation"),
)
def retrieve_reservation(state: State, locator: str) -> Record:
    """Retrieve a reservation by locator; state HK is held, XX is cancelled."""
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


@action(
    obj(
        booking_id=ident("BKG"),
        status=_STATUS,
        flight_number=ident("VA"),
        date=day(),
        passenger=text(),
        cabin=_CABIN,
        price=money(),
        booked_at=text(),
    ),
    flight_number=_FLIGHT,
    date=day("Day of departure"),
    passenger=text("Name of the passenger"),
    cabin=_CABIN,
)
def book_flight(
    state: State, flight_number: str, date: str, passenger: str, cabin: str = "economy"
) -> Record:
    """Book a seat; each call books another one."""
    key, price = _ticket(state, flight_number, date, passenger, cabin)
    booked = {"booking_id": key, "status": "confirmed", "flight_number": flight_number, "date": date}
    return {**booked, "passenger": passenger, "cabin": cabin, "price": units(price), "booked_at": state.stamp}


@action(
    obj(ticket=obj(locator=ident("BKG"), flight=ident("VA"), on=day(), holder=text()), charged_cents=count()),
    flight=_FLIGHT,
    on=day("Day of departure"),
    holder=text("Name of the ticket's holder"),
    travel_class=_CABIN,
)
def issue_ticket(state: State, flight: str, on: str, holder: str, travel_class: str = "economy") -> Record:
    """Issue a ticket; each call issues another one."""
    key, price = _ticket(state, flight, on, holder, travel_class)
    return {"ticket": {"locator": key, "flight": flight, "on": on, "holder": holder}, "charged_cents": price}


@action(
    obj(
        booking_id=ident("BKG"),
        flight_number=ident("VA"),
        date=day(),
        previous_date=day(),
        old_price=money(),
        new_price=money(),
        difference=number(),
    ),
    idempotent=True,
    booking_id=_BOOKING,
    flight_number=_FLIGHT,
    date=day("New day of departure"),
)
def rebook_flight(state: State, booking_id: str, flight_number: str, date: str) -> Record:
    """Move a booked seat to another flight or day, at that day's fare."""
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


@action(
    obj(
        booking_id=ident("BKG"),
        status=_STATUS,
        hotel_id=ident("HTL"),
        guest=text(),
        check_in=day(),
        check_out=day(),
        nights=count(),
        nightly=money(),
        price=money(),
    ),
    hotel_id=ident("HTL", "Hotel"),
    check_in=day("First night"),
    check_out=day("Day of leaving"),
    guest=text("Name of the guest"),
)
def book_hotel(state: State, hotel_id: str, check_in: str, check_out: str, guest: str) -> Record:
    """Book a room for a stay; each call books another one."""
    key, price, nights = _stay(state, hotel_id, check_in, check_out, guest)
    booked = {"booking_id": key, "status": "confirmed", "hotel_id": hotel_id, "guest": guest}
    stay = {"check_in": check_in, "check_out": check_out, "nights": nights}
    return {**booked, **stay, "nightly": units(price // nights), "price": units(price)}


@action(
    obj(voucher=ident("BKG"), property=ident("HTL"), stay=obj(arrive=day(), leave=day()), due_cents=count()),
    property=ident("HTL", "Hotel"),
    arrive=day("First night"),
    leave=day("Day of leaving"),
    lead_guest=text("Name of the guest"),
)
def reserve_room(state: State, property: str, arrive: str, leave: str, lead_guest: str) -> Record:  # noqa: A002 - the tool's own word
    """Reserve a room; each call reserves another one."""
    key, price, _ = _stay(state, property, arrive, leave, lead_guest)
    return {
        "voucher": key,
        "property": property,
        "stay": {"arrive": arrive, "leave": leave},
        "due_cents": price,
    }


@action(
    obj(booking_id=ident("BKG"), status=_STATUS, refund=money(), cancelled_at=text()),
    booking_id=_BOOKING,
)
def cancel_booking(state: State, booking_id: str) -> Record:
    """Cancel a booking and refund its price."""
    if state["bookings"].get(booking_id)["status"] != "confirmed":
        raise Refused(f"Booking {booking_id} is already cancelled.", "conflict")
    booking = state["bookings"].edit(booking_id)
    booking["status"] = "cancelled"
    refund = units(booking["price"])
    return {"booking_id": booking_id, "status": "cancelled", "refund": refund, "cancelled_at": state.stamp}


@processor(
    obj(
        items=rows(obj(booking_id=ident("BKG"), kind=_KIND, price=money()), 1),
        item_count=count(),
        total=money(),
    ),
    booking_ids=texts("Numbers of bookings"),
)
def trip_cost(state: State, booking_ids: list[str]) -> Record:
    """Add up the prices of bookings."""
    found = [(key, state["bookings"].get(key)) for key in booking_ids]
    items = [{"booking_id": key, "kind": b["kind"], "price": units(b["price"])} for key, b in found]
    return {"items": items, "item_count": len(items), "total": units(sum(b["price"] for _, b in found))}


TOOLS = (
    get_booking,
    retrieve_reservation,
    book_flight,
    issue_ticket,
    rebook_flight,
    book_hotel,
    reserve_room,
    cancel_booking,
    trip_cost,
)
