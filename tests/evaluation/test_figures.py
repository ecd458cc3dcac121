"""Figures are what the documentation says, worked out by hand from a few counts; and what is written of them."""

from dataclasses import replace

import pytest

from outcome_monitors.evaluation import Figures
from outcome_monitors.evaluation.figures import audit_figures
from outcome_monitors.evaluation.records import Fold, Judged
from tests.evaluation.counts import FIRST_FOLD, SECOND_FOLD, SETTINGS, WANTED, audited, clean


def test_the_mean_is_over_kinds_and_leaves_out_the_rare_and_the_variants():
    suites = audited()["suites"]
    # first: 18 of 20, second: 1 of 5; rare (2 calls) and never (0) are not in it.
    assert suites["toolmaze"]["recall"] == pytest.approx((0.9 + 0.2) / 2)
    assert suites["toolmaze"]["net_recall"] == pytest.approx((0.85 + 0.2) / 2)
    # whole: 3 of 6; the variant, 3 of 3, is not in it.
    assert suites["incident"]["recall"] == suites["incident"]["net_recall"] == 0.5
    assert (
        audit_figures(WANTED, [FIRST_FOLD], replace(SETTINGS, suites=("drift",)))["suites"]["drift"]["recall"]
        is None
    )
    assert [row["in_mean"] for row in audited()["faults"]] == [True, True, False, False, True, False]


def figures(*folds: Fold, budget: float = 0.01) -> Figures:
    return audit_figures(WANTED, folds, replace(SETTINGS, budget=budget))


UNNAMED_SESSIONS = FIRST_FOLD._replace(
    results=tuple(one._replace(in_session=False) for one in FIRST_FOLD.results)
)
FEW_COVERED = Fold(
    0,
    (
        *clean("get_order", "a", 1000),
        *clean("get_stock", "a", 100),
        *(500 * [Judged("get_stock", "a", covered=False)]),
    ),
)
NOTHING_TRIED = Fold(0, tuple(clean("t", "a", 5)))


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        (
            figures(FIRST_FOLD, SECOND_FOLD, budget=0.009),
            "above the budget: get_order raises 1 of 1, most often order_broken (1);",
        ),
        (
            figures(FIRST_FOLD, SECOND_FOLD),
            "missed most is second (1 of 5 caught), which takes a rule of kind cross-call: where",
        ),
        (figures(UNNAMED_SESSIONS, SECOND_FOLD), "give every call its `session`"),
        (
            figures(FEW_COVERED),
            "within the budget, but 500 of 1,600 clean calls are of tools without a contract, most of them get_stock (500)",
        ),
        (figures(NOTHING_TRIED), "no fault suits enough calls to measure recall: add traces."),
    ],
)
def test_the_advice_is_one_sentence_on_what_matters_most(found: Figures, sentence: str):
    text = found["advice"]
    assert sentence in text
    assert text.count(". ") == 0
    assert text.endswith(".")
