"""Charts as inline SVG: horizontal bars, dots with their intervals, lines, and columns over time.

Positions are in units of the drawing, which the page scales to its width; colours are classes of the page's style.
Values that are no finite number are left out.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import floor, isfinite, log10
from typing import NamedTuple, TypeVar

from outcome_monitors.jsonvalue.display import clip_text

from .markup import Markup, element, number
from .share import percent

__all__ = [
    "ChartColumn",
    "Dots",
    "Estimate",
    "Mark",
    "Scale",
    "Series",
    "bars",
    "columns",
    "dots",
    "drawing",
    "lines",
]
__all__ += ["meter", "ticks"]

WIDTH = 720
LEFT, RIGHT = 270, 560
"""Where the plot of a chart of rows begins and ends: names stand before it, remarks after."""
ROW, AXIS, LEGEND = 22, 26, 26
HEIGHT = 260
"""Of a line chart."""
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


class Mark(NamedTuple):
    """A bar; `remark` stands at the end of the row, `hint` is shown when someone points at it."""

    name: str
    estimate: Estimate
    remark: str = ""
    hint: str = ""


class Dots(NamedTuple):
    """A row of a dot plot, with an estimate for each name in the legend."""

    name: str
    estimates: Sequence[Estimate]
    remark: str = ""
    hint: str = ""


class Series(NamedTuple):
    """A line, with its points from left to right."""

    name: str
    points: Sequence[tuple[float, Estimate]]


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


def bars(title: str, marks: Sequence[Mark], *, most: float = 1.0, form: Form = percent) -> Markup:
    """Draw a bar for each mark, from 0 to `most`, with its interval as a whisker."""
    scale = Scale(0.0, most, LEFT, RIGHT)

    def bar(mark: Mark, y: float) -> Iterator[Markup]:
        yield element("rect", class_="track", x=LEFT, y=y - 6, width=RIGHT - LEFT, height=12)
        if _known(mark.estimate.value):
            width = scale(mark.estimate.value or 0.0) - LEFT
            yield element("rect", class_="bar", x=LEFT, y=y - 6, width=width, height=12)
        yield from _whisker(scale, mark.estimate, y)

    return _rows(title, marks, bar, scale, form)


def dots(
    title: str,
    names: Sequence[str],
    rows: Sequence[Dots],
    *,
    least: float = 0.0,
    most: float = 1.0,
    form: Form = percent,
) -> Markup:
    """Draw a row of dots, one for each name, joined by a line: what lies between them is the difference."""
    scale = Scale(least, most, LEFT, RIGHT)

    def joined(row: Dots, y: float) -> Iterator[Markup]:
        known = [(index, one) for index, one in enumerate(row.estimates) if _known(one.value)]
        places = [scale(one.value or 0.0) for _, one in known]
        if places:
            yield element("line", class_="joint", x1=min(places), x2=max(places), y1=y, y2=y)
        for (index, one), x in zip(known, places, strict=True):
            yield from _whisker(scale, one, y)
            yield element("circle", class_=f"dot s{index}", cx=x, cy=y, r=5.5)

    return _rows(title, rows, joined, scale, form, _legend(names, LEFT))


def lines(
    title: str, series: Sequence[Series], *, across: str, most: float = 1.0, form: Form = percent
) -> Markup:
    """Draw lines over a horizontal axis that `across` names; the vertical one goes from 0 to `most`."""
    places = [x for one in series for x, _ in one.points if isfinite(x)] or [0.0]
    wide, tall = Scale(min(places), max(places), 60, WIDTH - 20), Scale(0.0, most, HEIGHT, LEGEND + 10)
    axis = [
        *(_level(60, WIDTH - 20, tall(tick), form(tick)) for tick in ticks(0.0, most)),
        *(_text("tick", wide(x), HEIGHT + 18, f"{x:,.10g}", "middle") for x in ticks(wide.low, wide.high)),
        _text("tick", (60 + WIDTH - 20) / 2, HEIGHT + 38, across, "middle"),
    ]
    drawn = (_line(index, one, wide, tall) for index, one in enumerate(series))
    legend = _legend([one.name for one in series], 60)
    return drawing(title, WIDTH, HEIGHT + 46, *legend, *axis, *drawn)


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


Row = TypeVar("Row", Mark, Dots)


def _rows(
    title: str,
    rows: Sequence[Row],
    draw: Callable[[Row, float], Iterable[Markup]],
    scale: Scale,
    form: Form,
    legend: Iterable[Markup] | None = None,
) -> Markup:
    """Draw rows below each other, with their names and remarks, on a grid."""
    top = 0 if legend is None else LEGEND
    bottom = top + ROW * len(rows)
    drawn = [*(legend or ())]
    for tick in ticks(scale.low, scale.high):
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
        drawn.append(element("g", *words, *draw(row, y)))
    return drawing(title, WIDTH, bottom + AXIS, *drawn)


def _text(kind: str, x: float, y: float, text: str, anchor: str = "start") -> Markup:
    return element("text", clip_text(text, LONGEST_NAME * 2), class_=kind, x=x, y=y, text_anchor=anchor)


def _line(index: int, one: Series, wide: Scale, tall: Scale) -> Markup:
    known = [(wide(x), tall(each.value or 0.0), each) for x, each in one.points if _known(x, each.value)]
    path = " ".join(f"{number(x)},{number(y)}" for x, y, _ in known)
    return element(
        "g",
        element("title", one.name),
        element("polyline", class_=f"line s{index}", points=path),
        *(mark for x, _, each in known for mark in _whisker(tall, each, x, upright=True)),
        *(element("circle", class_=f"dot s{index}", cx=x, cy=y, r=4) for x, y, _ in known),
    )


def _whisker(scale: Scale, estimate: Estimate, across: float, *, upright: bool = False) -> Iterator[Markup]:
    if not _known(estimate.low, estimate.high):
        return
    low, high = scale(estimate.low or 0.0), scale(estimate.high or 0.0)
    strokes = [(low, across, high, across)] + [(end, across - 4, end, across + 4) for end in (low, high)]
    for x1, y1, x2, y2 in strokes:
        ends = (y1, x1, y2, x2) if upright else (x1, y1, x2, y2)
        yield element("line", class_="whisker", **dict(zip(("x1", "y1", "x2", "y2"), ends, strict=True)))


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
