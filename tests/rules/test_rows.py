"""`rows`: how the rows of a list stand."""

import pytest

from outcome_monitors.model import Violation
from outcome_monitors.rules import explain
from tests.rules.relations import clause, flags, params


def lists(count, length=4):
    """Return lists of rows with ids that differ, dates that rise and prices that fall."""
    return [
        (
            {"q": n},
            {
                "rows": [
                    {"id": f"R{n}-{i * 7 % 5}", "day": f"2026-03-{n % 9 + i + 1:02}", "price": 90 - i}
                    for i in range(length)
                ]
            },
        )
        for n in range(count)
    ]


def test_ids_that_differ_and_an_order_that_is_kept_are_found():
    assert params("rows", lists(20)) == [
        {"field": "%rows[].day", "standing": "a"},
        {"field": "%rows[].id", "standing": "u"},
        {"field": "%rows[].price", "standing": "d"},
    ]


def test_of_several_ids_the_rows_own_one_differs():
    def items(n):
        return [{"item_id": f"i{n}{i}", "product_id": f"p{n}{i}", "name": "x"} for i in range(3)]

    found = params("rows", [({"q": n}, {"items": items(n)}) for n in range(20)])
    assert {"field": "%items[].item_id", "standing": "u"} in found
    assert {"field": "%items[].product_id", "standing": "u"} not in found
    bare = [[{"id": f"i{n}{i}", "user_id": f"p{n}{i}"} for i in range(3)] for n in range(20)]
    assert [
        found["field"] for found in params("rows", [({}, rows) for rows in bare]) if found["standing"] == "u"
    ] == ["%[].id"]


RISING = clause("rows", field="%rows[].day", standing="a")
DIFFERENT = clause("rows", field="%rows[].id", standing="u")


def test_a_row_out_of_order_is_flagged():
    days = [{"day": "2026-03-01"}, {"day": "2026-03-03"}, {"day": "2026-03-02"}]
    assert flags(RISING, {"rows": sorted(days, key=lambda row: row["day"])}) == []
    assert flags(RISING, {"rows": days}) == [
        Violation(
            "row_order_broken",
            "rows[].day",
            "ascending",
            "item 3 is '2026-03-02' after '2026-03-03'",
            "rows are not ascending by rows[].day",
        )
    ]
    assert explain(RISING) == "rows[].day are ascending"


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [{"day": 2}],
        [{"day": 2}, {"day": 1}],
        [{"day": 2}, {"day": "b"}, {"day": 1}],
        None,
        "text",
        [1, 2],
    ],
)
def test_what_shows_no_order_is_not_judged(rows):
    assert flags(RISING, {"rows": rows}) == []
