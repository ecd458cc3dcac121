"""Charts as inline SVG: dots with their intervals, and columns over time.

Positions are in units of the drawing, which the page scales to its width; colours are classes of the page's style.
Values that are no finite number are left out.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import floor, isfinite, log10
from typing import NamedTuple

from outcome_monitors.jsonvalue.display import clip_text

from .markup import Markup, element, number
from .share import percent

WIDTH = 720
LEFT, RIGHT = 270, 560
"""Where the plot of a chart of rows begins and ends: names stand before it, remarks after."""
ROW, AXIS, LEGEND = 22, 26, 26
LONGEST_NAME = 44
NARROW = 360
"""The width of a drawing whose words a phone shows as well as a desk."""

Form = Callable[[float], str]
"""How a value is written on an axis."""


class Estimate(NamedTuple):
    """A value, and where it is known, the interval that it lies in."""

    value: float | None
    low: float | None = None
    high: float | None = None


class Dots(NamedTuple):
    """A row of a dot plot, with an estimate for each name in the legend."""

    name: str
    estimates: Sequence[Estimate]
    remark: str = ""
    hint: str = ""


class ChartColumn(NamedTuple):
    """A column."""

    label: str
    value: int
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Scale:
    """A straight line from values to positions; what lies outside is put at the edge."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """Return the position of a value."""
        # Divided first: the difference of two large values may be beyond what a float holds.
        span = self.high / 2 - self.low / 2
        along = (value / 2 - self.low / 2) / span if span else 0.5
        return self.start + (self.end - self.start) * min(1.0, max(0.0, along))


def ticks(low: float, high: float, about: int = 4) -> list[float]:
    """Return round values from `low` to `high`, about so many and never many more.

    >>> ticks(0, 1), ticks(3, 260)
    ([0.0, 0.25, 0.5, 0.75, 1.0], [100.0, 200.0])
    """
    rough = (high - low) / about
    magnitude = 10.0 ** floor(log10(rough)) if isfinite(rough) and rough > 0 else 0.0
    if not magnitude:
        return [low]
    # A hair less, so that a fourth of 1 is not above 0.25.
    step = next(step * magnitude for step in (1, 2, 2.5, 5, 10) if step * magnitude >= rough * 0.999)
    found = (place * step for place in range(floor(low / step), floor(high / step) + 2))
    return [float(f"{value:.12g}") for value in found if low <= value <= high] or [low]


def dots(
    title: str,
    names: Sequence[str],
    rows: Sequence[Dots],
    *,
    least: float = 0.0,
    most: float = 1.0,
    form: Form = percent,
) -> Markup:
    """Draw a row of dots, one for each name, joined by a line: what lies between them is the difference.

    An estimate's interval is a whisker; without names there is no legend.
    """
    scale = Scale(least, most, LEFT, RIGHT)
    top = LEGEND if names else 0
    bottom = top + ROW * len(rows)
    drawn = [*_legend(names, LEFT)]
    for tick in ticks(least, most):
        x = scale(tick)
        drawn += [
            element("line", class_="grid", x1=x, x2=x, y1=top, y2=bottom),
            _text("tick", x, bottom + 16, form(tick), "middle"),
        ]
    for place, row in enumerate(rows):
        y = top + ROW * (place + 0.5)
        words = (
            element("title", row.hint or row.name),
            _text("name", LEFT - 10, y + 4, clip_text(row.name, LONGEST_NAME), "end"),
            _text("remark", RIGHT + 12, y + 4, row.remark),
        )
        drawn.append(element("g", *words, *_joined(row.estimates, scale, y)))
    return drawing(title, WIDTH, bottom + AXIS, *drawn)


def _joined(estimates: Sequence[Estimate], scale: Scale, y: float) -> Iterator[Markup]:
    known = [(index, one) for index, one in enumerate(estimates) if _known(one.value)]
    places = [scale(one.value or 0.0) for _, one in known]
    if places:
        yield element("line", class_="joint", x1=min(places), x2=max(places), y1=y, y2=y)
    for (index, one), x in zip(known, places, strict=True):
        if _known(one.low, one.high):
            low, high = scale(one.low or 0.0), scale(one.high or 0.0)
            yield element("line", class_="whisker", x1=low, x2=high, y1=y, y2=y)
            for end in (low, high):
                yield element("line", class_="whisker", x1=end, x2=end, y1=y - 4, y2=y + 4)
        yield element("circle", class_=f"dot s{index}", cx=x, cy=y, r=5.5)


def columns(title: str, found: Sequence[ChartColumn]) -> Markup:
    """Draw a column for each, from left to right; those with a value above zero can always be seen."""
    left, right, top, bottom, label = 34, NARROW - 4, 8, 120, 66
    most = max((column.value for column in found), default=0) or 1
    tall, wide = Scale(0, most, bottom, top), (right - left) / max(1, len(found))
    # As many labels as there is room for, the first always.
    every = max(1, -(-len(found) // 4), int(label / wide) + 1)

    def drawn(place: int, column: ChartColumn) -> Iterator[Markup]:
        x, y = left + wide * place, min(tall(column.value), bottom - 1.5) if column.value else bottom
        yield element("title", column.hint or f"{column.label}: {column.value:,}")
        # The whole height can be pointed at, also above a low column.
        yield element("rect", class_="hollow", x=x, y=top, width=wide, height=bottom - top)
        width = min(wide * 0.8, 40)
        yield element("rect", class_="alarm", x=x + wide * 0.1, y=y, width=width, height=bottom - y)
        if not place % every and (not place or x + label <= NARROW):
            yield element("text", column.label, class_="tick", x=x + wide * 0.1, y=bottom + 15)

    levels = (
        _level(left, right, tall(tick), f"{tick:,.0f}") for tick in ticks(0, most, 3) if tick == int(tick)
    )
    shown = (element("g", *drawn(place, column)) for place, column in enumerate(found))
    return drawing(title, NARROW, bottom + 20, *levels, *shown, kind="chart narrow")


def meter(share: float | None) -> Markup:
    """Write a share from 0 to 1, with a bar beside it."""
    bar = element(
        "svg",
        element("rect", class_="track", x=0, y=0, width=100, height=10),
        element("rect", class_="bar", x=0, y=0, width=100 * min(1.0, max(0.0, share or 0.0)), height=10),
        viewBox="0 0 100 10",
        preserveAspectRatio="none",
        aria_hidden="true",
    )
    return element("div", element("span", percent(share)), bar, class_="meter")


def drawing(title: str, width: float, height: float, *content: str, kind: str = "chart") -> Markup:
    """Return a picture that says what it shows, also to those who cannot see it."""
    size = f"0 0 {number(width)} {number(height)}"
    return element(
        "svg", element("title", title), *content, class_=kind, viewBox=size, role="img", aria_label=title
    )


def _text(kind: str, x: float, y: float, text: str, anchor: str = "start") -> Markup:
    return element("text", clip_text(text, LONGEST_NAME * 2), class_=kind, x=x, y=y, text_anchor=anchor)


def _level(left: float, right: float, y: float, text: str) -> Markup:
    """Draw a horizontal line of the grid with its label."""
    line = element("line", class_="grid", x1=left, x2=right, y1=y, y2=y)
    return element("g", line, _text("tick", left - 6, y + 4, text, "end"))


def _legend(names: Sequence[str], left: float) -> Iterator[Markup]:
    x = left + 6
    for index, name in enumerate(names):
        shown = clip_text(name, LONGEST_NAME)
        yield element("circle", class_=f"dot s{index}", cx=x, cy=10, r=5.5)
        yield _text("tick", x + 11, 14, shown)
        x += 34 + 6.6 * len(shown)


def _known(*values: float | None) -> bool:
    return all(value is not None and isfinite(value) for value in values)
