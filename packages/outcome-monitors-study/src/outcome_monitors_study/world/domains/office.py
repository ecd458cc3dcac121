"""Colleagues, calendars, mail, to-dos."""
# ruff: noqa: D103 - what a tool does is said in tools.json

import random

from outcome_monitors_study.world.records import CITIES, generator, numbered, paged, person, shift, vocabulary
from outcome_monitors_study.world.state import TODAY, Record, Refused, State, Tables

_WORDS = vocabulary("office")


def tables(seed: int) -> Tables:
    """Make the office's tables."""
    rng = generator(seed, "office")
    taken: set[str] = set()
    contacts = {}
    for number in range(48):
        name, email = person(rng, taken)
        contacts[email] = {
            "name": name,
            "department": rng.choice(_WORDS["departments"]),
            "phone": f"+00 555 {4000 + 7 * number}",
            "city": rng.choice(CITIES).name,
        }
    emails = list(contacts)
    return {
        "contacts": contacts,
        "events": _events(rng, emails),
        "messages": {key: _message(rng, emails) for key in numbered(rng, "MSG", 300, 60_000)},
        "tasks": {key: _task(rng, emails) for key in numbered(rng, "TSK", 120, 2000)},
    }


def _events(rng: random.Random, emails: list[str]) -> dict[str, Record]:
    """Fill two weeks of everybody's calendar without any two meetings of one person at once."""
    ids = numbered(rng, "EVT", 3000, 10_000)
    events: dict[str, Record] = {}
    for offset in range(1, 15):
        for email in emails:
            for hour in sorted(rng.sample(range(9, 17), rng.randint(0, 3))):
                length = rng.choice((30, 45, 60))
                events[next(ids)] = {
                    "title": f"Talk on the {rng.choice(_WORDS['topics'])}",
                    "organiser": email,
                    "attendees": [email],
                    "date": shift(TODAY, offset),
                    "start": 60 * hour,
                    "end": 60 * hour + length,
                    "status": "confirmed",
                }
    return events


def _message(rng: random.Random, emails: list[str]) -> Record:
    sender, receiver = rng.sample(emails, 2)
    topic, day = rng.choice(_WORDS["topics"]), shift(TODAY, rng.randint(1, 14))
    folder = rng.choice(_WORDS["folders"])
    return {
        "mailbox": sender if folder == "sent" else receiver,
        "folder": folder,
        "from": sender,
        "to": receiver,
        "subject": topic.capitalize(),
        "body": rng.choice(_WORDS["letters"]).format(topic=topic, day=day),
        "on": shift(TODAY, -rng.randint(0, 30)),
        "unread": folder == "inbox" and rng.random() < 0.5,
    }


def _task(rng: random.Random, emails: list[str]) -> Record:
    return {
        "title": f"Prepare the {rng.choice(_WORDS['topics'])}",
        "assignee": rng.choice(emails),
        "due": shift(TODAY, rng.randint(-5, 25)),
        "priority": rng.choice(_WORDS["priorities"]),
        "status": rng.choice(("open", "open", "done")),
    }


def clock(minute: int) -> str:
    """Write minutes since midnight as 14:30."""
    return f"{minute // 60:02d}:{minute % 60:02d}"


def minutes(text: str) -> int:
    """Read 14:30 as minutes since midnight."""
    hour, minute = text.split(":")
    return 60 * int(hour) + int(minute)


_OPENING, _CLOSING = 9 * 60, 18 * 60


def _named(state: State, name: str) -> tuple[str, Record]:
    return state["contacts"].first(
        f"There is no colleague {name}.", lambda contact: contact["name"].lower() == name.lower()
    )


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
    return {**contact, "name": name, "email": email}


def directory_lookup(state: State, query: str) -> Record:
    email, contact = _named(state, query)
    hit = {"display_name": contact["name"], "mail": email, "unit": contact["department"].title()}
    return {"hits": [{**hit, "site": contact["city"]}]}


def list_events(state: State, email: str, date: str) -> Record:
    found = _meetings(state, email, date)
    events = [
        {
            "event_id": key,
            "title": event["title"],
            "start": clock(event["start"]),
            "end": clock(event["end"]),
            "attendee_count": len(event["attendees"]),
        }
        for key, event in found
    ]
    return {"events": events, "busy_minutes": sum(event["end"] - event["start"] for _, event in found)}


def find_free_slot(state: State, email: str, date: str, minutes: int) -> Record:
    busy = [(event["start"], event["end"]) for _, event in _meetings(state, email, date)]
    start = _gap(busy, minutes)
    slot = None if start is None else {"start": clock(start), "end": clock(start + minutes)}
    return {"slot": slot, "available": "yes" if slot else "no"}


def first_gap(state: State, starts: list[str], ends: list[str], length: int) -> Record:
    del state
    if len(starts) != len(ends):
        raise Refused("There must be as many starts as ends.")
    start = _gap([(minutes(a), minutes(b)) for a, b in zip(starts, ends, strict=True)], length)
    opens = None if start is None else clock(start)
    return {"found": "yes" if opens else "no", "opens": opens, "busy_count": len(starts)}


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
    return {"event_id": key, "end": clock(state["events"].get(key)["end"])}


def schedule_meeting(
    state: State, subject: str, invitees: list[str], on: str, at: str, length: int
) -> Record:
    key = _meet(state, subject, invitees, on, at, length)
    return {"meeting": {"ref": key, "subject": subject, "when": f"{on} {at}"}, "invited": len(invitees)}


def move_event(state: State, event_id: str, date: str, start: str) -> Record:
    old = state["events"].get(event_id)
    before = {"date": old["date"], "start": clock(old["start"])}
    length, begins = old["end"] - old["start"], minutes(start)
    if old["status"] != "confirmed" or begins + length >= 24 * 60:
        raise Refused(f"Meeting {event_id} cannot be moved there.", "conflict")
    state["events"].edit(event_id).update(date=date, start=begins, end=begins + length)
    return {"end": clock(begins + length), "moved_from": before}


def cancel_event(state: State, event_id: str) -> Record:
    event = state["events"].edit(event_id)
    event["status"] = "cancelled"
    return {**event, "notified_count": len(event["attendees"])}


def search_mail(state: State, mailbox: str, folder: str, query: str | None, page: int, limit: int) -> Record:
    found = [
        {**m, "message_id": key, "sender": m["from"], "received_on": m["on"]}
        for key, m in state["messages"].items()
        if m["mailbox"] == mailbox and m["folder"] == folder and (query or "").lower() in m["subject"].lower()
    ]
    found.sort(key=lambda row: (row["received_on"], row["message_id"]), reverse=True)
    shown = paged("messages", found, page, limit)
    return {**shown, "unread_count": sum(row["unread"] for row in shown["messages"])}


def read_mail(state: State, message_id: str) -> Record:
    m = state["messages"].get(message_id)
    headers = {"sender": m["from"], "recipient": m["to"], "subject": m["subject"], "date": m["on"]}
    return {"headers": headers, "body": m["body"], "word_count": len(m["body"].split())}


def _send(state: State, sender: str, recipient: str, subject: str, body: str) -> str:
    state["contacts"].get(sender)
    state["contacts"].get(recipient)
    message = {"mailbox": sender, "folder": "sent", "from": sender, "to": recipient, "subject": subject}
    return state["messages"].add({**message, "body": body, "on": TODAY, "unread": False})


def send_mail(state: State, sender: str, recipient: str, subject: str, body: str) -> Record:
    key = _send(state, sender, recipient, subject, body)
    return {"message_id": key, "folder": "sent", "size_characters": len(body)}


def dispatch_message(state: State, origin: str, target: str, headline: str, content: str) -> Record:
    key = _send(state, origin, target, headline, content)
    return {"dispatch": {"ref": key, "route": {"origin": origin, "target": target}}, "accepted": True}


def list_tasks(state: State, assignee: str, status: str | None) -> Record:
    state["contacts"].get(assignee)
    found = [
        {**task, "task_id": key, "overdue": task["status"] == "open" and task["due"] < TODAY}
        for key, task in state["tasks"].items()
        if task["assignee"] == assignee and status in {None, task["status"]}
    ]
    found.sort(key=lambda row: (row["due"], row["task_id"]))
    return {"tasks": found, "overdue_count": sum(row["overdue"] for row in found)}


def create_task(state: State, title: str, assignee: str, due: str, priority: str) -> Record:
    state["contacts"].get(assignee)
    task = {"title": title, "assignee": assignee, "due": due, "priority": priority, "status": "open"}
    return {"task_id": state["tasks"].add(task), "status": "open"}


def add_todo(state: State, text: str, owner: str, deadline: str, level: str) -> Record:
    key = create_task(state, text, owner, deadline, level)["task_id"]
    return {"todo": key, "urgent": level == "high", "done": False}


def complete_task(state: State, task_id: str) -> Record:
    was = state["tasks"].get(task_id)["status"]
    task = state["tasks"].edit(task_id)
    task["status"] = "done"
    return {**task, "was": was}
