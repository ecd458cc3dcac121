"""Positions and ticks."""

from itertools import pairwise

from hypothesis import given, strategies as st

from outcome_monitors.reports.scales import Scale, ticks

FINITE = st.floats(allow_nan=False, allow_infinity=False)
USUAL = st.floats(-1e9, 1e9)


def test_the_ends_of_the_domain_are_at_the_ends_of_the_range():
    scale = Scale(0.0, 4.0, 100, 300)
    assert [scale(value) for value in (0.0, 1.0, 2.0, 4.0)] == [100, 150, 200, 300]
    upwards = Scale(0.0, 1.0, 260, 20)
    assert (upwards(0.0), upwards(1.0)) == (260, 20)


def test_what_lies_outside_is_put_at_the_edge():
    scale = Scale(0.0, 1.0, 0, 10)
    assert (scale(-5.0), scale(7.0)) == (0, 10)


def test_a_domain_of_one_value_is_in_the_middle():
    assert Scale(3.0, 3.0, 0, 10)(3.0) == 5


@given(FINITE, FINITE, FINITE, FINITE)
def test_positions_are_in_the_range_and_keep_the_order(low, high, one, two):
    scale = Scale(min(low, high), max(low, high), 10, 20)
    first, second = scale(min(one, two)), scale(max(one, two))
    assert 10 <= first <= second <= 20


@given(FINITE, FINITE, st.integers(1, 12))
def test_ticks_are_inside_rising_and_not_many(low, high, about):
    low, high = min(low, high), max(low, high)
    found = ticks(low, high, about)
    assert found == sorted(found)
    assert 1 <= len(found) <= 2 * about + 2
    # Rounding to twelve digits may move a tick by as much.
    slack = max(abs(low), abs(high)) * 1e-11
    assert low - slack <= found[0]
    assert found[-1] - slack <= high


@given(USUAL, st.floats(1e-3, 1e6))
def test_usual_ticks_are_several_and_even(low, span):
    found = ticks(low, low + span)
    assert 2 <= len(found) <= 6
    steps = [after - before for before, after in pairwise(found)]
    assert max(steps) - min(steps) <= 1e-9 * max(abs(low), span, 1.0)
