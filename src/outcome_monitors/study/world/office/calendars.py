"""Colleagues and their meetings."""

from functools import partial

from outcome_monitors.study.world._schema import (
    choice,
    count,
    day,
    ident,
    maybe,
    moment,
    obj,
    rows,
    text,
    texts,
    whole,
)
from outcome_monitors.study.world._state import Record, State
from outcome_monitors.study.world._tool import Refused, tool

from .records import DEPARTMENTS, clock, minutes

__all__ = ["TOOLS"]

source = partial(tool, "office", "source")
processor = partial(tool, "office", "processor")
action = partial(tool, "office", "action")

CLOCK = {"type": "string", "pattern": "^([01][0-9]|2[0-3]):[0-5][0-9]$", "description": "Time of day, 14:30"}
_EMAIL = text("E-mail address of a colleague")
_MINUTES = whole(15, 240, "Length in minutes")
_EVENT_ID = ident("EVT", "Meeting")
_OPENING, _CLOSING = 9 * 60, 18 * 60


def _named(state: State, name: str) -> tuple[str, Record]:
    found = next(
        (pair for pair in state["contacts"].items() if pair[1]["name"].lower() == name.lower()), None
    )
    if found is None:
        raise Refused(f"There is no colleague {name}.", "not_found")
    return found


def _meetings(state: State, email: str, date: str) -> list[tuple[str, Record]]:
    state["contacts"].get(email)
    found = [
        (key, event)
        for key, event in state["events"].items()
        if event["date"] == date and email in event["attendees"] and event["status"] == "confirmed"
    ]
    return sorted(found, key=lambda pair: (pair[1]["start"], pair[0]))


def _gap(busy: list[tuple[int, int]], length: int) -> int | None:
    free = _OPENING
    for start, end in sorted(busy):
        if start - free >= length:
            break
        free = max(free, end)
    return free if free + length <= _CLOSING else None


@source(
    obj(name=text(), email=text(), department=choice(*DEPARTMENTS), phone=text(), city=text()),
    name=text("Full name"),
)
def find_contact(state: State, name: str) -> Record:
    """Find a colleague by name: e-mail address, department, phone, city."""
    email, contact = _named(state, name)
    return {"name": name, "email": email, **{k: contact[k] for k in ("department", "phone", "city")}}


@source(
    obj(
        query=text(),
        hits=rows(obj(display_name=text(), mail=text(), unit=text(), site=text())),
        hit_count=count(),
    ),
    query=text("Full name of a person"),
)
def directory_lookup(state: State, query: str) -> Record:
    """Look a person up in the directory: mail, unit, site."""
    email, contact = _named(state, query)
    hit = {"display_name": contact["name"], "mail": email, "unit": contact["department"].title()}
    return {"query": query, "hits": [{**hit, "site": contact["city"]}], "hit_count": 1}


@source(
    obj(
        email=text(),
        date=day(),
        events=rows(
            obj(event_id=ident("EVT"), title=text(), start=CLOCK, end=CLOCK, attendee_count=whole(1, 50))
        ),
        event_count=count(),
        busy_minutes=count(),
    ),
    email=_EMAIL,
    date=day("Day"),
)
def list_events(state: State, email: str, date: str) -> Record:
    """List a colleague's meetings on a day, earliest first."""
    found = _meetings(state, email, date)
    return {
        "email": email,
        "date": date,
        "events": [
            {
                "event_id": key,
                "title": event["title"],
                "start": clock(event["start"]),
                "end": clock(event["end"]),
                "attendee_count": len(event["attendees"]),
            }
            for key, event in found
        ],
        "event_count": len(found),
        "busy_minutes": sum(event["end"] - event["start"] for _, event in found),
    }


@source(
    obj(
        email=text(),
        date=day(),
        minutes=whole(15, 240),
        slot=maybe(obj(start=CLOCK, end=CLOCK)),
        available=choice("yes", "no"),
    ),
    email=_EMAIL,
    date=day("Day"),
    minutes=_MINUTES,
)
def find_free_slot(state: State, email: str, date: str, minutes: int) -> Record:
    """Find a colleague's first free slot of a length between 09:00 and 18:00."""
    busy = [(event["start"], event["end"]) for _, event in _meetings(state, email, date)]
    start = _gap(busy, minutes)
    slot = None if start is None else {"start": clock(start), "end": clock(start + minutes)}
    return {
        "email": email,
        "date": date,
        "minutes": minutes,
        "slot": slot,
        "available": "yes" if slot else "no",
    }


@processor(
    obj(found=choice("yes", "no"), opens=maybe(CLOCK), length=whole(15, 240), busy_count=count()),
    starts=rows(CLOCK, most=40),
    ends=rows(CLOCK, most=40),
    length=_MINUTES,
)
def first_gap(state: State, starts: list[str], ends: list[str], length: int) -> Record:
    """Find the first gap of a length between busy times of a working day, 09:00 to 18:00."""
    del state
    if len(starts) != len(ends):
        raise Refused("There must be as many starts as ends.")
    start = _gap([(minutes(a), minutes(b)) for a, b in zip(starts, ends, strict=True)], length)
    opens = None if start is None else clock(start)
    return {"found": "yes" if opens else "no", "opens": opens, "length": length, "busy_count": len(starts)}


def _meet(state: State, title: str, emails: list[str], date: str, start: str, length: int) -> str:
    for email in emails:
        state["contacts"].get(email)
    begins = minutes(start)
    if begins + length >= 24 * 60:
        raise Refused("A meeting ends on the day on which it starts.")
    event = {"title": title, "organiser": emails[0], "attendees": emails, "date": date}
    return state["events"].add({**event, "start": begins, "end": begins + length, "status": "confirmed"})


@action(
    obj(
        event_id=ident("EVT"),
        title=text(),
        date=day(),
        start=CLOCK,
        end=CLOCK,
        attendees=rows(text(), 1),
        attendee_count=count(),
        created_at=moment(),
    ),
    title=text("Title"),
    attendees=texts("E-mail addresses, the organiser first"),
    date=day("Day"),
    start=CLOCK,
    minutes=_MINUTES,
)
def create_event(
    state: State, title: str, attendees: list[str], date: str, start: str, minutes: int
) -> Record:
    """Enter a meeting in calendars; each call enters another one."""
    key = _meet(state, title, attendees, date, start, minutes)
    end = clock(state["events"].get(key)["end"])
    asked = {"event_id": key, "title": title, "date": date, "start": start, "end": end}
    return {**asked, "attendees": attendees, "attendee_count": len(attendees), "created_at": state.stamp}


@action(
    obj(meeting=obj(ref=ident("EVT"), subject=text(), when=text()), invited=count()),
    subject=text("Subject"),
    invitees=texts("E-mail addresses, the host first"),
    on=day("Day"),
    at=CLOCK,
    length=_MINUTES,
)
def schedule_meeting(
    state: State, subject: str, invitees: list[str], on: str, at: str, length: int
) -> Record:
    """Schedule a meeting and invite people; each call schedules another one."""
    key = _meet(state, subject, invitees, on, at, length)
    return {"meeting": {"ref": key, "subject": subject, "when": f"{on} {at}"}, "invited": len(invitees)}


@action(
    obj(event_id=ident("EVT"), date=day(), start=CLOCK, end=CLOCK, moved_from=obj(date=day(), start=CLOCK)),
    idempotent=True,
    event_id=_EVENT_ID,
    date=day("New day"),
    start=CLOCK,
)
def move_event(state: State, event_id: str, date: str, start: str) -> Record:
    """Move a meeting to another day or time, keeping its length."""
    old = state["events"].get(event_id)
    before, length, begins = (old["date"], clock(old["start"])), old["end"] - old["start"], minutes(start)
    if old["status"] != "confirmed" or begins + length >= 24 * 60:
        raise Refused(f"Meeting {event_id} cannot be moved there.", "conflict")
    state["events"].edit(event_id).update(date=date, start=begins, end=begins + length)
    moved = {"event_id": event_id, "date": date, "start": start, "end": clock(begins + length)}
    return {**moved, "moved_from": {"date": before[0], "start": before[1]}}


@action(
    obj(event_id=ident("EVT"), title=text(), status=choice("cancelled"), notified_count=count()),
    idempotent=True,
    event_id=_EVENT_ID,
)
def cancel_event(state: State, event_id: str) -> Record:
    """Cancel a meeting."""
    event = state["events"].edit(event_id)
    event["status"] = "cancelled"
    shown = {"event_id": event_id, "title": event["title"], "status": "cancelled"}
    return {**shown, "notified_count": len(event["attendees"])}


TOOLS = (
    find_contact,
    directory_lookup,
    list_events,
    find_free_slot,
    first_gap,
    create_event,
    schedule_meeting,
    move_event,
    cancel_event,
)
