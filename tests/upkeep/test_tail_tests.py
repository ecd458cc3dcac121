"""The exact tails, held against their definitions."""

import doctest
from fractions import Fraction
from math import comb

import pytest
from hypothesis import given, strategies as st

from outcome_monitors.upkeep import all_in_new, at_least, benjamini_hochberg, tail_tests

CHANCES = st.lists(st.floats(0, 1), max_size=30)


def test_the_examples():
    assert doctest.testmod(tail_tests).failed == 0


@given(st.integers(0, 40), st.integers(0, 40), st.sampled_from([0.0, 0.001, 0.01, 0.3, 0.5, 0.99, 1.0]))
def test_the_binomial_tail_is_exact(count, trials, share):
    p = Fraction(share)
    exact = sum(comb(trials, k) * p**k * (1 - p) ** (trials - k) for k in range(count, trials + 1))
    assert at_least(count, trials, share) == pytest.approx(float(exact), rel=1e-9, abs=1e-300)


def test_the_binomial_tail_of_many():
    assert at_least(12_000, 1_000_000, 0.01) < 1e-70
    assert at_least(10_000, 1_000_000, 0.01) == pytest.approx(0.5, abs=0.01)


@given(st.integers(0, 30), st.integers(0, 30), st.integers(0, 30))
def test_fisher_s_test_is_a_ratio_of_choices(count, new, old):
    count = min(count, new)
    assert all_in_new(count, new, old) == pytest.approx(comb(new, count) / comb(new + old, count))


@given(CHANCES)
def test_adjusting_keeps_the_order_and_never_makes_a_chance_smaller(chances):
    adjusted = benjamini_hochberg(chances)
    assert all(chance <= value <= 1 for chance, value in zip(chances, adjusted, strict=True))
    ranked = sorted(zip(chances, adjusted, strict=True))
    assert [value for _, value in ranked] == sorted(adjusted)


@given(CHANCES, st.floats(0.001, 0.5))
def test_adjusting_rejects_what_the_step_up_rule_rejects(chances, level):
    ranked = sorted(chances)
    steps = [k for k, chance in enumerate(ranked, 1) if chance * (len(ranked) / k) <= level]
    assert sum(value <= level for value in benjamini_hochberg(chances)) == max(steps, default=0)
