"""Dates and times as results write them."""

import operator
import re
import time
from datetime import UTC, datetime
from typing import Any


def when(text: Any) -> datetime | None:
    """Read a date or time as ISO 8601 writes it in full (2026-03-01, 2026-03-01T10:00:00Z), or say that it is none.

    Looser readers take "12" and "May" for dates. With these layouts alone, two texts with the same one of `PLAIN` for every
    ninth character from the tenth on (what separates date and time, and what follows the seconds) are in order as times when
    they are in order as texts.
    """
    if type(text) is not str or not 10 <= len(text) <= 40 or text[4] != "-" or text[7] != "-":
        return None
    if len(text) > 10 and (text[13:14] != ":" or text[16:17] not in _AFTER_MINUTES):
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def written(seconds: float) -> str:
    """Write a time, in seconds since 1970, to the second."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(int(seconds)))


def seconds_of(moment: str | datetime) -> float:
    """Return a time as seconds since 1970; one without an offset is in UTC, and what is no time raises ValueError."""
    found = moment if isinstance(moment, datetime) else datetime.fromisoformat(moment)
    return (found if found.tzinfo is not None else found.replace(tzinfo=UTC)).timestamp()


_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400, "y": 365 * 86400}


def seconds_in(text: str) -> int | None:
    """Return the seconds in a stretch of time as people type it, `30m`, `12h`, `7d`; None for anything else."""
    found = re.fullmatch(r"(\d{1,6})([smhdwy])", text)
    return None if found is None else int(found[1]) * _UNITS[found[2]]


_AFTER_MINUTES = ("", ":", "Z")
PLAIN = frozenset({"", "T", " ", "TZ", " Z"})


def comparable(first: datetime, second: datetime) -> bool:
    """Say whether two times can be ordered: both carry an offset, or neither does."""
    return (first.tzinfo is None) == (second.tzinfo is None)


_UTC = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(?:\+00:?00| UTC)")
_ENDS = ("+00:00", "+0000", " UTC")


_DEEPEST = 100
"""Levels that are looked at."""


def in_utc(value: Any, levels: int = _DEEPEST) -> Any:
    """Return plain JSON with moments in UTC written in one way, with `T` and `Z`; the same object where they are."""
    kind = type(value)
    if kind is str:
        if not value.endswith(_ENDS):
            return value
        found = _UTC.fullmatch(value)
        return value if found is None else f"{found[1]}T{found[2]}Z"
    if kind is dict and levels:
        items = {key: in_utc(item, levels - 1) for key, item in value.items()}
        return value if all(map(operator.is_, items.values(), value.values())) else items
    if kind is list and levels:
        rows = [in_utc(item, levels - 1) for item in value]
        return value if all(map(operator.is_, rows, value)) else rows
    return value
