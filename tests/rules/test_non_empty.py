"""`non_empty`: what was never empty is not."""

import pytest

from outcome_monitors.rules import explain
from outcome_monitors.rules.config import CONFIG
from tests.rules.relations import Row, params
from tests.rules.values import MANY, breaks, candidates, clause, flags, of, only, passes

TEXT, LIST = clause("non_empty", {"of": "text"}), clause("non_empty", {"of": "list"})


def test_an_empty_text_or_list_is_flagged():
    detail = "field x is empty, and never is in clean results"
    assert flags(TEXT, {"x": ""}) == [("empty_value", "x", "a text that is not empty", "", detail)]
    assert flags(LIST, {"x": []}) == [
        ("empty_value", "x", "a list that is not empty", "a list of 0 items", detail)
    ]
    assert explain(TEXT) == explain(LIST) == "x is not empty"


def test_a_text_of_space_alone_is_empty_and_a_list_of_nothing_is_not():
    assert breaks(TEXT, " ", "\n\t", "\u3000")
    assert passes(TEXT, "0", " a ", "-")
    assert passes(LIST, [None], [[]], [""])


def test_it_is_suggested_of_what_was_never_empty():
    assert only("non_empty", of(*["a"] * MANY)).clause.params == {"of": "text"}
    assert only("non_empty", of(*[[1]] * MANY)).clause.params == {"of": "list"}
    assert [each.clause.params["of"] for each in candidates("non_empty", of(*["a", [1]] * MANY))] == [
        "text",
        "list",
    ]
    assert not candidates("non_empty", of(*[1, None, {}] * MANY))


@pytest.mark.parametrize("empty", ["", " ", "\n"])
def test_one_empty_text_of_many_shows_that_it_may_be(empty):
    assert not candidates("non_empty", of(*["a"] * MANY, empty))


def test_few_tasks_show_nothing_and_of_lists_more_are_few():
    assert not candidates("non_empty", of(*["a"] * (CONFIG.min_tasks - 1)))
    assert candidates("non_empty", of(*["a"] * CONFIG.min_tasks))
    assert not candidates("non_empty", of(*[[1]] * (CONFIG.non_empty_list_tasks - 1)))
    assert candidates("non_empty", of(*[[1]] * CONFIG.non_empty_list_tasks))


@pytest.mark.parametrize("name", ["description", "diff_lines", "release_notes"])
def test_a_remark_is_often_left_empty(name):
    for tasks, found in ((CONFIG.non_empty_remark_tasks - 1, 0), (CONFIG.non_empty_remark_tasks, 1)):
        rows: list[Row] = [({}, {name: f"text {n}"}) for n in range(tasks)]
        assert len(params("non_empty", rows, name)) == found
