"""Charts: well-formed, to scale, and safe."""

import math
import xml.etree.ElementTree as ET

from hypothesis import given, strategies as st

from outcome_monitors.reports import Dots, Estimate, Mark, Series, bars, dots, lines
from outcome_monitors.reports.charts import LEFT, RIGHT, WIDTH

NUMBERS = st.none() | st.floats()
ESTIMATES = st.builds(Estimate, NUMBERS, NUMBERS, NUMBERS)
TEXTS = st.text(st.characters(), max_size=80)


def _classed(drawing: str, kind: str) -> list[dict[str, str]]:
    found = ET.fromstring(drawing).iter()
    return [each.attrib for each in found if kind in each.attrib.get("class", "").split()]


def _texts(drawing: str, kind: str) -> list[str]:
    found = ET.fromstring(drawing).iter("text")
    return [each.text or "" for each in found if each.attrib["class"] == kind]


def test_a_bar_is_as_long_as_its_value_and_its_whisker_spans_the_interval():
    drawing = bars("Shares", [Mark("half", Estimate(0.5, 0.25, 0.75), "1 of 2"), Mark("none", Estimate(0.0))])
    half, none = _classed(drawing, "bar")
    assert float(half["width"]) == (RIGHT - LEFT) / 2
    assert float(none["width"]) == 0
    whole, *caps = _classed(drawing, "whisker")
    assert (float(whole["x1"]) - LEFT) / (RIGHT - LEFT) == 0.25
    assert (float(whole["x2"]) - LEFT) / (RIGHT - LEFT) == 0.75
    assert [cap["x1"] for cap in caps] == [whole["x1"], whole["x2"]]
    assert _texts(drawing, "name") == ["half", "none"]
    assert _texts(drawing, "remark") == ["1 of 2", ""]
    assert _texts(drawing, "tick") == ["0%", "25%", "50%", "75%", "100%"]


def test_the_dots_of_a_row_are_joined():
    drawing = dots(
        "Tasks", ("before", "after"), [Dots("reads", (Estimate(0.2), Estimate(0.9))), Dots("none", ())]
    )
    [joint] = _classed(drawing, "joint")
    row = [dot for dot in _classed(drawing, "dot") if dot["cy"] == joint["y1"]]
    assert [dot["class"] for dot in row] == ["dot s0", "dot s1"]
    assert [dot["cx"] for dot in row] == [joint["x1"], joint["x2"]]
    assert _texts(drawing, "tick")[:2] == ["before", "after"]


def test_a_line_goes_through_its_points_from_left_to_right():
    points = [(8.0, Estimate(0.0)), (16.0, Estimate(0.5, 0.4, 0.6)), (24.0, Estimate(1.0))]
    drawing = lines("Learning", [Series("caught", points)], across="workflows")
    [line] = _classed(drawing, "line")
    places = [tuple(map(float, pair.split(","))) for pair in line["points"].split()]
    xs, ys = zip(*places, strict=True)
    assert list(xs) == sorted(xs)
    assert list(ys) == sorted(ys, reverse=True)
    assert xs[1] == (xs[0] + xs[2]) / 2
    assert ys[1] == (ys[0] + ys[2]) / 2
    assert {"8", "16", "24", "workflows"} <= set(_texts(drawing, "tick"))
    assert len(_classed(drawing, "whisker")) == 3


def test_labels_that_would_run_into_each_other_are_left_out():
    points = [(float(x), Estimate(0.5)) for x in range(1000)]
    shown = [text for text in _texts(lines("", [Series("", points)], across=""), "tick") if text.isdigit()]
    assert 2 <= len(shown) <= 20


def test_values_that_are_no_number_are_left_out():
    nothing = [Estimate(None), Estimate(math.nan), Estimate(math.inf, math.nan, 1.0)]
    assert not _classed(bars("", [Mark("x", each) for each in nothing]), "bar")
    assert not _classed(dots("", (), [Dots("x", nothing)]), "joint")
    assert _classed(lines("", [Series("x", [(1.0, each) for each in nothing])], across=""), "line")[0] == {
        "class": "line s0",
        "points": "",
    }


@given(st.lists(st.builds(Mark, TEXTS, ESTIMATES, TEXTS, TEXTS), max_size=4), TEXTS)
def test_any_bars_are_well_formed_and_inside(marks, title):
    drawing = bars(title, marks)
    widths = [float(bar["width"]) for bar in _classed(drawing, "bar")]
    assert [width for width in widths if not 0 <= width <= RIGHT - LEFT] == []
    starts = [float(whisker["x1"]) for whisker in _classed(drawing, "whisker")]
    assert [start for start in starts if not LEFT <= start <= RIGHT] == []
    assert len(widths) == sum(
        math.isfinite(mark.estimate.value or 0) and mark.estimate.value is not None for mark in marks
    )


@given(
    st.lists(TEXTS, max_size=3),
    st.lists(st.builds(Dots, TEXTS, st.lists(ESTIMATES, max_size=3), TEXTS), max_size=4),
)
def test_any_dots_are_well_formed_and_inside(names, rows):
    found = _classed(dots("", names, rows), "dot")
    assert len(found) >= len(names)
    assert [d for d in found if d["cy"] != "10" and not LEFT <= float(d["cx"]) <= RIGHT] == []


@given(
    st.lists(
        st.builds(Series, TEXTS, st.lists(st.tuples(st.floats(), ESTIMATES), max_size=4)),
        max_size=3,
    )
)
def test_any_lines_are_well_formed_and_inside(series):
    found = _classed(lines("", series, across="x"), "dot")
    assert len(found) >= len(series)
    assert [d for d in found if d["cy"] != "10" and not 0 <= float(d["cx"]) <= WIDTH] == []


def test_a_long_name_is_cut_and_kept_whole_in_the_hint():
    drawing = bars("", [Mark("x" * 500, Estimate(0.5))])
    assert len(_texts(drawing, "name")[0]) < 50
    assert "x" * 500 in drawing
