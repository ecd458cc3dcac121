"""`conditional`: what a flag or a category says of another field."""

import pytest

from outcome_monitors.model import Violation
from outcome_monitors.rules.config import CONFIG
from tests.rules.relations import Row, clause, flags, params

MANY = max(2 * CONFIG.label_noise_tasks, int(1 / CONFIG.conditional_stray)) + 40
STATUSES = ("pending", "shipped", "delivered", "cancelled")


def order(number, status):
    """Return an order: sent ones have a tracking number, cancelled ones a reason, pending ones no parcels."""
    found = {
        "id": f"W{number}",
        "status": status,
        "tracking": None,
        "parcels": [],
        "note": "x" * (number // 4 % 2),
    }
    if status in ("shipped", "delivered"):
        found |= {"tracking": f"T{number}", "parcels": [number]}
    return found | ({"reason": "other"} if status == "cancelled" else {})


ORDERS: list[Row] = [({"id": f"W{n}"}, order(n, STATUSES[n % 4])) for n in range(MANY)]


def test_each_category_has_its_states():
    assert {
        found["field"]: found["states"]
        for found in params("conditional", ORDERS)
        if found["given"] == ".status"
    } == {
        ".tracking": {
            "cancelled": ["null"],
            "delivered": ["filled"],
            "pending": ["null"],
            "shipped": ["filled"],
        },
        "#parcels": {
            "cancelled": ["empty"],
            "delivered": ["filled"],
            "pending": ["empty"],
            "shipped": ["filled"],
        },
        ".reason": {
            "cancelled": ["filled"],
            "delivered": ["absent"],
            "pending": ["absent"],
            "shipped": ["absent"],
        },
    }


def test_an_argument_can_be_the_category():
    rows: list[Row] = [({"deep": n % 2 == 0, "n": n}, {"rows": [1] * (n % 2 == 0)}) for n in range(40)]
    (found,) = params("conditional", rows)
    assert found == {"given": "@deep", "field": "#rows", "states": {"false": ["empty"], "true": ["filled"]}}


SENT = clause(
    "conditional",
    given=".status",
    field=".tracking",
    states={"delivered": ["filled"], "pending": ["absent", "null"]},
)


@pytest.mark.parametrize(
    ("result", "expected", "observed"),
    [
        ({"status": "delivered", "tracking": None}, "filled for status 'delivered'", "null"),
        ({"status": "delivered", "tracking": ""}, "filled for status 'delivered'", "''"),
        ({"status": "pending", "tracking": "T1"}, "absent or null for status 'pending'", "'T1'"),
    ],
)
def test_a_field_in_another_state_is_flagged_beside_the_category(result, expected, observed):
    status = f"status '{result['status']}', tracking {observed}"
    detail = "status and tracking do not agree"
    assert flags(SENT, result) == [
        Violation("implication_broken", "", f"tracking {expected}", status, detail)
    ]


@pytest.mark.parametrize(
    "result",
    [
        {"status": "delivered", "tracking": "T1"},
        {"status": "pending"},
        {"status": "pending", "tracking": None},
        {"status": "lost"},
        {"status": None},
        {"status": ["delivered"]},
        {"tracking": "T1"},
        [],
        None,
    ],
)
def test_what_fits_or_is_unknown_is_not_flagged(result):
    assert flags(SENT, result) == []


def test_few_tasks_show_nothing():
    few = 4 * (CONFIG.conditional_tasks - 1)
    assert params("conditional", ORDERS[:few]) == []


def test_a_state_that_is_rare_anyway_shows_nothing():
    rare = int(CONFIG.conditional_surprise) - 1
    rows: list[Row] = [
        ({}, {"n": n, "kind": "ab"[n % 2], "note": "seen" if n % 2 and n < 2 * rare else None})
        for n in range(MANY)
    ]
    assert params("conditional", rows) == []


def test_what_the_caller_supplies_is_the_callers_choice():
    rows: list[Row] = [
        (
            {"folder": folder, **({"query": f"q{n}"} if folder == "inbox" else {})},
            {"n": n, "folder": folder, "query": f"q{n}" if folder == "inbox" else None},
        )
        for n in range(40)
        for folder in ("inbox", "sent")
    ]
    assert params("conditional", rows) == []
