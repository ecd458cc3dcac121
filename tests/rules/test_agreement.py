"""What the lists and records of a session say of each other: empty filters, counts and ids that an earlier answer contradicts."""

from typing import Any

import pytest

from outcome_monitors import Monitor
from outcome_monitors.rules.built_in.agreement import MAX_VALUES

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
        (
            (
                ("shop.search_orders", {"query": "desk lamp"}, "No orders found."),
                ("shop.list_orders", {}, {"orders": [{"id": "W7", "name": "Oak desk lamp"}]}),
            ),
            "empty_contradicted",
            0,
        ),
        (
            (("shop.count_orders", {}, {"count": 5}), ("shop.get_order_total", {}, {"total": 4})),
            "count_contradicted",
            0,
        ),
        (
            (
                (
                    "shop.find_customer",
                    {"email": "ada@example.org"},
                    {"id": "C1", "email": "ada@example.org"},
                ),
                ("shop.list_customers", {}, {"customers": [{"id": "C2", "email": "ada@example.org"}]}),
            ),
            "id_contradicted",
            0,
        ),
        (
            (
                (
                    "shop.list_recipes",
                    {},
                    {"recipes": [{"id": "r1", "name": "Soup"}, {"id": "r2", "name": "Pea soup"}]},
                ),
                ("shop.get_recipe", {"query": "Soup"}, {"id": "r2", "name": "Pea soup"}),
            ),
            "id_contradicted",
            0,
        ),
        (
            (
                ("shop.find_order", {"order": "W1"}, {"id": "W1", "version": 4}),
                ("shop.get_order", {"order": "W1"}, {"id": "W1", "version": 3}),
            ),
            "older_version",
            None,
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
        (
            ("shop.search_orders", {"query": "desk lamp"}, "No orders found."),
            ("shop.list_orders", {}, {"orders": [{"id": "W7", "name": "Oak desk"}]}),
        ),
        (
            ("shop.find_customer", {"phone": "1"}, {"id": "C1", "name": "Ada"}),
            ("shop.list_customers", {"page": 2}, {"customers": [{"id": "C2", "name": "Ada"}]}),
        ),
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


def test_a_filter_that_never_finds_anything_is_flagged_where_session_after_session_has_rows_with_its_value():
    monitor = Monitor()

    def run(asked, rows):
        return [one.code for one in monitor.session().check("shop.list_orders", asked, {"orders": rows})]

    for _ in range(3):
        assert run({}, ROWS) == []
    said = [run({"status": "open"}, []) for _ in range(4)]
    assert said == [[], [], ["empty_contradicted"], ["empty_contradicted"]]
    assert run({"status": "open"}, ROWS[:1]) == []
    assert run({"status": "open"}, []) == []
    assert [run({"status": "lost"}, []) for _ in range(4)] == [[]] * 4


def test_what_sessions_have_in_common_is_bounded():
    monitor = Monitor()
    for number in range(300):
        rows = [{"id": f"W{number}-{row}", "status": "open"} for row in range(20)]
        monitor.session().check("shop.list_orders", {}, {"orders": rows})
    assert len(monitor.filter_counts._counts) <= MAX_VALUES


NOTE = ("notes.create_note", {"title": "Oat milk"}, {"id": "n-881", "title": "Oat milk"})
FILE = ("fs.write_file", {"path": "/a/report.md", "content": "x"}, "Successfully wrote to /a/report.md")
GRAPH = (
    "memory.create_entities",
    {"entities": [{"name": "Ada_Lovelace", "entityType": "person"}]},
    [{"name": "Ada_Lovelace", "entityType": "person"}],
)


@pytest.mark.parametrize(
    "calls",
    [
        (NOTE, ("notes.list_notes", {}, {"notes": [{"id": "n-1", "title": "Tea"}]})),
        (NOTE, ("notes.list_notes", {}, {"notes": []})),
        (FILE, ("fs.list_directory", {"path": "/a"}, "[FILE] other.md\n[DIR] x")),
        (GRAPH, ("memory.search_nodes", {"query": "Ada_Lovelace"}, {"entities": [], "relations": []})),
    ],
)
def test_what_a_whole_list_does_not_show_was_not_written(calls):
    assert found(*calls) == [("write_lost", 0)]


@pytest.mark.parametrize(
    "calls",
    [
        (NOTE, ("notes.list_notes", {}, {"notes": [{"id": "n-881", "title": "Oat milk"}]})),
        (NOTE, ("notes.list_notes", {"status": "done"}, {"notes": []})),
        (NOTE, ("notes.list_tags", {}, {"tags": []})),
        (NOTE, ("notes.list_notes", {}, {"notes": [{"id": "n-1"}], "has_more": True})),
        (NOTE, ("notes.list_notes", {}, {"notes": [{"id": f"n-{n}"} for n in range(20)]})),
        (NOTE, ("notes.delete_note", {"id": "n-881"}, {"ok": True}), ("notes.list_notes", {}, {"notes": []})),
        (FILE, ("fs.list_directory", {"path": "/a"}, "[FILE] report.md")),
        (FILE, ("fs.list_directory", {"path": "/b"}, "[FILE] other.md")),
    ],
)
def test_a_list_of_other_things_or_a_part_of_one_proves_nothing(calls):
    assert found(*calls) == []


def test_a_message_about_another_thing_does_not_make_a_write_a_lost_one():
    session = Monitor().session()
    session.check("excel.create_sheet", {"file": "a.xlsx", "sheet_name": "Sums"}, "Sheet Sums created")
    asked = {"file": "a.xlsx", "sheet_name": "Other"}
    codes = {one.code for one in session.check("excel.write_data", asked, "Error: Sheet 'Other' not found")}
    assert codes == {"failure_reported"}


def test_a_ranking_that_is_asked_for_without_conditions_is_not_empty():
    assert found(("news.get_trending", {}, {"items": []})) == [("empty_contradicted", None)]
    assert found(("news.get_trending", {"country": "is"}, {"items": []})) == []
    assert found(("news.list_saved", {}, {"items": []})) == []
