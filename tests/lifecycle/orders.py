"""Calls of a small shop, and contracts for them, for the tests of a contract's life."""

from collections.abc import Callable
from typing import Any

from outcome_monitors import Call, Registry, mine
from outcome_monitors.model import Profile

STATUSES = ("delivered", "pending", "sent")
Result = dict[str, Any]


def order(number: int, change: Callable[[Result], None] | None = None, time: str | None = None) -> Call:
    """Return the look at one order, in a task of its own, with or without a change to its result."""
    result: Result = {
        "id": f"W{number}",
        "status": STATUSES[number % 3],
        "total": 10.5 + number % 50,
        "rows": 2,
    }
    if change is not None:
        change(result)
    extra = {"time": time} if time is not None else {}
    return Call("get_order", {"id": f"W{number}"}, result, task=f"shop/{number}", extra=extra)


def clean(tasks: int, start: int = 0) -> list[Call]:
    """Return so many clean calls."""
    return [order(number) for number in range(start, start + tasks)]


def contracts(tasks: int = 60, profile: Profile = "paper") -> Registry:
    """Return what so many clean calls teach."""
    return mine(clean(tasks), profile)
