"""The last sentence: what a person can do next."""

from collections import Counter
from dataclasses import replace

from outcome_monitors.evaluation import Audit, advice
from outcome_monitors.evaluation.counts import AuditCounts
from outcome_monitors.evaluation.figures import figures
from outcome_monitors.reports import Share
from tests.evaluation.counts import SETTINGS, WANTED, audited


def told(audit: Audit, budget: float = 0.01) -> str:
    return advice(audit, replace(SETTINGS, budget=budget))


def test_above_the_budget_it_names_the_tool_and_the_code():
    assert told(audited(), 0.009).startswith(
        "False alarms are above the budget: get_order raises 1 of 1, most often order_broken (1);"
    )


def test_little_coverage_comes_before_what_is_missed():
    tally = AuditCounts(
        calls=Counter(get_order=1000, get_stock=600), covered=Counter(get_order=1000, get_stock=100)
    )
    assert told(figures(WANTED, [tally])).startswith(
        "False alarms are within the budget, but 500 of 1,600 clean calls are of tools without a contract, most of them"
        " get_stock (500): add traces"
    )


def test_what_is_missed_most_comes_with_what_helps():
    audit = audited()
    assert "missed most is second (1 of 5 caught), which takes a rule of kind cross-call: where" in told(
        audit
    )
    without = replace(audit, in_session=Share(90, 100))
    assert told(without).endswith(
        "give every call its `session`, so that its result is held against earlier ones."
    )
    kinds = tuple(kind for kind in audit.kinds if kind.fault.name != "second")
    assert "missed most is whole (3 of 6 caught)" in told(replace(audit, kinds=kinds))


def test_it_says_where_the_calls_are_too_few_to_be_sure():
    assert "(so few calls leave room for 5.4%)" in told(audited())
    many = replace(audited(), clean=Share(1, 100_000))
    assert told(many).startswith("False alarms are within the budget; ")


def test_it_is_one_sentence_whatever_there_is():
    nothing = figures(WANTED, [AuditCounts(calls=Counter(t=5), covered=Counter(t=5))])
    assert told(nothing).endswith("no fault suits enough calls to say what is caught: add traces.")
    good = replace(audited(), kinds=audited().kinds[:1])
    assert "the least caught fault is first (18 of 20 caught): mine all traces" in told(good)
    for audit in (nothing, good, audited()):
        assert told(audit).count(". ") == 0
        assert told(audit).endswith(".")
