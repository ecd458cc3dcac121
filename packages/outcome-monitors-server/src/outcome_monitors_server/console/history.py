"""Results over time, counted by the store itself: of each tool the share that was checked, and the share that agents were told of."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from outcome_monitors.events.places import EventConnection, EventPlace
from outcome_monitors.reports.markup import Markup, element, number
from outcome_monitors.reports.share import percent

__all__ = ["History", "HistoryStep", "drawn", "history_of"]

REACH = 200_000
"""Events that are counted."""
MOST_STEPS = 36
DAY = 86400.0
SAMPLE = 2000
STRAY = 0.01
"""The share of a sample at either end that does not decide on the step."""
UNITS = (60, 600, 3600, 6 * 3600, 86400, 7 * 86400, 30 * 86400, 365 * 86400)
"""Seconds of a step: the first of which few enough cover all."""
_COUNTED = """
SELECT tool, CASE WHEN CAST(place AS BIGINT) > place THEN CAST(place AS BIGINT) - 1 ELSE CAST(place AS BIGINT) END, count(*),
  sum(CASE WHEN outcome IN ('clean', 'flagged') THEN 1 ELSE 0 END), sum(CASE WHEN outcome = 'flagged' THEN 1 ELSE 0 END), sum(advised)
FROM (SELECT tool, outcome, advised, time / ? AS place FROM events WHERE id > ? AND time BETWEEN ? AND ?) AS steps
GROUP BY 1, 2 ORDER BY 1, 2"""
"""A cast goes down to the whole number in SQLite, and to the nearest one in PostgreSQL."""
WIDTH, HEIGHT = 120, 28
LEAST_SCALE = 0.1
"""The share of results told of that a bar of full height stands for, at least: on the scale of what is checked nobody would see it."""


class HistoryStep(NamedTuple):
    """A stretch of time, and what became of the results in it."""

    begin: float
    """In seconds since 1970."""
    seen: int
    checked: int
    flagged: int
    told: int

    @property
    def when(self) -> str:
        """The beginning, as it is written."""
        return f"{datetime.fromtimestamp(self.begin, UTC):%Y-%m-%d %H:%M}"


History = dict[str, list[HistoryStep]]
"""The steps of each tool in which there was a result."""


def history_of(store: EventPlace) -> History:
    """Count the last events of a store by tool and time; a store that is not there yet has none."""
    if not store.exists():
        return {}
    with store.reading() as connection:
        [newest] = connection.execute("SELECT coalesce(max(id), 0) FROM events").fetchone()
        after = max(0, newest - REACH)
        first, last = _usual_range(connection, after, newest)
        unit = next((unit for unit in UNITS if (last - first) / unit < MOST_STEPS), UNITS[-1])
        values = (unit, after, last - unit * MOST_STEPS, last + DAY)
        rows = connection.execute(_COUNTED, values).fetchall()
    found: History = {}
    for tool, step, *counts in rows:
        found.setdefault(tool, []).append(HistoryStep(step * unit, *counts))
    return found


def _usual_range(connection: EventConnection, after: int, newest: int) -> tuple[float, float]:
    """Return when the events begin and end, without the few whose clock was wrong: they would squeeze all the rest into one step."""
    every = max(1, (newest - after) // SAMPLE)
    rows = connection.execute(
        "SELECT time FROM events WHERE id > ? AND id % ? = 0 ORDER BY time", (after, every)
    )
    times = [time for (time,) in rows]
    stray = int(len(times) * STRAY)
    return (times[stray], times[-1 - stray]) if times else (0.0, 0.0)


def drawn(tool: str, steps: Sequence[HistoryStep]) -> Markup:
    """Draw the share that was checked as a line, and the share that was told of as bars; the words are in its title."""
    if not steps:
        return element("span", "no results yet", class_="note")
    seen, checked, told = (sum(getattr(step, name) for step in steps) for name in ("seen", "checked", "told"))
    words = (
        f"{tool}, {steps[0].when} to {steps[-1].when} UTC: {percent(checked / seen)} checked,"
        f" {percent(told / seen)} told of {seen:,} results; a bar of full height is {percent(_scale(steps))} told"
    )
    return element(
        "svg",
        element("title", words),
        *_bars(steps),
        element("polyline", class_="line s2", points=" ".join(_line(steps))),
        class_="spark",
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        role="img",
        aria_label=words,
    )


def _across(steps: Sequence[HistoryStep], step: HistoryStep) -> float:
    span = steps[-1].begin - steps[0].begin
    return 4 + (WIDTH - 8) * ((step.begin - steps[0].begin) / span if span else 0.5)


def _line(steps: Sequence[HistoryStep]) -> Iterator[str]:
    ends = [steps[0], *steps] if len(steps) == 1 else steps
    for place, step in enumerate(ends):
        # One step alone is drawn as a level across.
        x = (4, WIDTH - 4)[place] if len(steps) == 1 else _across(steps, step)
        yield f"{number(x)},{number(HEIGHT - 2 - (HEIGHT - 6) * step.checked / step.seen)}"


def _scale(steps: Sequence[HistoryStep]) -> float:
    return max(LEAST_SCALE, *(step.told / step.seen for step in steps))


def _bars(steps: Sequence[HistoryStep]) -> Iterator[Markup]:
    most = _scale(steps)
    for step in steps:
        if step.told:
            height = max(1.5, (HEIGHT - 4) * step.told / step.seen / most)
            yield element(
                "rect",
                class_="alarm",
                x=_across(steps, step) - 1.5,
                y=HEIGHT - height,
                width=3,
                height=height,
            )
