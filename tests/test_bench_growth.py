"""Growth is fitted as it is, and drawn; how fast anything is decides nothing here."""

from xml.etree import ElementTree as ET

import pytest

from bench._grown import calls, deep, long, wide
from bench._loglog import chart, exponent
from bench._report import WIDTH, show
from bench.growth import AXES, Growth, measured, page, tables
from outcome_monitors import Monitor, mine

SVG = "{http://www.w3.org/2000/svg}"
SQUARE = [(size, 3.0 * size**2) for size in (1, 10, 40, 700)]
LINE = [(size, 5.0 * size) for size in (1, 10, 40, 700)]


def test_the_power_of_a_power_law_is_found():
    assert exponent(SQUARE) == pytest.approx(2)
    assert exponent(LINE) == pytest.approx(1)
    assert exponent([(1, 7.0), (10, 7.0), (100, 7.0)]) == pytest.approx(0)


def test_a_chart_has_all_points_inside_and_names_the_powers():
    drawn = ET.fromstring(chart("A & B", "sizes", {"ours": SQUARE, "theirs": LINE}, "µs"))
    points = drawn.findall(f"{SVG}circle")
    assert len(points) == 8
    _, _, wide, high = map(float, drawn.attrib["viewBox"].split())
    assert all(
        0 < float(point.attrib["cx"]) < wide and 0 < float(point.attrib["cy"]) < high for point in points
    )
    texts = [text.text for text in drawn.findall(f"{SVG}text")]
    assert {"A & B", "ours: n^2.00", "theirs: n^1.00"} <= set(texts)


def test_results_have_the_size_that_is_asked_for():
    result = [next(calls(make, 7)).result for make in (wide, long, deep)]
    assert [len(result[0]), len(result[1]["rows"])] == [7, 7]
    levels, inner = 1, result[2]
    while "below" in inner:
        levels, inner = levels + 1, inner["below"]
    assert levels == 7


@pytest.mark.parametrize("axis", ["depth", "tools"])
def test_an_axis_is_measured_at_every_size(axis):
    found = measured(axis, (1, 2), rounds=1)
    assert [size for size, _ in found.ours] == [1, 2]
    assert all(taken > 0 for _, taken in (*found.ours, *found.beside))


def test_the_table_and_the_page_tell_all(capsys):
    growths = {name: Growth(axis.title, axis.across, axis.unit, SQUARE, LINE) for name, axis in AXES.items()}
    [table] = tables(growths)
    assert {row[4:] for row in table.rows} == {("2.00", "1.00")}
    show(table)
    assert max(map(len, capsys.readouterr().out.splitlines())) <= WIDTH
    text, charts = page(growths)
    assert len(charts) == len(AXES) == 6
    assert all(f"../pictures/{name}" in text for name in charts)


def test_what_is_timed_is_clean():
    monitor = Monitor(mine(calls(wide, 8), "full"))
    assert any(not monitor.check(c.tool, c.arguments, c.result) for c in calls(wide, 8, first=16, tasks=50))
