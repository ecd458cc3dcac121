"""Which answers a session was given: what could have been repeated, and what was."""

import pytest

from outcome_monitors.features.limits import SESSION_ANSWERS
from outcome_monitors.features.session.answers import (
    AFTER,
    OTHERS,
    WHOLE,
    Answers,
    summary_of,
)
from outcome_monitors.features.session.statements import records_to_remember


def summed(asked, result):
    return summary_of(asked, records_to_remember(asked, result)[0][1])


def repeats(answers, asked, result, tool="get_page"):
    """Return what could have been repeated, and whether it was not."""
    answer = summed(asked, result)
    return {(key, field): held for key, field, held, _ in answers.recall(tool, answer)}


def given(answers, asked, result, tool="get_page"):
    answers.remember(tool, summed(asked, result))


@pytest.fixture
def answers():
    return Answers()


def test_another_question_has_another_answer(answers):
    given(answers, {"page": 1}, {"rows": [1]})
    assert repeats(answers, {"page": 2}, {"rows": [2]}) == {(OTHERS, WHOLE): True}
    assert repeats(answers, {"page": 2}, {"rows": [1]}) == {(OTHERS, WHOLE): False}


def test_the_same_question_may_have_the_same_answer_if_the_tool_reads(answers):
    given(answers, {"page": 1}, {"rows": [1]})
    assert repeats(answers, {"page": 1}, {"rows": [1]}) == {}
    given(answers, {"page": 2}, {"rows": [2]})
    assert repeats(answers, {"page": 1}, {"rows": [1]}) == {(OTHERS, WHOLE): True}


def test_a_tool_that_writes_has_another_answer_each_time(answers):
    given(answers, {"text": "hello"}, {"message_id": "m1"}, "send_message")
    same = repeats(answers, {"text": "hello"}, {"message_id": "m1"}, "send_message")
    assert same == {(OTHERS, ".message_id"): False}
    other = repeats(answers, {"text": "hello"}, {"message_id": "m2"}, "send_message")
    assert set(other.values()) == {True}


@pytest.mark.parametrize(
    "nothing", [{}, [], {"rows": [], "next": None, "text": "", "ok": False, "n": 0}, None, ""]
)
def test_an_answer_that_says_nothing_may_come_again(answers, nothing):
    given(answers, {"page": 1}, nothing)
    assert (OTHERS, WHOLE) not in repeats(answers, {"page": 2}, nothing)


def test_after_one_write_the_same_question_is_asked_anew(answers):
    given(answers, {"id": "abc"}, {"state": "open"}, "get_order")
    assert repeats(answers, {"id": "abc"}, {"state": "open"}, "get_order") == {}
    answers.wrote("cancel_order", {"id": "abc"})
    after = AFTER + "cancel_order"
    assert repeats(answers, {"id": "abc"}, {"state": "open"}, "get_order") == {(after, WHOLE): False}
    assert repeats(answers, {"id": "abc"}, {"state": "shut"}, "get_order") == {(after, WHOLE): True}
    given(answers, {"id": "abc"}, {"state": "shut"}, "get_order")
    assert repeats(answers, {"id": "abc"}, {"state": "shut"}, "get_order") == {}


def test_after_two_writers_it_is_not_known_whose_change_it_would_be(answers):
    given(answers, {"id": "abc"}, {"state": "open"})
    answers.wrote("cancel_order", {"id": "abc"})
    answers.wrote("cancel_order", {"id": "abc"})
    assert len(repeats(answers, {"id": "abc"}, {"state": "open"})) == 1
    answers.wrote("pay_order", {"id": "abc"})
    assert repeats(answers, {"id": "abc"}, {"state": "open"}) == {}


def test_a_write_that_changed_nothing_says_nothing_of_an_answer_that_stays(answers):
    asked, opened = {"order_id": "abc"}, {"state": "open"}
    given(answers, asked, opened)
    answers.wrote("update_order", {**asked, "state": "open"})
    assert repeats(answers, asked, opened) == {}
    given(answers, asked, opened)
    answers.wrote("update_order", {**asked, "state": "shut"})
    assert len(repeats(answers, asked, opened)) == 1
    given(answers, {**asked, "state": "shut"}, {"done": False}, "update_order")
    assert repeats(answers, asked, opened) == {}
    given(answers, asked, {"state": "shut"})
    answers.wrote("update_order", {**asked, "state": "shut", "note": "again"})
    assert len(repeats(answers, asked, {"state": "shut"})) == 1


def test_a_write_is_about_what_it_names(answers):
    given(answers, {"id": "abc"}, {"state": "open"})
    given(answers, {}, {"count": 3}, "list_orders")
    answers.wrote("cancel_order", {"id": "xyz"})
    assert repeats(answers, {"id": "abc"}, {"state": "open"}) == {}
    # What asks for everything asks for that too.
    assert len(repeats(answers, {}, {"count": 3}, "list_orders")) == 1


def test_answers_are_bounded_and_the_oldest_are_forgotten_first(answers):
    given(answers, {"page": "first"}, {"rows": ["first"]})
    for number in range(SESSION_ANSWERS):
        given(answers, {"page": number}, {"rows": [number], "row_id": f"r{number}"}, f"get_{number % 300}")
    for kept in (answers._given, answers._asked, answers._questions):
        assert 0 < len(kept) <= SESSION_ANSWERS
    assert repeats(answers, {"page": "other"}, {"rows": ["first"]}) in ({}, {(OTHERS, WHOLE): True})
