"""Laws of the statistics, and the published inference from the published counts."""

import itertools
import random

import pytest
from hypothesis import given, settings, strategies as st

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors_study import (
    cluster_bootstrap,
    mcnemar_exact,
    minimum_detectable_effect,
    newcombe,
    power,
    sign_flip,
    tally,
    wilson,
)

whole = st.lists(st.integers(-3, 3), min_size=1, max_size=9)


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_is_a_p_and_has_no_side(wins, losses):
    p = mcnemar_exact(wins, losses)
    assert 0 < p <= 1
    assert p == mcnemar_exact(losses, wins)
    assert p == pytest.approx(sign_flip([1] * wins + [-1] * losses + [0]))


@given(whole)
def test_sign_flip_counts_what_enumeration_finds(differences):
    signs = list(itertools.product((1, -1), repeat=len(differences)))
    sums = [abs(sum(s * d for s, d in zip(flips, differences, strict=True))) for flips in signs]
    expected = sum(total >= abs(sum(differences)) for total in sums) / len(signs)
    assert sign_flip(differences) == pytest.approx(expected)


@given(whole, st.integers(1, 3))
def test_the_bootstrap_holds_the_estimate_and_scales(differences, pairs):
    found = cluster_bootstrap([[d, *[0] * (pairs - 1)] for d in differences])
    assert found.exact
    assert found.estimate == pytest.approx(sum(differences) / len(differences) / pairs)
    assert found.low - 1e-9 <= found.estimate <= found.high + 1e-9
    assert min(differences) / pairs <= found.low
    assert found.high <= max(differences) / pairs


def test_drawn_resamples_agree_with_all_resamples():
    clusters = [1.0] * 12 + [-1.0] * 3 + [0.0] * 25
    exact = cluster_bootstrap(clusters)
    drawn = cluster_bootstrap([[value, value] for value in clusters[:-1]] + [clusters[-1]], resamples=20_000)
    assert not drawn.exact
    assert drawn.low == pytest.approx(exact.low, abs=0.026)
    assert drawn.high == pytest.approx(exact.high, abs=0.026)


@settings(max_examples=20)
@given(st.integers(5, 60), st.floats(0.05, 0.6))
def test_power_rises_with_the_effect_and_is_alpha_at_most_without(pairs, baseline):
    powers = [power(pairs, baseline, effect) for effect in (0.0, 0.1, 0.2, 0.39)]
    assert powers[0] <= 0.05
    assert powers == sorted(powers)


@pytest.mark.parametrize(
    ("completed", "gain", "points"), [(43, True, 20), (43, False, 18), (27, True, 19), (74, True, 18)]
)
def test_the_least_effect_over_clusters_is_near_the_papers(completed, gain, points):
    """The paper prints 18, 19 and 17 for these baselines, and not in which direction."""
    found = minimum_detectable_effect(114, completed / 114, clusters=57, gain=gain)
    assert found == pytest.approx(points / 100)


def test_the_simulated_test_is_the_sign_flip_of_whole_clusters():
    """Power by drawing studies and testing each: few, so only roughly the same."""
    rng, tasks, baseline, effect = random.Random(5), 20, 0.3, 0.3
    found = 0
    for _ in range(400):
        pairs = [(rng.random() < baseline, rng.random() < baseline + effect) for _ in range(2 * tasks)]
        sums = [sum(b - a for a, b in pairs[2 * task : 2 * task + 2]) for task in range(tasks)]
        found += sign_flip(sums) <= 0.05
    assert power(2 * tasks, baseline, effect, clusters=tasks) == pytest.approx(found / 400, abs=0.08)


def test_pairs_and_intervals():
    pairs = tally([(False, True), (True, False), (True, True), (False, False), (False, True)])
    assert (pairs.rescue, pairs.harm, pairs.both_pass, pairs.both_fail) == (2, 1, 1, 1)
    assert pairs.conditional_rescue == pytest.approx(2 / 3)
    low, high = newcombe(56, 70, 48, 80)
    # Newcombe 1998, method 10, example (a): 0.0524 to 0.3339
    assert (round(low, 4), round(high, 4)) == (0.0524, 0.3339)
    assert wilson(0, 0) == (0.0, 1.0)


@pytest.mark.parametrize(
    "bad",
    [
        lambda: mcnemar_exact(-1, 2),
        lambda: sign_flip([]),
        lambda: cluster_bootstrap([float("nan")]),
        lambda: power(0, 0.5, 0.1),
        lambda: power(10, 0.9, 0.2),
        lambda: power(10, 0.5, 0.2, clusters=11),
    ],
)
def test_bad_input_is_an_error(bad):
    with pytest.raises(OutcomeMonitorsError, match=r"\w+ \w+"):
        bad()
