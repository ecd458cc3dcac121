"""A clause loses what is private, and is refused where it would be false without, or say nothing."""

import pytest

from outcome_monitors.contracts.privacy import public_part
from outcome_monitors.jsonvalue.paths import below
from outcome_monitors.model import Clause

MAIL = "ada.lovelace@mail.example"
CARD = 4111111111111111


def clause(kind: str, path: str = "", **params: object) -> Clause:
    return Clause(kind, path, params, 40, 40, "traces")


@pytest.mark.parametrize(
    ("whole", "left"),
    [
        (clause("functional_dependency", key=".id", field=".to", facts={"1": MAIL, "2": "x"}), {"2": "x"}),
        (clause("functional_dependency", key=".to", field=".id", facts={MAIL: 1, "bo": 2}), {"bo": 2}),
        (clause("functional_dependency", key=".id", field=".paid_by", facts={"1": CARD, "2": 7}), {"2": 7}),
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
        clause("domain", "password", values=["hunter2"]),
        clause("functional_dependency", key=".id", field=".to", facts={"1": MAIL}),
        clause("template", field=".text", templates=[[f"sent to {MAIL} for ", ".id", ""]]),
        clause("closed_fields", "owners", fields=[MAIL, "x"]),
        clause("type", below("owners", MAIL), kinds=["integer"]),
        clause("range", "ssn", low=78051120, high=219099999, room="narrow"),
        clause("template", field=".text", templates=[["sent to ", ".holders" + below("", MAIL), ""]]),
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
        clause("form", "api_key", reading="exact", forms=["a@a.a"]),
        clause("functional_dependency", key=".id", field=".name", facts={"1": "lamp", "2": "desk"}),
    ],
)
def test_what_holds_nothing_private_stays_as_it_is(whole):
    assert public_part(whole) == (whole, "")


def test_a_hash_stays_where_what_it_stands_for_holds_nothing_private():
    whole = clause("functional_dependency", key="@", field=".name", facts={"\0abc": "lamp", "\0def": "desk"})
    assert public_part(whole, lambda feature: feature != "@") == (whole, "")
    assert public_part(whole, lambda feature: feature == "@")[1] == "it lists a hash that can be guessed"
