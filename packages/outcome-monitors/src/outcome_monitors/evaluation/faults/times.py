"""Times as they stand in results: reading, ordering and moving them without changing how they are written."""

import re
from datetime import date, datetime, timedelta
from typing import Any

from outcome_monitors.jsonvalue.times import when
from outcome_monitors.model import Json

__all__ = ["CLOCK", "earlier", "is_time", "later_years", "moment", "moved", "moved_hours"]

CLOCK = re.compile(r"([01]\d|2[0-3]):([0-5]\d)(:[0-5]\d)?\Z")
"""A time of day, alone."""

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}(?=\Z|[T ])")
_HOURS = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}")

Moment = tuple[str, Any]


def moment(value: Json) -> Moment | None:
    """Return a time with the sort it may be compared within, or None where the value is none."""
    read = when(value)
    if read is not None:
        return ("naive" if read.tzinfo is None else "aware", read)
    if isinstance(value, str) and CLOCK.match(value):
        return ("clock", value)
    return None


def is_time(value: Json) -> bool:
    """Say whether a value is an ISO date or time; a time of day alone is not."""
    return when(value) is not None


def earlier(first: Json, second: Json) -> bool:
    """Say whether both are times of one sort and the first comes before the second."""
    one, two = moment(first), moment(second)
    # Two times of one sort are of one type.
    return one is not None and two is not None and one[0] == two[0] and one[1] < two[1]


def moved(text: str, days: int) -> str:
    """Move an ISO date or time by whole days; what cannot be moved comes back as it was."""
    if not _DAY.match(text):
        return text
    try:
        return (date.fromisoformat(text[:10]) + timedelta(days=days)).isoformat() + text[10:]
    except (ValueError, OverflowError):
        return text


def moved_hours(text: str, hours: int) -> str:
    """Move an ISO time by hours; the offset, if any, and the smaller units stay as they were written."""
    if not _HOURS.match(text):
        return text
    try:
        new = datetime.fromisoformat(text[:16]) + timedelta(hours=hours)
    except (ValueError, OverflowError):
        return text
    return new.isoformat(sep=text[10], timespec="minutes") + text[16:]


def later_years(text: str, years: int) -> str:
    """Move the year of an ISO date or time; the 29th of February becomes the 28th."""
    if not _DAY.match(text) or not 1 <= int(text[:4]) + years <= 9999:
        return text
    day = text[4:10].replace("-02-29", "-02-28")
    return f"{int(text[:4]) + years:04d}{day}{text[10:]}"
