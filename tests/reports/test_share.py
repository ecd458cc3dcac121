"""Shares and their intervals."""

import pytest
from hypothesis import given, strategies as st

from outcome_monitors.reports import Share, percent, span


@pytest.mark.parametrize(
    ("part", "whole", "low", "high"),
    # R. G. Newcombe, Two-sided confidence intervals for the single proportion, Statist. Med. 17 (1998), table I, method 3.
    [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_intervals_as_published(part, whole, low, high):
    interval = Share(part, whole).interval
    assert interval is not None
    assert interval == pytest.approx((low, high), abs=5e-5)


@given(st.integers(1, 10**9).flatmap(lambda whole: st.tuples(st.integers(0, whole), st.just(whole))))
def test_the_share_lies_in_its_interval(counts):
    share = Share(*counts)
    assert share.interval is not None
    assert share.value is not None
    low, high = share.interval
    assert 0 <= low <= share.value <= high <= 1
    assert low < high


@given(st.integers(0, 50), st.integers(0, 50))
def test_what_is_left_has_the_mirrored_interval(part, rest):
    one, other = Share(part, part + rest).interval, Share(rest, part + rest).interval
    if one is None or other is None:
        assert part + rest == 0
    else:
        assert one == pytest.approx((1 - other[1], 1 - other[0]))


def test_a_share_of_nothing():
    nothing = Share(0, 0)
    assert (nothing.value, nothing.interval) == (None, None)
    assert (percent(nothing.value), span(nothing.interval), str(nothing)) == ("-", "-", "0 of 0")


def test_how_shares_are_written():
    assert str(Share(1000, 2000)) == "1,000 of 2,000"
    assert [percent(v) for v in (0.0, 1.0, 0.0056, 1 / 3)] == ["0%", "100%", "0.6%", "33.3%"]
    assert [percent(v) for v in (0.0002, 0.99999)] == ["0.02%", "99.9%"]
    assert span((0.0, 1 / 3)) == "0 to 33.3%"
