"""Colleagues, meetings, messages and to-dos."""

import random

from outcome_monitors_study.world.data import vocabulary
from outcome_monitors_study.world.draws import CITIES, generator, numbered, person, shift
from outcome_monitors_study.world.state import TODAY, Record, Tables

__all__ = ["clock", "minutes", "tables"]

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
