"""Who has seen it: results over clients, hours and days, so that none of these can carry a contract alone.

A witness is one client in one hour. However much it says, it counts for no more than a share of what is needed. Hours and days
are labels and nothing else: a clock that jumps makes one more of them, and no order is read off it.
"""

from collections.abc import Iterable
from datetime import UTC
from typing import NamedTuple

from outcome_monitors.model import Json
from outcome_monitors.values.times import when

__all__ = ["ClientHour", "Spread", "hour_of", "hour_on_record", "spread"]

HOUR = 3600
HOURS_OF_A_DAY = 24


class ClientHour(NamedTuple):
    """One client in one hour, and how many results it has seen."""

    client: str
    hour: int
    """Since 1970."""
    results: int = 1


class Spread(NamedTuple):
    """How widely results are spread."""

    results: int = 0
    """Those that count."""
    clients: int = 0
    hours: int = 0
    days: int = 0

    def suffices(self, results: int, hours: int, days: int) -> bool:
        """Say whether so much is enough; of a client that is alone another day is asked."""
        alone = self.clients < 2
        return self.results >= results and self.hours >= hours and self.days >= days + alone


def spread(witnesses: Iterable[ClientHour], most: int | None = None) -> Spread:
    """Return how widely results are spread; of one witness at most so many count."""
    known = list(witnesses)
    return Spread(
        sum(one.results if most is None else min(one.results, most) for one in known),
        len({one.client for one in known}),
        len({one.hour for one in known}),
        len({one.hour // HOURS_OF_A_DAY for one in known}),
    )


def hour_of(when: float) -> int:
    """Return the hour of a time in seconds since 1970."""
    return int(when // HOUR)


def hour_on_record(text: Json) -> int:
    """Return the hour of a time as a trace line has it; those that have none are all of one hour."""
    time = when(text)
    if time is None:
        return -1
    return hour_of((time if time.tzinfo is not None else time.replace(tzinfo=UTC)).timestamp())
