"""An observation: one tool result and what was made of it, whether a trace or an event says so."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from outcome_monitors.jsonvalue.types import finite
from outcome_monitors.model import Json, Violation

__all__ = ["Observation", "from_event", "read_time"]


class Observation(NamedTuple):
    """One tool result, and what was made of it."""

    tool: str
    outcome: str
    """One of `events.OUTCOMES`."""
    time: datetime | None = None
    """In UTC."""
    session: str | None = None
    violations: Sequence[Violation] = ()
    receipt: Json = None
    """What the agent was told, or would have been."""
    listed: Sequence[str] = ()
    """The tools that the receipt lists."""
    told: bool | None = None
    """Whether the agent saw the receipt; None where that is not known."""
    where: str = ""
    """The file and line."""
    payload: Mapping[str, Json] | None = None
    """What went in and what came out, where that is known."""
    why: str = ""
    """Why it was not checked, where that is known."""
    clauses: Sequence[str] = ()
    """The addresses of the broken clauses, in the order of the violations."""


def from_event(event: Mapping[str, Any]) -> Observation:
    """Return the observation that an event holds (`events.read_events`)."""
    receipt, session, violations = (event.get(key) for key in ("receipt", "session", "violations"))
    return Observation(
        tool=str(event["tool"]),
        outcome=str(event["outcome"]),
        time=read_time(event.get("time")),
        session=session if isinstance(session, str) else None,
        violations=[
            _violation(found)
            for found in (violations if isinstance(violations, list) else ())
            if isinstance(found, dict)
        ],
        receipt=receipt,
        listed=_listed(receipt),
        told=bool(event.get("advised")),
        payload={side: event[side] for side in ("arguments", "result") if side in event} or None,
        why=str(event.get("why") or ""),
        clauses=[str(found) for found in event.get("clauses") or ()],
    )


def read_time(value: Json) -> datetime | None:
    """Read a time as traces have it, ISO 8601 or seconds since 1970, or say that it is none.

    >>> read_time("2026-03-01T10:00:00+02:00"), read_time("soon")
    (datetime.datetime(2026, 3, 1, 8, 0, tzinfo=datetime.timezone.utc), None)
    """
    try:
        if isinstance(value, str):
            found = datetime.fromisoformat(value)
            # A time without an offset is taken for UTC: the page is to be the same wherever it is made.
            return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
        return datetime.fromtimestamp(value, UTC) if finite(value) else None
    except (ValueError, OverflowError, OSError):
        return None


def _violation(found: Mapping[str, Any]) -> Violation:
    code, path, detail = (str(found.get(key) or "") for key in ("code", "path", "detail"))
    return Violation(code, path, found.get("expected"), found.get("observed"), detail)


def _listed(receipt: Json) -> list[str]:
    if not isinstance(receipt, dict):
        return []
    tools = receipt.get("admissible_recovery_tools")
    if isinstance(tools, list):
        return [tool for tool in tools if isinstance(tool, str)]
    actions = receipt.get("admissible_recovery_actions")
    named = (
        action.get("tool")
        for action in (actions if isinstance(actions, list) else ())
        if isinstance(action, dict)
    )
    return [tool for tool in named if isinstance(tool, str)]
