"""Results over time, and the fields of a tool's results: counted, and drawn small."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, NamedTuple

from outcome_monitors.events import CLEAN, FLAGGED
from outcome_monitors.jsonvalue.canonical import NOT_JSON, canonical
from outcome_monitors.jsonvalue.display import clip, clip_text
from outcome_monitors.jsonvalue.paths import ROOT, below, each_item
from outcome_monitors.jsonvalue.types import finite
from outcome_monitors.model import Json
from outcome_monitors.reports import Markup, element, percent
from outcome_monitors.reports.charts import Scale, drawing
from outcome_monitors.reports.markup import number
from outcome_monitors.storage.storage import EventTable

REACH = 200_000
"""Events that are counted."""
MOST_STEPS = 36
MINUTE, DAY = 60, 86400
UNITS = (60, 600, 3600, 6 * 3600, 86400, 7 * 86400, 30 * 86400, 365 * 86400)
"""Seconds of a step: the first of which few enough cover all."""
WIDTH, HEIGHT = 120, 28
LEAST_SCALE = 0.1
"""The share of results told of that a bar of full height stands for, at least: on the scale of what is checked nobody would see it."""
MOST_FIELDS, MOST_DISTINCT, MOST_NUMBERS, MOST_ITEMS, DEEPEST, SHOWN = 80, 200, 120, 20, 6, 5


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


def history_of(store: EventTable) -> History:
    """Count the last events of a store by tool and time; a store that is not there yet has none."""
    return time_steps(store, REACH)[1] if store.exists() else {}


def time_steps(store: EventTable, reach: int) -> tuple[int, History]:
    """Count so many of the last events by tool and time; return the seconds of a step as well. What has no time is left out."""
    with store.reading() as rows:
        after = max(0, rows.last("events") - reach)
        counted = rows.count("events", "tool", "outcome", "advised", step=MINUTE, after=after, since=1.0)
    first, last = _usual_range(Counter({minute * MINUTE: many for *_, minute, many in counted}))
    unit = next((unit for unit in UNITS if (last - first) / unit < MOST_STEPS), UNITS[-1])
    steps: dict[tuple[str, int], Counter[str]] = {}
    for tool, outcome, told, minute, many in counted:
        if last - unit * MOST_STEPS <= minute * MINUTE <= last + DAY:
            step = steps.setdefault((tool, minute * MINUTE // unit), Counter())
            step.update({"seen": many, outcome: many, "told": told * many})
    found: History = {}
    for (tool, place), step in sorted(steps.items()):
        flagged = step[FLAGGED]
        counts = step["seen"], step[CLEAN] + flagged, flagged, step["told"]
        found.setdefault(tool, []).append(HistoryStep(place * unit, *counts))
    return unit, found


def _usual_range(events: Counter[int]) -> tuple[int, int]:
    """Return when the events begin and end, without the few whose clock was wrong: they would squeeze all the rest into one step."""
    times, stray = sorted(events.elements()), events.total() // 100
    return (times[stray], times[-1 - stray]) if times else (0, 0)


def drawn(tool: str, steps: Sequence[HistoryStep]) -> Markup:
    """Draw the share that was checked as a line, and the share that was told of as bars; the words are in its title."""
    if not steps:
        return element("span", "no results yet", class_="note")
    seen, checked, told = (sum(getattr(step, name) for step in steps) for name in ("seen", "checked", "told"))
    most = max(LEAST_SCALE, *(step.told / step.seen for step in steps))
    words = (
        f"{tool}, {steps[0].when} to {steps[-1].when} UTC: {percent(checked / seen)} checked,"
        f" {percent(told / seen)} alerted of {seen:,} results; a bar of full height is {percent(most)} alerted"
    )
    across = Scale(steps[0].begin, steps[-1].begin, 4, WIDTH - 4)
    places = [(across(step.begin), step) for step in steps]
    # One step alone is drawn as a level across.
    ends = [(4.0, steps[0]), (WIDTH - 4.0, steps[0])] if len(steps) == 1 else places
    bars = [
        element("rect", class_="alarm", x=x - 1.5, y=HEIGHT - tall, width=3, height=tall)
        for x, step in places
        if step.told
        for tall in [max(1.5, (HEIGHT - 4) * step.told / step.seen / most)]
    ]
    line = [(x, HEIGHT - 2 - (HEIGHT - 6) * step.checked / step.seen) for x, step in ends]
    return _spark(words, line, *bars)


@dataclass(slots=True)
class FieldValues:
    """What stood at one path."""

    results: int = 0
    """In how many results it is."""
    values: Counter[str] = field(default_factory=Counter)
    numbers: list[float] = field(default_factory=list)

    def add(self, value: Json) -> None:
        """Take a value; of many different ones the first are counted."""
        if finite(value):
            self.numbers.append(float(value))
            return
        text = clip_text(str(clip(value)), 40)
        if text in self.values or len(self.values) < MOST_DISTINCT:
            self.values[text] += 1

    def words(self) -> str:
        """Say what its values are."""
        numbers, parts = self.numbers, list[str]()
        if numbers:
            parts.append(f"{min(numbers):,.6g} to {max(numbers):,.6g}, last {numbers[-1]:,.6g}")
        parts += [f"{text} ({times:,})" for text, times in self.values.most_common(SHOWN)]
        rest = len(self.values) - SHOWN
        return "; ".join([*parts, *([f"and {rest:,} more"] if rest > 0 else [])])

    def drawn(self) -> Markup:
        """Draw how numbers went, the last on the right."""
        last = self.numbers[-MOST_NUMBERS:]
        if len(last) < 2:
            return Markup("")
        wide, tall = Scale(0, len(last) - 1, 4, WIDTH - 4), Scale(min(last), max(last), HEIGHT - 3, 3)
        words = f"the last {len(last)} values, from {min(last):,.6g} to {max(last):,.6g}"
        return _spark(words, [(wide(place), tall(value)) for place, value in enumerate(last)])


def fields_in(results: Sequence[Json]) -> dict[str, FieldValues]:
    """Return the fields of results, oldest first, by path."""
    found: dict[str, FieldValues] = {}
    for result in results:
        value = canonical(result)
        here = set[str]()
        for path, leaf in _leaves(value, ROOT, 0) if value is not NOT_JSON else ():
            if path in found or len(found) < MOST_FIELDS:
                found.setdefault(path, FieldValues()).add(leaf)
                here.add(path)
        for path in here:
            found[path].results += 1
    return found


def _leaves(value: Any, path: str, depth: int) -> Iterator[tuple[str, Json]]:
    if isinstance(value, dict) and value and depth < DEEPEST:
        for key, item in value.items():
            yield from _leaves(item, below(path, str(key)), depth + 1)
    elif isinstance(value, list) and value and depth < DEEPEST:
        for item in value[:MOST_ITEMS]:
            yield from _leaves(item, each_item(path), depth + 1)
    else:
        yield path, value


def _spark(words: str, line: Sequence[tuple[float, float]], *bars: Markup) -> Markup:
    points = " ".join(f"{number(x)},{number(y)}" for x, y in line)
    return drawing(
        words, WIDTH, HEIGHT, *bars, element("polyline", class_="line s2", points=points), kind="spark"
    )
