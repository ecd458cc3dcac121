"""`decimals`: how many decimal places are learned, and which numbers have more."""

import math

import pytest

from outcome_monitors.exceptions import ContractError
from outcome_monitors.rules import KINDS, explain
from outcome_monitors.rules.base.closed_set import TELLS_DIRT_FROM
from outcome_monitors.rules.decimals import LEAST_TASKS, LEAST_VALUES, MOST
from tests.rules.values import MANY, breaks, candidates, clause, flags, of, only, passes, task

CENTS = [number + 0.25 for number in range(MANY)]
CLAUSE = clause("decimals", {"places": 2})


@pytest.mark.parametrize(
    ("numbers", "places"),
    [
        ([*range(MANY)], 0),
        ([float(number) for number in range(MANY)], 0),
        ([number + 0.5 for number in range(MANY)], 1),
        (CENTS, 2),
        ([number * [1, 0.5, 0.25][number % 3] for number in range(MANY)], 2),
    ],
)
def test_the_most_places_seen_are_learned(numbers, places):
    found = only("decimals", of(*numbers))
    assert found.clause.params == {"places": places}
    assert found.fired == {}
    assert found.entities == len(set(numbers))


def test_more_places_are_flagged():
    assert flags(CLAUSE, {"x": 12.345}) == [
        (
            "too_many_decimals",
            "x",
            "at most 2 decimal places",
            12.345,
            "field x has more decimal places than clean results",
        )
    ]


def test_a_whole_number_is_called_so():
    assert explain(CLAUSE) == "x has at most 2 decimal places"
    assert explain(clause("decimals", {"places": 1})) == "x has at most 1 decimal place"
    whole = clause("decimals", {"places": 0})
    assert explain(whole) == "x is whole"
    assert passes(whole, 3, 3.0, -7)
    assert breaks(whole, 3.5)


def test_the_noise_of_binary_arithmetic_is_no_decimal_place():
    assert passes(CLAUSE, 0.1 + 0.2, 1.1 * 3, 100 * 1.1, 19.99 * 3, -0.07 - 0.01)


@pytest.mark.parametrize("number", [math.inf, -math.inf, math.nan, 1e307, -1e307, 1e13 + 0.125, 10**400])
def test_what_has_no_places_to_speak_of_is_not_judged(number):
    assert passes(clause("decimals", {"places": MOST}), number)
    assert passes(clause("decimals", {"places": 0}), number)


def test_what_is_no_number_is_not_judged():
    assert passes(CLAUSE, "12.345", None, True, [12.345])


def test_one_odd_task_in_many_is_dirt():
    found = only("decimals", of(*CENTS, 1.2345))
    assert found.clause.params == {"places": 2}
    assert found.fired == {task(MANY): 1}


def test_one_odd_task_in_few_is_admitted_and_named():
    few = CENTS[: max(LEAST_TASKS, LEAST_VALUES)]
    assert len(few) < TELLS_DIRT_FROM - 1
    found = only("decimals", of(*few, 1.125))
    assert found.clause.params == {"places": 3}
    assert found.fired == {task(len(few)): 1}


def test_a_task_that_alone_brought_fewer_places_would_not_have_fired():
    assert only("decimals", of(*CENTS, 7.5)).fired == {}


@pytest.mark.parametrize("share", [1 / 3, 1e-7])
def test_the_results_of_a_computation_have_no_format(share):
    assert not candidates("decimals", of(*(share * number for number in range(1, MANY))))


def test_too_few_tasks_or_values_suggest_nothing():
    assert not candidates("decimals", of(*CENTS[: LEAST_TASKS - 1]))
    assert not candidates("decimals", of(*[v % (LEAST_VALUES - 1) + 0.5 for v in range(MANY)]))


def test_fires_names_the_tasks_of_other_evidence_that_have_more():
    assert KINDS["decimals"].fires(CLAUSE, of(1, 1.5, 1.255, 2.5, 3.125)) == {task(2): 1, task(4): 1}


@pytest.mark.parametrize("places", [-1, MOST + 1, 2.0, "2", True, None])
def test_wrong_parameters_are_refused(places):
    with pytest.raises(ContractError, match="parameter 'places' of kind 'decimals'"):
        KINDS["decimals"].validate({"places": places}, "here")
