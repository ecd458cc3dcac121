"""`alphabet`: the sorts of character, those that are learned, and texts that have others."""

import pytest

from outcome_monitors.exceptions import ContractError
from outcome_monitors.rules import KINDS, explain
from outcome_monitors.rules.alphabet import LEAST_TASKS, said, sort_of
from outcome_monitors.rules.base.closed_set import TELLS_DIRT_FROM
from tests.rules.values import MANY, candidates, clause, flags, of, only, passes, task

NAMES = [f"Item {number}" for number in range(MANY)]
CLAUSE = clause("alphabet", {"characters": [" ", "0", "A", "a"]})


@pytest.mark.parametrize(
    ("characters", "sort"),
    [
        ("AZ", "A"),
        ("az", "a"),
        ("09", "0"),
        ("-", "-"),
        ("\n", "\n"),
        ("éßÆł", "é"),
        ("ж", "Ll"),
        ("東京", "Lo"),
        ("٣", "Nd"),
        ("€", "Sc"),
        ("\u00a0", "Zs"),
        ("\ufeff", "Cf"),
        ("\ud800", "Cs"),
    ],
)
def test_the_sorts(characters, sort):
    assert {sort_of(character) for character in characters} == {sort}


def test_the_sorts_that_more_than_one_task_brought_are_learned():
    found = only("alphabet", of(*NAMES))
    assert found.clause.params == {"characters": [" ", "0", "A", "a"]}
    assert (found.fired, found.values, found.entities) == ({}, 1, MANY)


@pytest.mark.parametrize(
    "odd", ["Item <b>7</b>", "Item 7\n", "Позиция 7", "Item\t7", "Item\u200b 7", "Itém 7"]
)
def test_another_sort_of_character_is_flagged(odd):
    [(code, path, expected, _, detail)] = flags(CLAUSE, {"x": odd})
    assert (code, path, expected) == ("unseen_characters", "x", "characters space 0 A a")
    assert detail == "field x has characters that clean results do not have"


def test_the_same_sorts_in_any_order_are_let_through():
    assert passes(CLAUSE, "ZZ 99", "", " ", None, 7, ["<"])


def test_a_sort_that_cannot_be_seen_is_named():
    assert said([" ", "\n", "\t", "a", "Lo"]) == "space U+000A U+0009 a Lo"
    assert explain(CLAUSE) == "x is written with space 0 A a"
    assert explain(clause("alphabet", {"characters": ["a"]}, "")) == "(the result) is written with a"
    assert explain(clause("alphabet", {"characters": ["\x1b[31m", "b" * 500]})).isprintable()


def test_one_odd_task_in_many_is_dirt():
    found = only("alphabet", of(*NAMES, "<<item>>"))
    assert found.clause.params == {"characters": [" ", "0", "A", "a"]}
    assert set(found.fired) == {task(MANY)}


def test_one_odd_task_in_few_is_admitted_and_named():
    assert LEAST_TASKS < TELLS_DIRT_FROM
    found = only("alphabet", of(*NAMES[:LEAST_TASKS], "item!"))
    assert found.clause.params == {"characters": [" ", "!", "0", "A", "a"]}
    assert found.fired == {task(LEAST_TASKS): 1}


def test_a_sort_that_two_tasks_brought_is_admitted():
    found = only("alphabet", of(*NAMES, "item!", "other!"))
    assert "!" in found.clause.params["characters"]
    assert found.fired == {}


def test_too_few_tasks_or_texts_suggest_nothing():
    assert not candidates("alphabet", of(*NAMES[: LEAST_TASKS - 1]))
    assert not candidates("alphabet", of(*[NAMES[number % (LEAST_TASKS - 1)] for number in range(MANY)]))
    assert not candidates("alphabet", of(*range(MANY)))


def test_fires_names_the_tasks_of_other_evidence_with_other_sorts():
    assert KINDS["alphabet"].fires(CLAUSE, of("A 1", "a-b", 7, "a_b", "")) == {task(1): 1, task(3): 1}


@pytest.mark.parametrize("params", [{}, {"characters": "abc"}, {"characters": [1]}, {"characters": None}])
def test_wrong_parameters_are_refused(params):
    with pytest.raises(ContractError, match="parameter 'characters' of kind 'alphabet'"):
        KINDS["alphabet"].validate(params, "here")
