"""`changes_after_write`: after a write, the answer to the same question is another one."""

import pytest

from outcome_monitors import Clause, Contract, Monitor, Registry
from outcome_monitors.model import Violation
from outcome_monitors.rules.config import CONFIG
from tests.rules.sessions import run, suggested


def cancelled(number, *, changes=True, writer="cancel_order"):
    """Return the calls of one session: an order is read, written and read again."""
    asked = {"order_id": f"W{number:04}"}
    state = "shut" if changes else "open"
    return run(
        number,
        ("get_order", asked, {**asked, "state": "open"}),
        (writer, asked, {"done": True}),
        ("get_order", asked, {**asked, "state": state}),
    )


def writers(*sessions):
    return [
        candidate.clause.params["after"]
        for candidate in suggested("changes_after_write", sessions, "get_order")
    ]


def test_a_write_that_changes_the_answer_is_found():
    assert writers(*(cancelled(n) for n in range(20))) == ["cancel_order"]


def test_a_write_that_changes_nothing_is_not():
    assert writers(*(cancelled(n, changes=False) for n in range(20))) == []
    assert writers(*(cancelled(n, changes=n % 2 == 0) for n in range(20))) == []


def test_few_calls_or_one_task_show_nothing():
    assert writers(*(cancelled(n) for n in range(CONFIG.session_calls - 1))) == []
    assert writers(*(cancelled(n) for n in range(CONFIG.session_calls))) == ["cancel_order"]


RENEWED = Clause("changes_after_write", "", {"after": "cancel_order"}, 9, 9, "traces")
ASKED = {"order_id": "W7777"}
OPEN, SHUT = {**ASKED, "state": "open"}, {**ASKED, "state": "shut"}


@pytest.fixture
def session():
    return Monitor(Registry({"get_order": Contract("get_order", (RENEWED,))})).session()


STALE = Violation(
    "stale_after_write",
    "",
    "a change after cancel_order",
    "the same answer as before",
    "the answer is the same as before cancel_order was called",
    tasks=RENEWED.tasks,
)


def test_an_answer_from_before_the_write_is_flagged_until_it_changes(session):
    assert session.check("get_order", ASKED, OPEN) == ()
    assert session.check("get_order", ASKED, OPEN) == ()
    session.check("cancel_order", ASKED, {"done": True})
    assert session.check("get_order", ASKED, OPEN) == (STALE,)
    assert session.check("get_order", ASKED, OPEN) == (STALE,)
    assert session.check("get_order", ASKED, SHUT) == ()
    assert session.check("get_order", ASKED, SHUT) == ()


UPDATED = Clause("changes_after_write", "", {"after": "update_order"}, 9, 9, "traces")


@pytest.mark.parametrize(
    ("written", "answer"),
    [
        ({"state": "open"}, {"done": True}),
        ({"state": "shut"}, {"done": False}),
        ({"state": "shut"}, {"error": "The order is locked."}),
        ({"state": "shut"}, {"rows_affected": 0}),
    ],
)
def test_an_answer_that_stays_is_not_stale_after_a_write_that_changed_nothing(written, answer):
    registry = Registry({"get_order": Contract("get_order", (UPDATED,))})
    session = Monitor(registry, built_in=False).session()
    for tool, asked, result in (
        ("get_order", ASKED, OPEN),
        ("update_order", {**ASKED, **written}, answer),
        ("get_order", ASKED, OPEN),
    ):
        assert session.check(tool, asked, result) == ()
    session.check("update_order", {**ASKED, "state": "held"}, {"done": True})
    assert [v.code for v in session.check("get_order", ASKED, OPEN)] == ["stale_after_write"]
