"""A clause loses what is private, and is refused where it would be false without, or say nothing."""

import pytest

from outcome_monitors.contracts.privacy import public_part
from outcome_monitors.model import Clause

MAIL = "ada.lovelace@mail.example"


def clause(kind: str, path: str = "", **params: object) -> Clause:
    return Clause(kind, path, params, 40, 40, "traces")


@pytest.mark.parametrize(
    ("whole", "left"),
    [
        (clause("functional_dependency", key=".to", field=".id", facts={MAIL: 1, "bo": 2}), {"bo": 2}),
        (
            clause("conditional", given=".to", field=".id", states={MAIL: ["filled"], "bo": ["null"]}),
            {"bo": ["null"]},
        ),
        (
            clause("non_empty", "rows", of="list", usual={"pin code": [1234, 9876], "n": [0, 9]}),
            {"n": [0, 9]},
        ),
    ],
)
def test_what_is_said_of_each_key_goes_on_to_be_said_of_the_others(whole, left):
    found, why = public_part(whole)
    assert why == ""
    assert left in found.params.values()


@pytest.mark.parametrize(
    "whole",
    [
        clause("domain", "agent", values=["bo", MAIL]),
        clause("template", field=".text", templates=[[f"sent to {MAIL} for ", ".id", ""]]),
        clause("closed_fields", "owners", fields=[MAIL, "x"]),
        clause("range", "ssn", low=78051120, high=219099999, room="narrow"),
    ],
)
def test_a_list_that_would_be_false_without_is_refused_with_a_reason(whole):
    _, why = public_part(whole)
    assert why
    assert MAIL not in why


@pytest.mark.parametrize(
    "whole",
    [
        clause("domain", "status", values=["open", "closed"]),
        clause("type", "password", kinds=["string"]),
        clause("functional_dependency", key=".id", field=".name", facts={"1": "lamp", "2": "desk"}),
    ],
)
def test_what_holds_nothing_private_stays_as_it_is(whole):
    assert public_part(whole) == (whole, "")
