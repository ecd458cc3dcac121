"""Counts made by hand, and the figures they must give."""

from collections import Counter

from outcome_monitors.evaluation import Figures, Settings
from outcome_monitors.evaluation.counts import AuditCounts
from outcome_monitors.evaluation.figures import audit_figures
from tests.evaluation.shop import fault

WANTED = (
    fault("first", lambda _: None),
    fault("second", lambda _: None, pattern="T2", needs="cross-call"),
    fault("rare", lambda _: None, pattern="T3"),
    fault("never", lambda _: None, pattern="T4"),
    fault("whole", lambda _: None, suite="incident", pattern="incident 1"),
    fault("other_way", lambda _: None, suite="incident", pattern="incident 1, other_way"),
)
SETTINGS = Settings(folds=2, suites=("toolmaze", "incident"))

FIRST_FOLD = AuditCounts(
    calls=Counter(get_order=60, get_stock=30),
    in_session=Counter(get_order=60, get_stock=30),
    covered=Counter(get_order=60, get_stock=29),
    flagged=Counter(get_order=1),
    alarms=Counter({("get_order", "unseen_category"): 1, ("get_order", "order_broken"): 1}),
    clauses=Counter(get_order=7, get_stock=3),
    tasks=Counter(a=50, b=40),
    tasks_flagged=Counter(a=1, b=0),
    made=Counter(first=10, second=4, rare=1, whole=6, other_way=3),
    caught=Counter(first=8, second=0, rare=1, whole=3, other_way=3),
    net=Counter(first=7, second=0, rare=1, whole=3, other_way=3),
    tool_made=Counter(get_order=20, get_stock=4),
    tool_caught=Counter(get_order=15, get_stock=0),
    clean_codes=Counter({frozenset({"unseen_category", "order_broken"}): 1}),
    faulted_codes=Counter({frozenset({"unseen_category"}): 9, frozenset({"missing_learned_field"}): 6}),
    clean_kinds=Counter({frozenset({"domain", "order"}): 1}),
    faulted_kinds=Counter({frozenset({"domain"}): 9, frozenset({"required"}): 6}),
)
SECOND_FOLD = AuditCounts(
    calls=Counter(get_order=10),
    in_session=Counter(get_order=10),
    covered=Counter(get_order=10),
    flagged=Counter(get_order=0),
    clauses=Counter(get_order=8),
    tasks=Counter(c=10),
    made=Counter(first=10, second=1, rare=1),
    caught=Counter(first=10, second=1),
    net=Counter(first=10, second=1),
    tool_made=Counter(get_order=12),
    tool_caught=Counter(get_order=11),
    faulted_codes=Counter({frozenset({"unseen_category"}): 11}),
    faulted_kinds=Counter({frozenset({"domain"}): 8, frozenset({"domain", "required"}): 3}),
)


def audited(settings: Settings = SETTINGS) -> Figures:
    """Return the figures of both folds together."""
    return audit_figures(WANTED, [FIRST_FOLD, SECOND_FOLD], settings, ["traces.jsonl"], 4)
