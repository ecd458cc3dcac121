"""Charts as inline SVG: horizontal bars, a dot plot, a line chart.

Positions are in units of a drawing 720 wide, which the page scales to its width; colours are classes, which the page
gives their meaning in light and in dark. Values that are no finite number are left out.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import isfinite
from typing import NamedTuple

from outcome_monitors.values.display import clip_text

from .markup import Markup, element, number
from .scales import Scale, ticks
from .share import percent

__all__ = ["Dots", "Estimate", "Mark", "Series", "bars", "dots", "lines"]

Form = Callable[[float], str]
"""How a value is written on an axis."""

WIDTH = 720
LEFT, RIGHT = 270, 560
"""Where the plot of a chart of rows begins and ends: names stand before it, remarks after."""
ROW = 22
AXIS = 26
LEGEND = 26
LONGEST_NAME = 44
LABEL = 45
"""How far apart the labels of an axis are at least."""
HEIGHT = 260
"""Of a line chart."""


class Estimate(NamedTuple):
    """A value, and where it is known, the interval that it lies in."""

    value: float | None
    low: float | None = None
    high: float | None = None


class Mark(NamedTuple):
    """A bar."""

    name: str
    estimate: Estimate
    remark: str = ""
    """What stands at the end of the row."""
    hint: str = ""
    """What is shown when someone points at it."""


class Dots(NamedTuple):
    """A row of a dot plot."""

    name: str
    estimates: Sequence[Estimate]
    """One for each name in the legend."""
    remark: str = ""
    hint: str = ""


class Series(NamedTuple):
    """A line."""

    name: str
    points: Sequence[tuple[float, Estimate]]
    """From left to right."""


def bars(title: str, marks: Sequence[Mark], *, most: float = 1.0, form: Form = percent) -> Markup:
    """Draw a bar for each mark, from 0 to `most`, with its interval as a whisker."""
    scale = Scale(0.0, most, LEFT, RIGHT)
    height = ROW * len(marks)
    rows = (
        element(
            "g",
            *_texts(mark.name, mark.remark, mark.hint, middle),
            element("rect", class_="track", x=LEFT, y=middle - 6, width=RIGHT - LEFT, height=12),
            *_bar(scale, mark.estimate, middle),
        )
        for mark, middle in zip(marks, _middles(len(marks), 0), strict=True)
    )
    return _drawing(title, height + AXIS, *_grid(scale, 0, height, form), *rows)


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
    bottom = LEGEND + ROW * len(rows)
    drawn = (
        element("g", *_texts(row.name, row.remark, row.hint, middle), *_joined(scale, row.estimates, middle))
        for row, middle in zip(rows, _middles(len(rows), LEGEND), strict=True)
    )
    return _drawing(title, bottom + AXIS, *_legend(names, LEFT), *_grid(scale, LEGEND, bottom, form), *drawn)


def lines(
    title: str, series: Sequence[Series], *, across: str, most: float = 1.0, form: Form = percent
) -> Markup:
    """Draw lines over a horizontal axis that `across` names; the vertical one goes from 0 to `most`."""
    places = [x for one in series for x, _ in one.points if isfinite(x)] or [0.0]
    wide = Scale(min(places), max(places), 60, WIDTH - 20)
    tall = Scale(0.0, most, HEIGHT, LEGEND + 10)
    axis = [
        *(_level(tall(tick), form(tick)) for tick in ticks(0.0, most)),
        *(_text("tick", wide(x), HEIGHT + 18, f"{x:,.10g}", "middle") for x in _apart(places, wide)),
        _text("tick", (60 + WIDTH - 20) / 2, HEIGHT + 38, across, "middle"),
    ]
    drawn = (_line(index, one, wide, tall) for index, one in enumerate(series))
    return _drawing(title, HEIGHT + 46, *_legend([one.name for one in series], 60), *axis, *drawn)


def _drawing(title: str, height: float, *content: str) -> Markup:
    return element(
        "svg",
        element("title", title),
        *content,
        class_="chart",
        viewBox=f"0 0 {WIDTH} {number(height)}",
        role="img",
        aria_label=title,
    )


def _middles(rows: int, top: float) -> list[float]:
    return [top + ROW * (row + 0.5) for row in range(rows)]


def _text(kind: str, x: float, y: float, text: str, anchor: str = "start") -> Markup:
    return element("text", clip_text(text, LONGEST_NAME * 2), class_=kind, x=x, y=y, text_anchor=anchor)


def _texts(name: str, remark: str, hint: str, middle: float) -> Iterator[Markup]:
    yield element("title", hint or name)
    yield _text("name", LEFT - 10, middle + 4, clip_text(name, LONGEST_NAME), "end")
    yield _text("remark", RIGHT + 12, middle + 4, remark)


def _bar(scale: Scale, estimate: Estimate, middle: float) -> Iterator[Markup]:
    if _known(estimate.value):
        width = scale(estimate.value or 0.0) - scale.start
        yield element("rect", class_="bar", x=scale.start, y=middle - 6, width=width, height=12)
    yield from _whisker(scale, estimate, middle)


def _joined(scale: Scale, estimates: Iterable[Estimate], middle: float) -> Iterator[Markup]:
    known = [(index, each) for index, each in enumerate(estimates) if _known(each.value)]
    places = [scale(each.value or 0.0) for _, each in known]
    if places:
        yield element("line", class_="joint", x1=min(places), x2=max(places), y1=middle, y2=middle)
    for (index, each), x in zip(known, places, strict=True):
        yield from _whisker(scale, each, middle)
        yield element("circle", class_=f"dot s{index}", cx=x, cy=middle, r=5.5)


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


def _grid(scale: Scale, top: float, bottom: float, form: Form) -> Iterator[Markup]:
    for tick in ticks(scale.low, scale.high):
        x = scale(tick)
        yield element("line", class_="grid", x1=x, x2=x, y1=top, y2=bottom)
        yield _text("tick", x, bottom + 16, form(tick), "middle")


def _level(y: float, text: str) -> Markup:
    """Draw a horizontal line of the grid with its label."""
    line = element("line", class_="grid", x1=60, x2=WIDTH - 20, y1=y, y2=y)
    return element("g", line, _text("tick", 52, y + 4, text, "end"))


def _apart(values: Iterable[float], scale: Scale) -> Iterator[float]:
    """Yield those values, in order, whose labels do not run into each other."""
    last: float | None = None
    for value in sorted(set(values)):
        if last is None or scale(value) - last >= LABEL:
            yield value
            last = scale(value)


def _legend(names: Sequence[str], left: float) -> Iterator[Markup]:
    x = left + 6
    for index, name in enumerate(names):
        shown = clip_text(name, LONGEST_NAME)
        yield element("circle", class_=f"dot s{index}", cx=x, cy=10, r=5.5)
        yield _text("tick", x + 11, 14, shown)
        x += 34 + 6.6 * len(shown)


def _known(*values: float | None) -> bool:
    return all(value is not None and isfinite(value) for value in values)
