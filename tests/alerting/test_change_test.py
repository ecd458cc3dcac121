"""The sequential test: faults do not pass for a change, changes are found and end."""

import random

import pytest
from hypothesis import given, strategies as st

from outcome_monitors.alerting.changes import ChangeTest
from outcome_monitors.alerting.config import CONFIG

BAR = 1000.0


def fed(broken, test=None):
    """Feed results of distinct tasks; return the number of the one at which a change is believed, or None."""
    test = test or ChangeTest()
    for number, breaks in enumerate(broken, 1):
        if breaks:
            test.observe_violation(number, BAR)
        else:
            test.observe_passes(1)
        if test.changed:
            return number
    return None


@pytest.mark.parametrize("share", [0.2, 0.4, 0.8])
def test_a_change_is_detected_at_any_share_and_after_any_time(share):
    found = []
    for seed in range(40):
        rng = random.Random(seed)
        found.append(fed([False] * 2000 + [rng.random() < share for _ in range(400)]))
    assert len(found) == 40
    assert all(number is not None and number > 2000 for number in found)


def test_faults_pass_for_a_change_no_more_often_than_stated():
    # On average at least BAR results until a false one: in 400 sequences of 500 results each, at most half of them,
    # and far fewer are seen.
    false = 0
    for seed in range(400):
        rng = random.Random(seed)
        false += fed(rng.random() < CONFIG.fault_rate for _ in range(500)) is not None
    assert false <= 400 * 500 / BAR * 0.5


def test_a_change_that_shows_in_every_fifth_result_is_not_over_between_two_of_them():
    rng, test = random.Random(3), ChangeTest()
    assert fed([rng.random() < 0.2 for _ in range(400)], test) is not None
    over = 0
    for number in range(1000, 1600):
        if rng.random() < 0.2:
            test.observe_violation(number, BAR)
        else:
            test.observe_passes(1)
        over += test.is_over()
    assert over == 0


@given(st.lists(st.booleans(), max_size=60))
def test_results_that_keep_it_may_be_counted_one_by_one_or_at_once(broken):
    one, many, waiting = ChangeTest(), ChangeTest(), 0
    for number, breaks in enumerate(broken):
        if breaks:
            many.observe_passes(waiting)
            waiting = 0
            one.observe_violation(number, BAR)
            many.observe_violation(number, BAR)
        else:
            one.observe_passes(1)
            waiting += 1
    many.observe_passes(waiting)
    assert one == many
