"""Which events are meant: times and ages, and conditions on their fields."""

import re
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Any

import click

__all__ = ["Condition", "condition", "read_age", "read_since"]

Condition = Callable[[dict[str, Any]], bool]

_SECONDS = {"m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}
_AGE = re.compile(r"(\d{1,6})([mhdw])")
_CONDITION = re.compile(r"([a-z_]+)\s*(!=|=|~)\s*(.*)", re.DOTALL)
_IN_VIOLATIONS = ("code", "path", "clause", "id")
_FIELDS = ("tool", "outcome", "session", "why", "told", "event")


def read_since(text: str | None, now: Callable[[], float] = time.time) -> float | None:
    """Read a time (2026-03-01, 2026-03-01T10:00:00Z), an age (30m, 2h, 3d, 1w) or `today`, as seconds since 1970."""
    if text is None:
        return None
    if found := _AGE.fullmatch(text):
        return now() - int(found[1]) * _SECONDS[found[2]]
    if text == "today":
        return (
            datetime.fromtimestamp(now(), UTC).replace(hour=0, minute=0, second=0, microsecond=0).timestamp()
        )
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise click.UsageError(
            f"--since {text!r} is not a time as in 2026-03-01T10:00:00Z, an age as in 2h or 3d, or today"
        ) from None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def read_age(text: str) -> float:
    """Read an age in seconds."""
    found = _AGE.fullmatch(text)
    if found is None:
        raise click.UsageError(f"--forget {text!r} is not an age as in 30d, 12h or 4w")
    return int(found[1]) * _SECONDS[found[2]]


def condition(texts: Iterable[str]) -> Condition:
    """Return what all conditions say together: FIELD=VALUE, FIELD!=VALUE, or FIELD~PART."""
    each = [_one(text) for text in texts]
    return lambda event: all(holds(event) for holds in each)


def _one(text: str) -> Condition:
    found = _CONDITION.fullmatch(text.strip())
    known = (*_FIELDS, *_IN_VIOLATIONS)
    if found is None or found[1] not in known:
        raise click.UsageError(
            f"--where {text!r} is not of the form FIELD=VALUE, FIELD!=VALUE or FIELD~PART; fields are {', '.join(known)}"
        )
    name, sign, value = found.groups()
    if sign == "~":
        return lambda event: any(value in held for held in _values(event, name))
    return lambda event: any(_same(held, value, name) for held in _values(event, name)) == (sign == "=")


def _same(held: str, value: str, name: str) -> bool:
    # Of an address, as many digits as one likes.
    return held == value or (name == "clause" and "#" in value and held.startswith(value))


def _values(event: dict[str, Any], name: str) -> list[str]:
    if name in _IN_VIOLATIONS:
        return [str(found.get(name, "")) for found in event.get("violations", ()) if isinstance(found, dict)]
    value = event.get(name)
    return [str(value).lower() if isinstance(value, bool) else "" if value is None else str(value)]
