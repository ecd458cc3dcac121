"""Charts and shares: well-formed, to scale, and as sure as the counts allow."""

import xml.etree.ElementTree as ET

import pytest
from hypothesis import given, strategies as st

from outcome_monitors.reports import Dots, Estimate, Share, dots
from outcome_monitors.reports.charts import LEFT, RIGHT

NUMBERS = st.none() | st.floats()
ESTIMATES = st.builds(Estimate, NUMBERS, NUMBERS, NUMBERS)
TEXTS = st.text(st.characters(), max_size=80)


def classed(drawing: str, kind: str) -> list[dict[str, str]]:
    found = ET.fromstring(drawing).iter()
    return [each.attrib for each in found if kind in each.attrib.get("class", "").split()]


@given(st.lists(st.tuples(TEXTS, ESTIMATES, ESTIMATES), max_size=4), TEXTS)
def test_any_chart_is_well_formed_and_inside(found, title):
    drawing = dots(title, (title,), [Dots(name, (one, two), name) for name, one, two in found])
    assert all(LEFT <= float(dot["cx"]) <= RIGHT for dot in classed(drawing, "dot") if dot["cy"] != "10")


@pytest.mark.parametrize(
    ("part", "whole", "low", "high"),
    # R. G. Newcombe, Two-sided confidence intervals for the single proportion, Statist. Med. 17 (1998), table I, method 3.
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0000, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_intervals_as_published(part, whole, low, high):
    assert Share(part, whole).interval == pytest.approx((low, high), abs=5e-5)


@given(st.integers(1, 10**9).flatmap(lambda whole: st.tuples(st.integers(0, whole), st.just(whole))))
def test_the_share_lies_in_its_interval(counts):
    share = Share(*counts)
    assert share.interval is not None
    assert share.value is not None
    low, high = share.interval
    assert 0 <= low <= share.value <= high <= 1
    assert low < high
