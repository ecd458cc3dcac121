from typing import Any

import pytest

from outcome_monitors import Clause, Contract, Monitor, Registry, Violation
from outcome_monitors.rules import evaluate, explain

NET: dict[str, Any] = {
    "left": {"path": "payments[].amount", "by": "type", "signs": {"payment": 1, "refund": -1}},
    "right": {"path": "items[].price"},
    "where": {"path": "status", "values": ["delivered", "pending"]},
    "places": 2,
}
TOTAL: dict[str, Any] = {
    "left": {"path": "total"},
    "right": {"path": "items[].price"},
    "where": None,
    "places": 2,
}


def clause(params: dict[str, Any], path: str = "") -> Clause:
    return Clause("conservation", path, params, 100, 100, "database:orders.json")


def monitor(params: dict[str, Any], path: str = "") -> Monitor:
    registry = Registry({"get_order": Contract("get_order", (clause(params, path),))})
    return Monitor(registry, built_in=False)


def order(**changes: Any) -> dict[str, Any]:
    """Return an order whose binary sums differ although its decimal ones do not."""
    payments = [{"type": "payment", "amount": 0.3}, {"type": "payment", "amount": 2.5}]
    refund = {"type": "refund", "amount": 2.5}
    items = [{"price": 0.1}, {"price": 0.2}]
    return {"status": "pending", "payments": [*payments, refund], "items": items, "total": 0.3, **changes}


def check(params: dict[str, Any], result: Any, path: str = "") -> tuple[Violation, ...]:
    used = monitor(params, path)
    told = used.check("get_order", {}, result)
    assert used.counts.failed == 0
    # What the clause says by itself, whichever side it is told of.
    found = tuple(violation for _, violation in evaluate([clause(params, path)], {}, result))
    assert len(told) == len(found)
    return found


def test_where_nothing_else_doubts_a_side_both_are_named() -> None:
    (broken,) = monitor(TOTAL).check("get_order", {}, order(total=0.29))
    assert (broken.path, broken.expected, broken.observed) == (
        "",
        "total equals the sum of items[].price",
        "0.29 and 0.3",
    )


def test_a_sum_that_only_binary_arithmetic_gets_wrong_is_right() -> None:
    assert sum(item["price"] for item in order()["items"]) != 0.3
    assert check(NET, order()) == ()
    assert check(TOTAL, order()) == ()


def test_a_cent_too_much_is_named_with_both_sums() -> None:
    (broken,) = check(NET, order(items=[{"price": 0.1}, {"price": 0.21}]))
    assert broken.to_json() == {
        "code": "conservation_broken",
        "path": "payments[].amount",
        "expected": 0.31,
        "observed": 0.3,
        "detail": "sum of payments[].amount (payment less refund) differs from sum of items[].price",
    }
    (broken,) = check(TOTAL, order(total=0.29))
    assert (broken.path, broken.expected, broken.observed, broken.detail) == (
        "total",
        0.3,
        0.29,
        "total differs from sum of items[].price",
    )


def test_half_a_unit_of_the_last_place_is_no_difference() -> None:
    assert check(TOTAL, order(total=0.305)) == ()
    assert check(TOTAL, order(total=0.3051)) != ()
    whole = {**TOTAL, "places": 0}
    assert check(whole, {"total": 3, "items": [{"price": 3.5}]}) == ()
    (broken,) = check(whole, {"total": 3, "items": [{"price": 4}]})
    assert (broken.expected, broken.observed) == (4, 3)


@pytest.mark.parametrize("status", ["cancelled", "return requested", None, 7, ["pending"]])
def test_other_values_of_the_guard_are_not_judged(status: Any) -> None:
    assert check(NET, order(status=status, items=[])) == ()
    assert check(NET, {k: v for k, v in order(items=[]).items() if k != "status"}) == ()


def test_guard_and_signs_are_read_without_regard_to_case_and_space() -> None:
    payments = [{"type": "PAYMENT", "amount": 5}, {"type": " Refund", "amount": 1}]
    good = order(status=" Delivered ", payments=payments, items=[{"price": 4}])
    assert check(NET, good) == ()
    assert check(NET, {**good, "items": [{"price": 6}]}) != ()


@pytest.mark.parametrize(
    "changes",
    [
        {"items": None},
        {"items": {"price": 3}},
        {"items": [{"price": None}]},
        {"items": [{"price": "3.00"}]},
        {"items": [{"price": True}]},
        {"items": [{"price": float("nan")}]},
        {"items": [{}]},
        {"items": ["price"]},
        {"payments": [{"type": "chargeback", "amount": 1}]},
        {"payments": [{"amount": 1}]},
    ],
)
def test_what_cannot_be_told_is_not_judged(changes: dict[str, Any]) -> None:
    assert check(NET, order(**changes)) == ()


def test_numbers_of_any_size_are_added_exactly() -> None:
    rows = [1e308, 5e-324, -1e308, 10**400, 1]
    items = [{"price": row} for row in rows]
    assert check(TOTAL, {"total": 10**400 + 1, "items": items}) == ()
    (broken,) = check(TOTAL, {"total": 10**400 + 2, "items": items})
    assert broken.expected == broken.observed == "a number of more than 40 digits"
    large = {"total": 1e16, "items": [{"price": 10**16 + 1}]}
    assert check(TOTAL, large)[0].expected == 10**16 + 1


def test_a_clause_is_a_sentence() -> None:
    assert explain(clause(NET)) == (
        "net payments[].amount (payment +, refund -) equals the sum of items[].price"
        " where status is delivered or pending"
    )
    assert explain(clause(TOTAL, "orders[]")) == "orders[].total equals the sum of orders[].items[].price"
    three = {**TOTAL, "where": {"path": "status", "values": ["a", "b", "c"]}}
    assert explain(clause(three)).endswith("where status is a, b or c")
