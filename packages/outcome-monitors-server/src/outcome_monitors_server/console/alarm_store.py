"""Alarms in a store of events: the last of them, one of them, and what the agent did after each.

Of a store with millions of events few are read: the flagged have an index of their own, and of one tool's the last are looked for.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from outcome_monitors.events import FLAGGED
from outcome_monitors.events.follow import newest
from outcome_monitors.events.places import EventPlace
from outcome_monitors.events.reader import Wanted, read_last
from outcome_monitors_server.report.followups import DEEDS, NOTHING, UNKNOWN, Followups
from outcome_monitors_server.report.observation import from_event

__all__ = [
    "MOST_ALARMS",
    "SO_FAR",
    "Alarm",
    "alarms_after",
    "event_numbered",
    "last_alarms",
    "last_events",
    "next_of",
]

MOST_ALARMS = 50
"""Alarms on one page."""
REACH = 200_000
"""Events that are looked through for those of one tool."""
PATIENCE = 20_000
"""Events within which an agent's next call is looked for."""

SO_FAR = " so far"
"""Ends what is said of an agent that may yet make a call."""

Alarm = dict[str, Any]
"""A flagged event, as `read_events` gives it."""


def last_alarms(store: EventPlace, before: int | None = None, most: int = MOST_ALARMS) -> list[Alarm]:
    """Return the last flagged results, or the last before an event, the newest first."""
    if not store.exists():
        return []
    return read_last(store, most, Wanted(outcomes=(FLAGGED,), before=before))[::-1]


def alarms_after(store: EventPlace, number: int) -> list[Alarm]:
    """Return the flagged results behind an event, oldest first; of many the last."""
    return [alarm for alarm in reversed(last_alarms(store)) if alarm["event"] > number]


def last_events(store: EventPlace, tool: str, most: int) -> list[dict[str, Any]]:
    """Return the last results of a tool, the newest first."""
    if not store.exists():
        return []
    return read_last(store, most, Wanted(tool=tool, after=max(0, newest(store) - REACH)))[::-1]


def event_numbered(store: EventPlace, number: int) -> dict[str, Any] | None:
    """Return one event; None where there is none of that number."""
    found = read_last(store, 1, Wanted(after=number - 1, before=number + 1)) if store.exists() else []
    return found[0] if found else None


def next_of(store: EventPlace, alarms: Sequence[Alarm]) -> dict[int, str]:
    """Say of each alarm what the agent did next, as far as the store shows it."""
    following = _next_calls(store, [alarm for alarm in alarms if alarm["session"] is not None])
    return {alarm["event"]: _deed(alarm, following.get(alarm["event"])) for alarm in alarms}


def _next_calls(store: EventPlace, alarms: Iterable[Alarm]) -> dict[int, dict[str, Any]]:
    """Return the event that follows each alarm in its session."""
    query = (
        "SELECT id, tool, outcome FROM events WHERE id > ? AND id <= ? AND session = ? ORDER BY id LIMIT 1"
    )
    found = {}
    with store.reading() as connection:
        for alarm in alarms:
            number = alarm["event"]
            row = connection.execute(query, (number, number + PATIENCE, alarm["session"])).fetchone()
            if row is not None:
                found[number] = dict(zip(("event", "tool", "outcome"), row, strict=True))
    return found


def _deed(alarm: Alarm, following: dict[str, Any] | None) -> str:
    followups = Followups()
    coming = followups.add(from_event(alarm))
    if coming is None or coming.deed == UNKNOWN:
        return DEEDS[UNKNOWN]
    if following is None:
        return f"{DEEDS[NOTHING]}{SO_FAR}"
    followups.add(from_event({**following, "session": alarm["session"]}))
    return f"{DEEDS[coming.deed]}: {coming.tool}, {coming.outcome.replace('_', ' ')} (event {following['event']})"
