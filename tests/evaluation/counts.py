"""Results made by hand, and the figures they must give."""

from outcome_monitors.evaluation import Figures, Settings
from outcome_monitors.evaluation.figures import audit_figures
from outcome_monitors.evaluation.records import Fold, Judged
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


def clean(tool: str, task: str, number: int) -> list[Judged]:
    return number * [Judged(tool, task)]


def faulted(
    fault: str, number: int, codes: str = "", kinds: str = "", *, tool: str = "get_order", anyway: int = 0
) -> list[Judged]:
    """Return so many results with a fault, the first of which are flagged anyway."""
    flags = frozenset(codes.split()), frozenset(kinds.split())
    return [Judged(tool, "a", fault, True, True, *flags, place < anyway) for place in range(number)]


UNSEEN = ("unseen_category", "domain")
MISSING = ("missing_learned_field", "required")
FIRST_FOLD = Fold(
    10,
    (
        *clean("get_order", "a", 49),
        Judged(
            "get_order",
            "a",
            codes=frozenset({"unseen_category", "order_broken"}),
            kinds=frozenset({"domain", "order"}),
        ),
        *clean("get_order", "b", 10),
        *clean("get_stock", "b", 29),
        Judged("get_stock", "b", covered=False),
        *faulted("first", 8, *UNSEEN, anyway=1),
        *faulted("first", 2),
        *faulted("second", 4, tool="get_stock"),
        *faulted("rare", 1, *UNSEEN),
        *faulted("whole", 3, *MISSING),
        *faulted("whole", 3),
        *faulted("other_way", 3, *MISSING),
    ),
)
SECOND_FOLD = Fold(
    8,
    (
        *clean("get_order", "c", 10),
        *faulted("first", 7, *UNSEEN),
        *faulted("first", 3, "unseen_category", "domain required"),
        *faulted("second", 1, *UNSEEN),
        *faulted("rare", 1),
    ),
)


def audited(settings: Settings = SETTINGS) -> Figures:
    """Return the figures of both folds together."""
    return audit_figures(WANTED, [FIRST_FOLD, SECOND_FOLD], settings, ["traces.jsonl"], 4)
