"""How many results there were when, in as many steps as a small screen shows; bounded memory."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

__all__ = ["TimeStep", "Timeline", "Unit"]

MOST_STEPS = 36
MOST_KEPT = 20_000
"""Steps in memory; beyond them a larger unit is taken."""
STRAY = 0.005
"""The share of results at either end that does not decide on the unit: clocks are wrong at times."""


class Unit(NamedTuple):
    """A step of time."""

    name: str
    form: str
    """How a step is written."""
    begin: Callable[[datetime], datetime]
    """The beginning of the step that a time is in."""
    longest: timedelta
    """From one beginning to the next, at most."""


def _day(time: datetime) -> datetime:
    return time.replace(hour=0, minute=0, second=0, microsecond=0)


UNITS = (
    Unit("minute", "%d %b %H:%M", lambda t: t.replace(second=0, microsecond=0), timedelta(minutes=1)),
    Unit("hour", "%d %b %H:%M", lambda t: t.replace(minute=0, second=0, microsecond=0), timedelta(hours=1)),
    Unit("day", "%d %b %Y", _day, timedelta(days=1)),
    # There is no Monday before the first day of year 1, which is one itself.
    Unit("week", "%d %b %Y", lambda t: _day(t) - timedelta(days=t.weekday()), timedelta(days=7)),
    Unit("month", "%b %Y", lambda t: _day(t).replace(day=1), timedelta(days=31)),
    Unit("year", "%Y", lambda t: _day(t).replace(month=1, day=1), timedelta(days=366)),
)


class TimeStep(NamedTuple):
    """A step of time, what was seen in it, and what of that was flagged."""

    begin: datetime
    seen: int
    flagged: int


class Timeline:
    """Counts results by time."""

    def __init__(self) -> None:
        self.without_time = 0
        self._unit = 0
        self._seen: Counter[datetime] = Counter()
        self._flagged: Counter[datetime] = Counter()

    def add(self, time: datetime | None, *, flagged: bool) -> None:
        """Count a result."""
        if time is None:
            self.without_time += 1
            return
        begin = UNITS[self._unit].begin(time)
        self._seen[begin] += 1
        self._flagged[begin] += flagged
        while len(self._seen) > MOST_KEPT and self._unit < len(UNITS) - 1:
            self._unit += 1
            self._seen = _coarser(self._seen, UNITS[self._unit])
            self._flagged = _coarser(self._flagged, UNITS[self._unit])

    def steps(self) -> tuple[Unit, list[TimeStep], int]:
        """Return the unit that fits, the steps one after the other, empty ones too, and how many results lie outside."""
        if not self._seen:
            return UNITS[0], [], 0
        first, last = self._usual(sorted(self._seen)), self._usual(sorted(self._seen, reverse=True))
        fitting = (unit for unit in UNITS[self._unit :] if (last - first) / unit.longest < MOST_STEPS - 1)
        unit = next(fitting, UNITS[-1])
        seen, flagged = _coarser(self._seen, unit), _coarser(self._flagged, unit)
        begins = list(_between(unit, unit.begin(first), unit.begin(last)))[-MOST_STEPS:]
        steps = [TimeStep(begin, seen[begin], flagged[begin]) for begin in begins]
        return unit, steps, self._seen.total() - sum(step.seen for step in steps)

    def _usual(self, begins: Iterable[datetime]) -> datetime:
        """Return the first of these that does not only have the few results whose clock may be wrong before it."""
        stray, passed = int(self._seen.total() * STRAY), 0
        for begin in begins:
            passed += self._seen[begin]
            if passed > stray:
                break
        return begin


def _coarser(counts: Counter[datetime], unit: Unit) -> Counter[datetime]:
    found: Counter[datetime] = Counter()
    for begin, number in counts.items():
        found[unit.begin(begin)] += number
    return found


def _between(unit: Unit, first: datetime, last: datetime) -> Iterator[datetime]:
    begin = first
    while begin <= last:
        yield begin
        if datetime.max.replace(tzinfo=UTC) - begin < unit.longest:
            return
        begin = unit.begin(begin + unit.longest)
