"""`required_members`: what a list always had."""

import pytest

from outcome_monitors.features.aggregates import digest
from outcome_monitors.mining.observations import Observations
from outcome_monitors.model import Json
from outcome_monitors.rules import KINDS
from tests.rules.relations import Row, calls, flags, params, suggested

USERS = {f"u{n}": [f"W{n}{k}" for k in range(3)] for n in range(8)}
ORDERS: list[Row] = [
    ({"user": user}, {"orders": [*orders, *(["new"] * (turn > 2))]})
    for turn in range(4)
    for user, orders in USERS.items()
]


def known(rows: list[Row], path: str = "") -> dict[str, dict[str, list[str]]]:
    """Return what is known for each key, by the feature that it is."""
    return {found["key"]: found["core"] for found in params("required_members", rows, path)}


def test_a_question_is_known_by_what_every_answer_had():
    assert known(ORDERS) == {"@": {digest({"user": user}): orders for user, orders in USERS.items()}}


def test_a_list_may_grow_and_not_shrink():
    (learned,) = suggested("required_members", ORDERS)
    asked = {"user": "u3"}
    assert not flags(learned.clause, {"orders": [*USERS["u3"], "x", "y"]}, asked)
    assert flags(learned.clause, {"orders": USERS["u3"][:2]}, asked)
    assert flags(learned.clause, {"orders": []}, asked)


BATCHES: list[Row] = [
    ({"names": [f"h{n % 7}", f"h{(n + 3) % 7}", f"gone {n}"]}, {f"h{n % 7}": n, f"h{(n + 3) % 7}": n})
    for n in range(40)
]


def test_each_of_several_things_that_were_asked_for_is_known_for_itself():
    assert known(BATCHES)["@names"] == {f"h{n}": [f"h{n}"] for n in range(7)}


def test_a_thing_that_is_left_out_is_named():
    learned = next(
        found.clause
        for found in suggested("required_members", BATCHES)
        if found.clause.params["key"] == "@names"
    )
    (violation,) = KINDS["required_members"].check(
        learned, {"names": ["h1", "h2", "new"]}, {"h2": 5, "new": 4}
    )
    assert (violation.expected, violation.observed) == ("h1", "missing")


def test_what_others_were_told_is_not_named():
    (learned,) = suggested("required_members", ORDERS)
    (violation,) = flags(learned.clause, {"orders": []}, {"user": "u1"})
    assert (violation.expected, violation.observed) == (
        "all the members of orders that are known",
        "3 missing",
    )


def rows(*ids: str) -> Json:
    return {"orders": [{"id": one, "total": 5} for one in ids]}


@pytest.mark.parametrize(
    ("ids", "path"),
    [(["W10", "W11", "?"], "orders[].id"), (["W10", "W11"], "orders"), (["W10", "W11", "W20"], "orders")],
)
def test_where_a_row_has_a_name_that_nobody_knows_the_field_is_named(ids, path):
    listed: list[Row] = [({"user": user}, rows(*known)) for _ in range(4) for user, known in USERS.items()]
    (learned,) = suggested("required_members", listed)
    (violation,) = flags(learned.clause, rows(*ids), {"user": "u1"})
    assert violation.path == path


def test_where_what_was_asked_is_private_in_every_call_nothing_is_known_by_it():
    observed = Observations("full", private=["@user"])
    for call in calls(ORDERS):
        observed.add(call)
    kinds = [
        one.kind for contract in observed.contracts().registry.contracts.values() for one in contract.clauses
    ]
    assert kinds
    assert "required_members" not in kinds
