"""Which answers a session was given: what could have been repeated, and what was."""

import pytest

from outcome_monitors.features.limits import SESSION_ANSWERS
from outcome_monitors.features.session.answers import (
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


def test_answers_are_bounded_and_the_oldest_are_forgotten_first(answers):
    given(answers, {"page": "first"}, {"rows": ["first"]})
    for number in range(SESSION_ANSWERS):
        given(answers, {"page": number}, {"rows": [number], "row_id": f"r{number}"}, f"get_{number % 300}")
    for kept in (answers._given, answers._asked, answers._questions):
        assert 0 < len(kept) <= SESSION_ANSWERS
    assert repeats(answers, {"page": "other"}, {"rows": ["first"]}) in ({}, {(OTHERS, WHOLE): True})
