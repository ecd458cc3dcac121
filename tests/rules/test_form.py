"""`form`: the readings of a text, the strictest that is closed, and texts that have another form."""

import pytest
from hypothesis import given, strategies as st

from outcome_monitors.rules.config import CONFIG
from outcome_monitors.rules.form import READINGS
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


def test_one_odd_task_in_many_is_dirt():
    found = candidates("form", of(*IDS, "ask again!"))
    assert found
    for each in found:
        assert each.clause.params["forms"] == learned(*IDS)[each.clause.params["reading"]]
        assert each.fired == {task(MANY): 1}


def test_what_has_no_form_suggests_nothing():
    assert learned(*("-" * number + "." for number in range(MANY))) == {}
    assert learned(*IDS[: CONFIG.form_tasks - 1]) == {}
    assert learned(*[IDS[number % (CONFIG.form_tasks - 1)] for number in range(MANY)]) == {}
    assert learned(*IDS, "a" * (CONFIG.form_length + 1), "a" * (CONFIG.form_length + 1)) == {}
