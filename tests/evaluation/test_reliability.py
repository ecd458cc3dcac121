"""The curve: bins of odds, and how many of each were wrong."""

from collections import Counter
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, strategies as st

from outcome_monitors.evaluation.backtest_figures import probability, reliability
from outcome_monitors.evaluation.pages import draw_reliability
from outcome_monitors.reports import Share

COUNTS = st.dictionaries(st.floats(0, 1e6).map(probability), st.integers(1, 50))


def test_results_are_binned_by_what_their_odds_say():
    curve = reliability(Counter({0.05: 90, 0.06: 10, 0.95: 4, 1.0: 1}), Counter({0.05: 3, 0.95: 4}))
    assert [(one.low, one.high, one.wrong) for one in curve] == [
        (0.0, 0.1, Share(3, 100)),
        (0.9, 1.0, Share(4, 5)),
    ]
    assert curve[0].said == pytest.approx(0.051)


def test_odds_as_probabilities():
    assert [probability(odds) for odds in (0.0, 1.0, 3.0)] == [0.0, 0.5, 0.75]


@given(COUNTS)
def test_every_result_is_in_one_bin(results: dict[float, int]):
    curve = reliability(results, results)
    assert sum(one.wrong.whole for one in curve) == sum(results.values())
    assert all(one.wrong.part == one.wrong.whole for one in curve)
    assert all(one.low <= one.said + 1e-9 and one.said <= one.high + 1e-9 for one in curve)
    assert [one.low for one in curve] == sorted({one.low for one in curve})


def test_the_chart_has_a_dot_for_each_bin_and_the_diagonal():
    chart = ET.fromstring(draw_reliability(reliability({0.2: 10, 0.9: 10}, {0.2: 2, 0.9: 9})))
    dots = [dot for dot in chart.iter("circle") if dot.get("r") == "4"]
    assert [dot.get("class") for dot in dots] == ["dot s0"] * 2 + ["dot s1"] * 2


def test_the_chart_of_nothing_is_a_chart():
    assert draw_reliability(()).startswith("<svg")
