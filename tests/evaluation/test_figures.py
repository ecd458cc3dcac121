"""Figures are what the documentation says: worked out by hand from a few counts."""

from collections import Counter

import pytest

from outcome_monitors.evaluation import Alarms, FoldFigures
from outcome_monitors.evaluation.counts import AuditCounts
from outcome_monitors.evaluation.faults import SUITES
from outcome_monitors.evaluation.figures import figures, point
from outcome_monitors.reports import Share
from tests.evaluation.counts import FIRST_FOLD, SECOND_FOLD, WANTED, audited


def test_the_mean_is_over_kinds_and_leaves_out_the_rare_and_the_variants():
    audit = audited()
    # first: 18 of 20, second: 1 of 5; rare (2 calls) and never (0) are not in it.
    assert audit.recall("toolmaze") == pytest.approx((0.9 + 0.2) / 2)
    assert audit.net_recall("toolmaze") == pytest.approx((0.85 + 0.2) / 2)
    # whole: 3 of 6; the variant, 3 of 3, is not in it.
    assert audit.recall("incident") == audit.net_recall("incident") == 0.5
    assert audit.recall("drift") is None
    assert [kind.in_mean for kind in audit.kinds] == [True, True, False, False, True, False]


def test_shares_add_up_over_folds():
    audit = audited()
    assert audit.clean == Share(1, 100)
    assert audit.tasks == Share(1, 3)
    assert audit.covered == Share(99, 100)
    assert audit.folds == (FoldFigures(2, 90, 10), FoldFigures(1, 10, 8))
    assert audit.codes == {
        "missing_learned_field": Alarms(0, 0, 6, 6),
        "order_broken": Alarms(1, 0, 0, 0),
        "unseen_category": Alarms(1, 0, 20, 20),
    }
    assert audit.clause_kinds == {
        "domain": Alarms(1, 0, 20, 17),
        "order": Alarms(1, 0, 0, 0),
        "required": Alarms(0, 0, 9, 6),
    }
    assert audit.tools["get_order"].codes == {"order_broken": 1, "unseen_category": 1}
    assert audit.tools["get_order"].caught == Share(26, 32)


def test_a_task_that_is_flagged_twice_counts_once():
    often, once = Counter(a=3, b=0), Counter(c=1)
    folds = [
        AuditCounts(tasks=Counter(a=5, b=5), tasks_flagged=often),
        AuditCounts(tasks=Counter(a=1, c=4), tasks_flagged=once),
    ]
    assert figures(WANTED, folds).tasks == Share(2, 3)


def test_the_order_of_the_folds_does_not_matter_to_the_whole():
    forth, back = figures(WANTED, [FIRST_FOLD, SECOND_FOLD]), figures(WANTED, [SECOND_FOLD, FIRST_FOLD])
    assert (forth.kinds, forth.codes, forth.tools) == (back.kinds, back.codes, back.tools)


def test_a_point_of_the_curve_is_of_the_first_results_of_each_kind():
    tally = AuditCounts()
    tally.add(FIRST_FOLD)
    tally.first_made.update(first=4, whole=2)
    tally.first_caught.update(first=1, whole=2)
    found = point(WANTED, 0.03, [tally])
    assert (found.budget, found.clean) == (0.03, Share(1, 90))
    assert found.recall == {"toolmaze": 0.25, "incident": None}


def test_eight_incidents_count_and_their_variants_do_not():
    whole = figures(SUITES["incident"], [AuditCounts(made=_ten(), caught=_ten(), net=_ten())])
    assert sum(kind.in_mean for kind in whole.kinds) == 8
    assert sum(kind.variant for kind in whole.kinds) == len(SUITES["incident"]) - 8
    others = figures((*SUITES["toolmaze"], *SUITES["drift"]), [AuditCounts()])
    assert not any(kind.variant for kind in others.kinds)


def _ten():
    return Counter({fault.name: 10 for fault in SUITES["incident"]})
