"""Exact tails held against their definitions, turning points, and news that become usual."""

import doctest
from fractions import Fraction
from math import comb

import pytest
from hypothesis import given, strategies as st

from outcome_monitors.lifecycle import statistics
from outcome_monitors.lifecycle.statistics import (
    all_in_new,
    at_least,
    becomes_usual,
    benjamini_hochberg,
    turning_point,
)


def test_the_examples():
    assert doctest.testmod(statistics).failed == 0


@given(st.integers(0, 40), st.integers(0, 40), st.sampled_from([0.0, 0.001, 0.01, 0.3, 0.5, 0.99, 1.0]))
def test_the_binomial_tail_is_exact(count, trials, share):
    p = Fraction(share)
    exact = sum(comb(trials, k) * p**k * (1 - p) ** (trials - k) for k in range(count, trials + 1))
    assert at_least(count, trials, share) == pytest.approx(float(exact), rel=1e-9, abs=1e-300)
    assert at_least(12_000, 1_000_000, 0.01) < 1e-70


@given(st.integers(0, 30), st.integers(0, 30), st.integers(0, 30))
def test_fishers_test_is_a_ratio_of_choices(count, new, old):
    count = min(count, new)
    assert all_in_new(count, new, old) == pytest.approx(comb(new, count) / comb(new + old, count))


@given(st.lists(st.floats(0, 1), max_size=30), st.floats(0.001, 0.5))
def test_adjusting_rejects_what_the_step_up_rule_rejects(chances, level):
    adjusted = benjamini_hochberg(chances)
    assert all(chance <= value <= 1 for chance, value in zip(chances, adjusted, strict=True))
    ranked = sorted(chances)
    steps = [k for k, chance in enumerate(ranked, 1) if chance * (len(ranked) / k) <= level]
    assert sum(value <= level for value in adjusted) == max(steps, default=0)


@pytest.mark.parametrize(
    ("series", "start"),
    [
        ("0001111", 3),
        ("0000", 0),
        ("0100011111", 5),
        ("11110000", 0),
        # Every series has a best split; the last two of this one are broken, and that says nothing.
        ("1000" * 25 + "11", 0),
    ],
)
def test_the_turning_point(series, start):
    assert turning_point([letter == "1" for letter in series])[0] == start


@pytest.mark.parametrize(
    ("series", "usual"),
    [
        ("a..." * 50, True),
        ("." * 100 + "a" * 8, True),
        (("a" + "." * 30) * 10, False),
        ("", False),
        # What is over is not usual, even if it comes once more.
        ("." * 20 + "a" * 20 + "." * 40, False),
        ("." * 20 + "a" * 20 + "." * 40 + "a", False),
    ],
)
def test_the_same_news_again_and_again_become_usual(series, usual):
    news = [(place, letter) for place, letter in enumerate(series) if letter != "."]
    assert becomes_usual(news, range(len(series)), 0.1, 100.0) is usual
    # A task is one witness.
    assert not becomes_usual(news, [7] * len(series), 0.1, 100.0)
