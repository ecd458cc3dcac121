"""Made-up REST traffic: many endpoints, few calls of each, and users everywhere."""

import random
from typing import Any

from outcome_monitors import Call

THINGS = [
    "album", "badge", "case", "device", "event", "file", "gift", "hook", "issue", "job", "key", "label", "memo", "note",
    "offer", "plan", "quote", "room", "seat", "team", "unit", "visit", "wish", "yard", "zone", "agent",
]  # fmt: skip


def user(number: int) -> dict[str, Any]:
    return {
        "id": 1000 + number,
        "login": f"user{number}",
        "url": f"https://api.shop.test/users/{number}",
        "site_admin": number % 7 == 0,
        "created_at": f"2026-03-{number % 28 + 1:02}T10:00:00Z",
    }


def thing(name: str, number: int) -> dict[str, Any]:
    """Return what an endpoint answers with: some fields of its own, and who owns it."""
    own = {
        f"{name}_code": f"{name}-{number}",
        f"{name}_size": number % 9 + 1,
        f"{name}_note": f"note {number}",
    }
    return {"id": number, "title": f"{name} {number}", **own, "owner": user(number)}


def traffic(calls: int = 3, seed: int = 7) -> list[Call]:
    """Return some calls of every endpoint: one of a thing, one of a list of them, and one that deletes."""
    source = random.Random(seed)
    found = []
    for name in THINGS:
        for index in range(calls):
            number = source.randrange(1000, 9000)
            task = f"{name} {index}"
            found += [
                Call(f"GET /{name}s/{{id}}", {"id": number}, thing(name, number), task=task),
                Call(f"GET /{name}s", {}, [thing(name, number + more) for more in range(3)], task=task),
                Call(f"DELETE /{name}s/{{id}}", {"id": number}, "", task=task),
            ]
    return found
