"""The backtest as a whole: the same figures whatever the number of processes, and what is written of them."""

import json
import re
from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest

from outcome_monitors.evaluation import (
    Backtest,
    Settings,
    backtest,
    backtest_advice,
    backtest_as_html,
    backtest_as_json,
)
from outcome_monitors.evaluation.backtest import number_of_draws
from outcome_monitors.exceptions import TraceError
from outcome_monitors.reports import Share
from tests.evaluation.shop import order
from tests.evaluation.weeks import first_week, second_week

QUICK = Settings(suites=("toolmaze", "incident"), limit=20)
NAMES = (["first.jsonl"], ["second.jsonl"])


@pytest.fixture(scope="module")
def found() -> Backtest:
    return backtest(first_week(), second_week(), QUICK)


def test_the_figures_do_not_depend_on_the_processes(found: Backtest):
    assert backtest(first_week(), second_week(), QUICK, jobs=2) == found


def test_a_change_is_calm_and_faults_are_told(found: Backtest):
    assert found.right.flagged == Share(40, 40)
    assert found.right.told.part == found.right.late.part == 0
    assert found.right.late.whole == 20
    assert sum(found.right.untold.values()) == 40
    assert any(sentence.startswith("gift of get_order ") for sentence in found.changes)
    assert len(set(found.changes)) == len(found.changes)
    assert (found.wrong.told.value or 0) > 0.5
    assert found.failed == 0


def test_parts_add_up(found: Backtest):
    assert found.draws == 20
    assert found.wrong.told.whole == 2 * found.draws
    assert found.beside.told.whole == (40 - 2) * found.draws
    for parts in (found.suites, found.kinds):
        assert sum(part.told.part for part in parts) == found.wrong.told.part
        assert sum(part.flagged.whole for part in parts) == found.wrong.flagged.whole
    assert {kind.suite for kind in found.kinds} == {"toolmaze", "incident"}
    weighed = sum(one.wrong.whole for one in found.reliability)
    assert weighed == found.beside.flagged.part + found.wrong.flagged.part


def test_few_results_are_drawn_from_often_and_many_seldom():
    assert [number_of_draws(results) for results in (0, 40, 500, 2000, 1_000_000)] == [20, 20, 20, 5, 3]


def test_calls_that_failed_openly_are_neither_learned_from_nor_judged(found: Backtest):
    failed = [replace(order(number), error=True, result="not found") for number in range(5)]
    again = backtest([*failed, *first_week()], [*second_week(), *failed], QUICK)
    assert (again.clauses, again.right.told.whole) == (found.clauses, 40)
    with pytest.raises(TraceError, match="no clean calls among the later ones"):
        backtest(first_week(), failed, QUICK)


def test_dirt_is_learned_from(found: Backtest):
    assert backtest(first_week(), second_week(), replace(QUICK, label_noise=0.2)).clauses != found.clauses


def test_the_json_holds_all_figures(found: Backtest):
    text = backtest_as_json(found, QUICK, *NAMES)
    document = json.loads(text, parse_constant=pytest.fail)
    assert text == backtest_as_json(found, QUICK, *NAMES)
    assert (document["traces"], document["then"]) == NAMES
    assert document["right"]["told"]["rate"] == 0.0
    assert document["right"]["told_late"]["results"] == 20
    assert document["wrong"]["n"] == sum(fault["n"] for fault in document["faults"]) == 40
    assert document["changes"] == list(found.changes)
    assert [one["said"] for one in document["reliability"]] == sorted(
        one["said"] for one in document["reliability"]
    )
    assert document["settings"]["draws"] == 20


def _page(text: str) -> ET.Element:
    return ET.fromstring(text.removeprefix("<!DOCTYPE html>\n"))


def test_the_page_is_whole_and_needs_nothing_else(found: Backtest):
    text = backtest_as_html(found, QUICK, *NAMES)
    assert not re.search(r"https?:|//|<script|<link|<img|url\(|@import|\bsrc=|\bhref=", text)
    charts = [chart.findtext("title") for chart in _page(text).iter("svg")]
    assert charts == [
        "Wrong results flagged and told",
        "Wrong results flagged and told: toolmaze",
        "Wrong results flagged and told: incident",
        "How many results were wrong, against how many the odds say",
    ]
    assert "gift of get_order " in "".join(_page(text).itertext())


def test_the_page_without_odds_has_no_curve():
    settings = replace(QUICK, profile="paper", label_noise=0.01)
    text = backtest_as_html(backtest(first_week(), second_week(6), settings), settings, *NAMES)
    assert "Do the odds hold?" not in text
    assert "Nothing has become usual" in text
    assert "1.00% were given a fault" in text


def test_words_of_traces_cannot_become_markup(found: Backtest):
    hostile = "<script>alert(1)</script>"
    text = backtest_as_html(replace(found, changes=(hostile,)), QUICK, [hostile], [hostile])
    assert "<script" not in text
    assert hostile in "".join(_page(text).itertext())


def test_the_advice_names_the_tool_that_is_told_of_in_vain(found: Backtest):
    assert backtest_advice(found, 0.01) == (
        "What is told of right results is within the budget; of what changed, accept what is right."
    )
    told = backtest(first_week(), second_week(), replace(QUICK, profile="paper"))
    said = backtest_advice(told, 0.01)
    assert "above the budget: get_order has 40 of 40, most often unexpected_field (40)" in said
