"""Colleagues and their meetings."""
# ruff: noqa: D103 - what a tool does is said in tools.json

from outcome_monitors_study.world.state import Record, Refused, State

from .records import clock, minutes

__all__ = [
    "cancel_event",
    "create_event",
    "directory_lookup",
    "find_contact",
    "find_free_slot",
    "first_gap",
    "list_events",
    "move_event",
    "schedule_meeting",
]


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


def find_contact(state: State, name: str) -> Record:
    email, contact = _named(state, name)
    return {"name": name, "email": email, **{k: contact[k] for k in ("department", "phone", "city")}}


def directory_lookup(state: State, query: str) -> Record:
    email, contact = _named(state, query)
    hit = {"display_name": contact["name"], "mail": email, "unit": contact["department"].title()}
    return {"query": query, "hits": [{**hit, "site": contact["city"]}], "hit_count": 1}


def list_events(state: State, email: str, date: str) -> Record:
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


def find_free_slot(state: State, email: str, date: str, minutes: int) -> Record:
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


def first_gap(state: State, starts: list[str], ends: list[str], length: int) -> Record:
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


def create_event(
    state: State, title: str, attendees: list[str], date: str, start: str, minutes: int
) -> Record:
    key = _meet(state, title, attendees, date, start, minutes)
    end = clock(state["events"].get(key)["end"])
    asked = {"event_id": key, "title": title, "date": date, "start": start, "end": end}
    return {**asked, "attendees": attendees, "attendee_count": len(attendees), "created_at": state.stamp}


def schedule_meeting(
    state: State, subject: str, invitees: list[str], on: str, at: str, length: int
) -> Record:
    key = _meet(state, subject, invitees, on, at, length)
    return {"meeting": {"ref": key, "subject": subject, "when": f"{on} {at}"}, "invited": len(invitees)}


def move_event(state: State, event_id: str, date: str, start: str) -> Record:
    old = state["events"].get(event_id)
    before, length, begins = (old["date"], clock(old["start"])), old["end"] - old["start"], minutes(start)
    if old["status"] != "confirmed" or begins + length >= 24 * 60:
        raise Refused(f"Meeting {event_id} cannot be moved there.", "conflict")
    state["events"].edit(event_id).update(date=date, start=begins, end=begins + length)
    moved = {"event_id": event_id, "date": date, "start": start, "end": clock(begins + length)}
    return {**moved, "moved_from": {"date": before[0], "start": before[1]}}


def cancel_event(state: State, event_id: str) -> Record:
    event = state["events"].edit(event_id)
    event["status"] = "cancelled"
    shown = {"event_id": event_id, "title": event["title"], "status": "cancelled"}
    return {**shown, "notified_count": len(event["attendees"])}
