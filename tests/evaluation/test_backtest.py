"""The backtest: what is drawn and counted, the same figures whatever the number of processes, and what is written of them."""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from outcome_monitors.evaluation import Figures, Settings, backtest
from outcome_monitors.evaluation.backtest import draw_faults
from outcome_monitors.evaluation.cases import Case, make_cases
from outcome_monitors.evaluation.faults import NOT_APPLICABLE
from outcome_monitors.evaluation.figures import reliability
from outcome_monitors.exceptions import TraceError
from tests.evaluation.shop import fault, later_shop, order, shop

QUICK = Settings(suites=("toolmaze", "incident"), limit=20)
EMPTIED = fault("emptied", lambda _: None)
FIRST_TEN = fault(
    "first_ten", lambda subject: {} if int(subject.call.arguments["id"][1:]) < 10 else NOT_APPLICABLE
)


@pytest.fixture(scope="module")
def found() -> Figures:
    return backtest(shop(40), later_shop(), QUICK)


def test_the_figures_do_not_depend_on_the_processes(found: Figures):
    assert backtest(shop(40), later_shop(), QUICK, jobs=2) == found


def test_a_change_is_suppressed_and_faults_are_alerted(found: Figures):
    right = found["right"]
    assert (right["flagged"]["flagged"], right["flagged"]["results"]) == (40, 40)
    assert (right["told"]["told"], right["told_late"]["told"], right["told_late"]["results"]) == (0, 0, 20)
    assert sum(right["untold"].values()) == 40
    assert any(sentence.startswith("gift of get_order ") for sentence in found["changes"])
    assert found["wrong"]["told_rate"] > 0.5
    assert found["failed_checks"] == 0


def test_calls_that_failed_openly_are_neither_learned_from_nor_judged(found: Figures):
    failed = [replace(order(number), error=True, result="not found") for number in range(5)]
    again = backtest([*failed, *shop(40)], [*later_shop(), *failed], QUICK)
    assert (again["clauses"], again["right"]["told"]["results"]) == (found["clauses"], 40)
    with pytest.raises(TraceError, match="no clean calls among the later ones"):
        backtest(shop(40), failed, QUICK)


def cases(tasks: int = 200) -> list[Case]:
    return make_cases([order(number) for number in range(tasks)], [EMPTIED, FIRST_TEN], 1, 0)


def test_so_many_results_are_wrong_and_each_kind_is_as_likely():
    drawn = [draw_faults(cases(), draw) for draw in range(1, 40)]
    assert {len(wrong) for wrong in drawn} == {6}
    kinds = Counter(corrupted.fault for wrong in drawn for corrupted in wrong.values())
    # One suits all calls, the other ten of them.
    assert 0.4 < kinds["first_ten"] / kinds.total() < 0.6
    assert draw_faults(cases(), 1) == draw_faults(cases(), 1) != draw_faults(cases(), 2)


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans())))
def test_every_result_is_in_the_bin_of_its_odds(weighed: list[tuple[float, bool]]):
    curve = reliability(weighed)
    assert sum(row["results"] for row in curve) == len(weighed)
    assert sum(row["wrong"] for row in curve) == sum(wrong for _, wrong in weighed)
    assert all(row["from"] <= row["said"] + 1e-5 and row["said"] <= row["to"] + 1e-5 for row in curve)
    assert [row["from"] for row in curve] == sorted({row["from"] for row in curve})
