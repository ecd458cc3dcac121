"""Figures are what the documentation says, worked out by hand from a few counts; and what is written of them."""

from collections import Counter
from dataclasses import replace

import pytest

from outcome_monitors.evaluation import Audit, advice, as_json
from outcome_monitors.evaluation.counts import AuditCounts
from outcome_monitors.evaluation.figures import figures
from outcome_monitors.reports import Share
from tests.evaluation.counts import SETTINGS, WANTED, audited


def test_the_mean_is_over_kinds_and_leaves_out_the_rare_and_the_variants():
    audit = audited()
    # first: 18 of 20, second: 1 of 5; rare (2 calls) and never (0) are not in it.
    assert audit.recall("toolmaze") == pytest.approx((0.9 + 0.2) / 2)
    assert audit.net_recall("toolmaze") == pytest.approx((0.85 + 0.2) / 2)
    # whole: 3 of 6; the variant, 3 of 3, is not in it.
    assert audit.recall("incident") == audit.net_recall("incident") == 0.5
    assert audit.recall("drift") is None
    assert [kind.in_mean for kind in audit.kinds] == [True, True, False, False, True, False]


def test_the_json_is_canonical(golden):
    golden("audit.json", as_json(audited(), SETTINGS, ["traces.jsonl"], 4))


FEW_COVERED = AuditCounts(
    calls=Counter(get_order=1000, get_stock=600), covered=Counter(get_order=1000, get_stock=100)
)
NOTHING_TRIED = AuditCounts(calls=Counter(t=5), covered=Counter(t=5))


@pytest.mark.parametrize(
    ("audit", "budget", "sentence"),
    [
        (audited(), 0.009, "above the budget: get_order raises 1 of 1, most often order_broken (1);"),
        (audited(), 0.01, "missed most is second (1 of 5 caught), which takes a rule of kind cross-call: where"),
        (replace(audited(), in_session=Share(90, 100)), 0.01, "give every call its `session`"),
        (
            figures(WANTED, [FEW_COVERED]),
            0.01,
            "within the budget, but 500 of 1,600 clean calls are of tools without a contract, most of them get_stock (500)",
        ),
        (figures(WANTED, [NOTHING_TRIED]), 0.01, "no fault suits enough calls to say what is caught: add traces."),
    ],
)  # fmt: skip
def test_the_advice_is_one_sentence_on_what_matters_most(audit: Audit, budget: float, sentence: str):
    text = advice(audit, replace(SETTINGS, budget=budget))
    assert sentence in text
    assert text.count(". ") == 0
    assert text.endswith(".")
