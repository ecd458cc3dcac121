"""Charts that a phone shows as well as a desk: columns over time, and a small bar beside a figure.

The drawing is as wide as a small screen, so that its words stay legible there, and grows up to a bound.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .markup import Markup, element
from .scales import Scale, ticks
from .share import percent

__all__ = ["NARROW", "ChartColumn", "columns", "meter"]

NARROW = 360
"""How wide the drawing is."""
_LEFT, _RIGHT, _TOP, _BOTTOM = 34, NARROW - 4, 8, 120
_LABELLED = 4
"""Columns with a label, at most."""
_LABEL = 66
"""How wide a label is, at most."""


class ChartColumn(NamedTuple):
    """A column."""

    label: str
    value: int
    hint: str = ""
    """What is shown when someone points at it."""


def columns(title: str, found: Sequence[ChartColumn]) -> Markup:
    """Draw a column for each, from left to right; those with a value above zero can always be seen."""
    most = max((column.value for column in found), default=0) or 1
    tall = Scale(0, most, _BOTTOM, _TOP)
    wide = (_RIGHT - _LEFT) / max(1, len(found))
    return element(
        "svg",
        element("title", title),
        *(_level(tall(tick), tick) for tick in ticks(0, most, 3) if tick == int(tick)),
        *(_column(column, _LEFT + wide * place, wide, tall) for place, column in enumerate(found)),
        *_labels(found, wide),
        class_="chart narrow",
        viewBox=f"0 0 {NARROW} {_BOTTOM + 20}",
        role="img",
        aria_label=title,
    )


def meter(share: float | None) -> Markup:
    """Write a share from 0 to 1, with a bar beside it."""
    width = 100 * min(1.0, max(0.0, share or 0.0))
    bar = element(
        "svg",
        element("rect", class_="track", x=0, y=0, width=100, height=10),
        element("rect", class_="bar", x=0, y=0, width=width, height=10),
        viewBox="0 0 100 10",
        preserveAspectRatio="none",
        aria_hidden="true",
    )
    return element("div", element("span", percent(share)), bar, class_="meter")


def _column(column: ChartColumn, left: float, wide: float, tall: Scale) -> Markup:
    top = min(tall(column.value), _BOTTOM - 1.5) if column.value else _BOTTOM
    # The whole height can be pointed at, also above a low column.
    return element(
        "g",
        element("title", column.hint or f"{column.label}: {column.value:,}"),
        element("rect", class_="hollow", x=left, y=_TOP, width=wide, height=_BOTTOM - _TOP),
        element(
            "rect",
            class_="alarm",
            x=left + wide * 0.1,
            y=top,
            width=min(wide * 0.8, 40),
            height=_BOTTOM - top,
        ),
    )


def _level(y: float, tick: float) -> Markup:
    line = element("line", class_="grid", x1=_LEFT, x2=_RIGHT, y1=y, y2=y)
    label = element("text", f"{tick:,.0f}", class_="tick", x=_LEFT - 5, y=y + 3.5, text_anchor="end")
    return element("g", line, label)


def _labels(found: Sequence[ChartColumn], wide: float) -> Iterator[Markup]:
    """Label columns from the left, as many as there is room for; the first always."""
    every = max(1, -(-len(found) // _LABELLED), int(_LABEL / wide) + 1)
    for place in range(0, len(found), every):
        x = _LEFT + wide * (place + 0.1)
        if not place or x + _LABEL <= NARROW:
            yield element("text", found[place].label, class_="tick", x=x, y=_BOTTOM + 15)
