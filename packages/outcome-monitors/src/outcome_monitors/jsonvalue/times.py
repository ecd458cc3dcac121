"""Dates and times as results write them."""

import time
from datetime import datetime
from typing import Any

__all__ = ["PLAIN", "comparable", "when", "written"]


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


_AFTER_MINUTES = ("", ":", "Z")
PLAIN = frozenset({"", "T", " ", "TZ", " Z"})


def comparable(first: datetime, second: datetime) -> bool:
    """Say whether two times can be ordered: both carry an offset, or neither does."""
    return (first.tzinfo is None) == (second.tzinfo is None)
