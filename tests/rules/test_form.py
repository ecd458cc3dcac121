"""`form`: the readings of a text, the strictest that is closed, and texts that have another form."""

import pytest
from hypothesis import given, strategies as st

from outcome_monitors.exceptions import ContractError
from outcome_monitors.rules import KINDS, explain
from outcome_monitors.rules.base.support import NOISE_FROM_TASKS
from outcome_monitors.rules.form import LEAST_TASKS, LONGEST, MOST_FORMS, READINGS, TASKS_A_FORM
from tests.rules.values import MANY, breaks, candidates, clause, flags, of, passes, task

IDS = [f"W{number:05}" for number in range(MANY)]
CLAUSE = clause("form", {"reading": "classes", "forms": ["A00000"]})


def learned(*values):
    """Return the forms that each reading suggests."""
    return {
        each.clause.params["reading"]: each.clause.params["forms"]
        for each in candidates("form", of(*values))
        if not each.refused
    }


@pytest.mark.parametrize(
    ("text", "forms"),
    [
        ("W02", ("A00", "xxx", "A0", "x")),
        ("Zoë 12", ("Aaé 00", "xxx xx", "Aaé 0", "x x")),
        ("a-b_c", ("a-a_a", "x-x_x", "a-a_a", "x-x_x")),
        ("東京1", ("éé0", "xxx", "é0", "x")),
        ("", ("", "", "", "")),
        ("€5\n", ("€0\n", "€x\n", "€0\n", "€x\n")),
    ],
)
def test_the_four_readings(text, forms):
    assert tuple(reading(text) for reading in READINGS.values()) == forms


@given(st.text(max_size=30), st.text(max_size=30))
def test_a_stricter_reading_tells_apart_all_that_a_laxer_one_does(one, other):
    alike = {name: reading(one) == reading(other) for name, reading in READINGS.items()}
    for strict, lax in (
        ("classes", "alike"),
        ("classes", "runs"),
        ("alike", "alike runs"),
        ("runs", "alike runs"),
    ):
        assert alike[lax] or not alike[strict]


def test_every_reading_that_is_closed_is_suggested_strictest_first():
    assert learned(*IDS) == {"classes": ["A00000"], "alike": ["xxxxxx"], "runs": ["A0"], "alike runs": ["x"]}
    assert list(learned(*IDS)) == list(READINGS)


def test_hexadecimal_and_widths_that_vary_close_the_laxer_readings_only():
    hexadecimal = [f"{number * 2654435761 % 2**32:08x}" for number in range(MANY)]
    assert learned(*hexadecimal)["alike"] == ["xxxxxxxx"]
    assert "classes" not in learned(*hexadecimal)
    words = ["a" * (number + 1) + "-" + "0" * (number % 7 + 1) for number in range(MANY)]
    assert list(learned(*words)) == ["runs", "alike runs"]


def test_another_form_is_flagged():
    assert flags(CLAUSE, {"x": "W1234"}) == [
        ("unseen_form", "x", ["A00000"], "W1234", "field x has a form that clean results do not have")
    ]
    assert passes(CLAUSE, "Z99999", None, 12345, ["W1"])
    assert breaks(CLAUSE, "w12345", "W12345 ", "", "W1234\N{FULLWIDTH DIGIT FIVE}")


def test_a_text_without_end_is_flagged_and_not_read_to_its_end():
    runs = clause("form", {"reading": "runs", "forms": ["a"]})
    assert passes(runs, "a" * 10_000_000)
    assert breaks(CLAUSE, "a" * 10_000_000)


def test_many_forms_are_named_in_part():
    many = clause("form", {"reading": "classes", "forms": ["0" * width for width in range(1, 21)]})
    assert explain(many) == "x looks like 0, 00, 000, 0000, 00000, 000000 or 14 more"
    assert explain(clause("form", CLAUSE.params, "")) == "(the result) looks like A00000"
    assert len(flags(many, {"x": "a"})[0][2]) < 20


def test_one_odd_task_in_many_is_dirt():
    found = candidates("form", of(*IDS, "ask again!"))
    assert found
    for each in found:
        assert each.clause.params["forms"] == learned(*IDS)[each.clause.params["reading"]]
        assert each.fired == {task(MANY): 1}


def test_odd_forms_of_several_tasks_are_no_dirt():
    assert learned(*IDS, "ask again!", "no: way") == {}


def test_one_odd_task_in_few_is_admitted_and_named():
    few = IDS[: max(LEAST_TASKS, 2 * TASKS_A_FORM)]
    assert len(few) < NOISE_FROM_TASKS - 1
    found = candidates("form", of(*few, "ask again!"))
    assert found[0].clause.params["forms"] == ["A00000", "aaa aaaaa!"]
    assert found[0].fired == {task(len(few)): 1}


def test_a_form_that_two_tasks_brought_is_admitted():
    found = candidates("form", of(*IDS, "ask again!", "ask again!"))
    assert found[0].clause.params["forms"] == ["A00000", "aaa aaaaa!"]
    assert found[0].fired == {}


def test_what_has_no_form_suggests_nothing():
    assert learned(*("-" * number + "." for number in range(MANY))) == {}
    assert learned(*IDS[: LEAST_TASKS - 1]) == {}
    assert learned(*[IDS[number % (LEAST_TASKS - 1)] for number in range(MANY)]) == {}
    assert learned(*IDS, "a" * (LONGEST + 1), "a" * (LONGEST + 1)) == {}


def test_forms_that_are_many_for_their_tasks_suggest_nothing():
    few = MANY // TASKS_A_FORM
    assert "classes" in learned(
        *("-" * (number % min(few, MOST_FORMS)) + f"{number:04}" for number in range(MANY))
    )
    assert "classes" not in learned(*("-" * (number % (few + 1)) + f"{number:04}" for number in range(MANY)))


def test_what_it_admits_and_what_stands_behind_it():
    found = candidates("form", of(*IDS, *(f"-{number}" for number in range(1, 10))))[0]
    assert (found.values, found.entities) == (2, MANY + 9)


def test_fires_names_the_tasks_of_other_evidence_with_other_forms():
    assert KINDS["form"].fires(CLAUSE, of("W00001", "W1", 7, "w00001")) == {task(1): 1, task(3): 1}


@pytest.mark.parametrize(
    "params",
    [
        {"reading": "backwards", "forms": ["a"]},
        {"reading": {}, "forms": ["a"]},
        {"reading": "runs", "forms": []},
        {"reading": "runs", "forms": "a"},
        {"reading": "runs", "forms": [0]},
        {"forms": ["a"]},
    ],
)
def test_wrong_parameters_are_refused(params):
    with pytest.raises(ContractError, match="of kind 'form'"):
        KINDS["form"].validate(params, "here")
