"""What the lists and records of a session say of each other: empty filters, counts and ids that an earlier answer contradicts."""

from typing import Any

import pytest

from outcome_monitors import Monitor

ROWS = [{"order_id": "W1", "status": "open"}, {"order_id": "W2", "status": "closed"}]
ALL: Any = ("shop.list_orders", {}, {"orders": ROWS})
NO_OPEN: Any = ("shop.list_orders", {"status": "open"}, {"orders": []})
WRITE = ("shop.update_order", {"order_id": "W1", "status": "paid"}, {"order_id": "W1", "status": "paid"})
GONE = ("shop.delete_order", {"order_id": "W2"}, {"order_id": "W2", "status": "deleted"})


def found(*calls):
    """Return what is found at the last of several calls, of which nothing else is wrong."""
    session = Monitor().session()
    for call in calls[:-1]:
        assert session.check(*call) == ()
    return [(one.code, one.about) for one in session.check(*calls[-1])]


@pytest.mark.parametrize(
    ("calls", "code", "about"),
    [
        ((NO_OPEN, ALL), "empty_contradicted", 0),
        ((ALL, NO_OPEN), "empty_contradicted", None),
        ((("shop.count_orders", {}, {"count": 5}), ALL), "count_contradicted", 0),
        ((ALL, ("shop.get_order_count", {}, 5)), "count_contradicted", 0),
        ((ALL, ("shop.get_order", {"order_id": "W2"}, {"error": "Order W2 not found"})), "id_unknown", 0),
        (
            (
                ("shop.search_orders", {"q": "lamp"}, {"orders": [{"id": "W7"}]}),
                ("shop.get_order", {"order_id": "W7"}, "Error: order not found"),
            ),
            "id_unknown",
            0,
        ),
    ],
)
def test_what_an_earlier_answer_contradicts_is_flagged(calls, code, about):
    assert (code, about) in found(*calls)


@pytest.mark.parametrize(
    "calls",
    [
        (NO_OPEN, ("shop.list_orders", {}, {"orders": ROWS[1:]})),
        (("shop.list_customers", {"status": "open"}, {"customers": []}), ALL),
        (("shop.list_orders", {"status": "open", "year": 2019}, {"orders": []}), ALL),
        (ALL, WRITE, NO_OPEN),
        (ALL, GONE, ("shop.count_orders", {}, {"count": 1})),
        (ALL, ("shop.count_orders", {}, {"count": 2})),
        (ALL, ("shop.count_orders", {"status": "open"}, {"count": 1})),
        (("shop.list_orders", {"limit": 2}, {"orders": ROWS}), ("shop.count_orders", {}, {"count": 9})),
        (
            ("shop.list_orders", {}, {"orders": ROWS, "has_more": True}),
            ("shop.count_orders", {}, {"count": 9}),
        ),
        (("other.count_orders", {}, {"count": 9}), ALL),
    ],
)
def test_what_may_be_so_is_not_flagged(calls):
    assert found(*calls) == []


@pytest.mark.parametrize("arguments", [{"customer_id": "W1"}, {"order_id": "W9"}])
def test_an_id_of_another_thing_or_of_nobody_is_the_callers_error(arguments):
    codes = {code for code, _ in found(ALL, ("shop.get_order", arguments, {"error": "not found"}))}
    assert "id_unknown" not in codes


def test_after_a_deletion_an_id_may_be_unknown():
    gone = ("shop.get_order", {"order_id": "W2"}, {"error": "Order W2 not found"})
    assert "id_unknown" not in {code for code, _ in found(ALL, GONE, gone)}
