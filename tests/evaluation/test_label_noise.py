"""Dirt: a stated share of the calls to learn from is wrong, always the same ones."""

import pytest
from hypothesis import given, strategies as st

from outcome_monitors.evaluation.audit import FoldTrial, evaluate_fold, with_label_noise
from outcome_monitors.evaluation.cases import make_cases
from tests.evaluation.shop import fault, shop

EMPTIED = fault("emptied", lambda _: {})


@given(st.floats(0, 1))
def test_it_is_the_share_asked_for_and_nothing_else_is_touched(share):
    calls = shop()
    dirty = with_label_noise(make_cases(calls, [EMPTIED], 3, 0), share)
    wrong = [call for call in dirty if call.result == {}]
    assert len(wrong) == round(share * len(calls))
    assert all(call == clean for call, clean in zip(dirty, calls, strict=True) if call.result != {})
    assert dirty == with_label_noise(make_cases(calls, [EMPTIED], 3, 0), share)


def test_where_few_calls_suit_a_fault_there_is_less():
    assert sum(call.result == {} for call in with_label_noise(make_cases(shop(), [EMPTIED], 3, 2), 0.5)) == 2


@pytest.mark.parametrize(("dirt", "caught"), [(0.0, 8), (1.0, 0)])
def test_what_is_learned_from_dirt_alone_misses_what_it_holds(dirt, caught):
    cases = make_cases(shop(), [EMPTIED], 3, 0)
    tally = evaluate_fold(cases, "paper", FoldTrial(0, 0.01, every=True, label_noise=dirt))
    assert tally.made["emptied"] == tally.calls.total() > 0
    assert tally.caught["emptied"] == caught
