"""`edges`: how clean texts begin and end, and texts that do not."""

import pytest

from outcome_monitors.exceptions import ContractError
from outcome_monitors.rules import KINDS, explain
from outcome_monitors.rules.base.closed_set import TELLS_DIRT_FROM
from outcome_monitors.rules.edges import LEAST
from tests.rules.values import MANY, candidates, clause, flags, of, only, passes, task

SENTENCES = [f"Order {number} was sent." for number in range(MANY)]
CLAUSE = clause("edges", {"first": ["A"], "last": [".", "0"]})


def test_the_sorts_at_both_ends_are_learned():
    found = only("edges", of(*SENTENCES))
    assert found.clause.params == {"first": ["A"], "last": ["."]}
    assert (found.fired, found.values, found.entities) == ({}, 1, MANY)


@pytest.mark.parametrize("odd", ["Order 7 was se", "order 7.", " Order 7.", "Order 7. ", ".", "Order 7…"])
def test_another_end_is_flagged(odd):
    assert flags(CLAUSE, {"x": odd}) == [
        ("unseen_edge", "x", "first A, last . 0", odd, "text x does not begin or end as clean results do")
    ]


def test_clean_ends_are_let_through_and_of_an_empty_text_nothing_is_said():
    assert passes(CLAUSE, "Order 7.", "Order 7", "A.", "", None, 7, ["a"])


def test_it_has_words():
    assert explain(CLAUSE) == "x begins with A and ends with . 0"
    assert explain(clause("edges", {"first": [" "], "last": ["\n"]}, "")) == (
        "(the result) begins with space and ends with U+000A"
    )


@pytest.mark.parametrize("odd", ["lower case.", "Cut off here", "neither, nor"])
def test_one_odd_task_in_many_is_dirt(odd):
    found = only("edges", of(*SENTENCES, odd))
    assert found.clause.params == {"first": ["A"], "last": ["."]}
    assert found.fired == {task(MANY): 1}


def test_one_odd_task_in_few_is_admitted_and_named():
    assert LEAST < TELLS_DIRT_FROM
    found = only("edges", of(*(f"A{number}." for number in range(LEAST)), "Cut"))
    assert found.clause.params == {"first": ["A"], "last": [".", "a"]}
    assert found.fired == {task(LEAST): 1}
    assert found.values == 2


def test_an_end_that_two_tasks_brought_is_admitted():
    found = only("edges", of(*(f"A{number}." for number in range(MANY)), "Sent?", "Lost?"))
    assert found.clause.params == {"first": ["A"], "last": [".", "?"]}
    assert found.fired == {}


def test_names_of_several_words_may_begin_and_end_with_any_letter_or_digit():
    names = [
        f"{word} {other}"
        for word in ("red", "old-time", "self")
        for other in ("lamp", "desk lamp", "top & side")
    ]
    found = only("edges", of(*(f"{name} {letter}" for name in names for letter in "abc")))
    assert found.clause.params == {"first": ["0", "A", "a"], "last": ["0", "A", "a"]}


def test_too_few_tasks_or_texts_suggest_nothing():
    assert not candidates("edges", of(*SENTENCES[: LEAST - 1]))
    assert not candidates("edges", of(*[SENTENCES[number % (LEAST - 1)] for number in range(MANY)]))
    assert not candidates("edges", of(*[""] * MANY))


def test_fires_names_the_tasks_of_other_evidence_with_other_ends():
    assert KINDS["edges"].fires(CLAUSE, of("A.", "a.", "", "A!", 7)) == {task(1): 1, task(3): 1}


@pytest.mark.parametrize(
    "params", [{"first": ["a"]}, {"first": "a", "last": ["a"]}, {"first": [1], "last": []}]
)
def test_wrong_parameters_are_refused(params):
    with pytest.raises(ContractError, match="of kind 'edges'"):
        KINDS["edges"].validate(params, "here")
