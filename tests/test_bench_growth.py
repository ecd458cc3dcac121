"""Growth is fitted as it is; how fast anything is decides nothing here."""

import pytest

from bench._report import WIDTH, show
from bench.growth import AXES, Growth, exponent, measured, tables

SQUARE = [(size, 3.0 * size**2) for size in (1, 10, 40, 700)]
LINE = [(size, 5.0 * size) for size in (1, 10, 40, 700)]


def test_the_power_of_a_power_law_is_found():
    assert exponent(SQUARE) == pytest.approx(2)
    assert exponent(LINE) == pytest.approx(1)
    assert exponent([(1, 7.0), (10, 7.0), (100, 7.0)]) == pytest.approx(0)


@pytest.mark.parametrize("axis", ["depth", "tools"])
def test_an_axis_is_measured_at_every_size(axis):
    found = measured(axis, (1, 2), rounds=1)
    assert [size for size, _ in found.ours] == [1, 2]
    assert all(taken > 0 for _, taken in (*found.ours, *found.beside))


def test_the_table_has_the_powers_of_all_axes(capsys):
    growths = {name: Growth(axis.title, axis.across, axis.unit, SQUARE, LINE) for name, axis in AXES.items()}
    [table] = tables(growths)
    assert {row[4:] for row in table.rows} == {("2.00", "1.00")}
    show(table)
    assert max(map(len, capsys.readouterr().out.splitlines())) <= WIDTH
