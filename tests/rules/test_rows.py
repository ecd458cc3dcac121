"""`rows`: how the rows of a list stand."""

import pytest

from outcome_monitors import Call, mine
from outcome_monitors.model import Violation
from outcome_monitors.rules import explain
from outcome_monitors.rules.rows import LEAST_LISTS, LEAST_LISTS_OF_ROWS, LEAST_TASKS, MOST_BROKEN
from tests.rules.relations import Row, by_chance, clause, flags, params, suggested

MANY = int(1 / MOST_BROKEN) + 20


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


def test_plain_values_can_stand_in_order_too():
    found = params("rows", [({"q": n}, [n, n + 2, n + 5]) for n in range(20)])
    assert found == [{"field": "%[]", "standing": "u"}, {"field": "%[]", "standing": "a"}]


def test_whole_rows_differ_where_no_id_says_it():
    said = [
        ({"q": n}, {"said": [{"who": f"u{i % 2}", "text": f"t{n}-{i}"} for i in range(4)]}) for n in range(20)
    ]
    assert params("rows", said) == [
        {"field": "%said[].text", "standing": "a"},
        {"field": "%said[]", "standing": "u"},
    ]
    often = [({"q": n}, {"said": [{"who": "u", "text": "hi"}] * (n % 3 + 1)}) for n in range(20)]
    assert "%said[]" not in [found["field"] for found in params("rows", often)]


def test_a_list_in_a_field_has_no_item_twice():
    tagged = [({"q": n}, {"tags": [f"t{n}", f"t{n % 7}x", "new"]}) for n in range(20)]
    assert params("rows", tagged) == [{"field": "%tags[]", "standing": "u"}]
    twice = clause("rows", field="%tags[]", standing="u")
    assert flags(twice, {"tags": ["a", "b"]}) == []
    assert [violation.detail for violation in flags(twice, {"tags": ["a", "b", "a"]})] == [
        "rows of tags[] are not all different"
    ]


def test_rows_are_the_same_whatever_the_order_of_their_fields():
    whole = clause("rows", field="%said[]", standing="u")
    one, other = {"who": "a", "text": "hi", "at": [1]}, {"at": [1], "text": "hi", "who": "a"}
    assert flags(whole, {"said": [one, {"who": "b"}, other]}) != []
    assert flags(whole, {"said": [one, {**other, "at": [2]}]}) == []
    assert flags(whole, {"said": [{}, {}]}) != []


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


def test_a_row_that_comes_twice_is_flagged():
    (broken,) = flags(DIFFERENT, {"rows": [{"id": "a"}, {"id": "a"}]})
    assert (broken.expected, broken.observed) == ("all different", "items 1 and 2 are the same")


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


def test_lists_of_two_show_no_order():
    assert params("rows", lists(40, length=2)) == [{"field": "%rows[].id", "standing": "u"}]


def test_few_lists_show_nothing_but_that_rows_differ():
    assert params("rows", lists(max(LEAST_LISTS, LEAST_TASKS) - 1)) == [{"field": "%rows[]", "standing": "u"}]
    # Three fields, one of which names the row: the same one is not there twice.
    assert params("rows", lists(1)) == [{"field": "%rows[]", "standing": "u"}]
    nameless = [
        ({"q": n}, {"rows": [{"colour": f"c{n + i}", "weight": n * i} for i in range(3)]}) for n in range(9)
    ]
    assert params("rows", nameless[: LEAST_LISTS_OF_ROWS - 1]) == []


def test_a_column_of_one_value_shows_no_order():
    shown = [({"q": n}, {"rows": [{"state": "open", "n": i} for i in range(3)]}) for n in range(20)]
    assert "%rows[].state" not in [found["field"] for found in params("rows", shown)]


def test_a_list_that_the_caller_gives_may_hold_anything():
    def bought(n):
        given = [f"sku {n % 7}", f"sku {n % 5}x", f"sku {n}y"]
        return Call("buy", {"items": given}, {"bought": given, "tags": given[::-1]}, task=f"task {n}")

    clauses = mine([bought(n) for n in range(60)], "full").contracts["buy"].clauses
    assert [clause.params["field"] for clause in clauses if clause.kind == "rows"] == ["%tags[]"]


def test_that_prices_happen_to_differ_is_no_rule():
    assert {"field": "%rows[].price", "standing": "u"} not in params("rows", lists(40))


def test_one_odd_task_does_not_hide_the_rule_and_is_not_learned():
    odd: Row = ({}, {"rows": [{"id": "a"}, {"id": "a"}, {"id": "a"}]})
    (candidate,) = [c for c in suggested("rows", [*lists(MANY), odd]) if c.clause.params["standing"] == "u"]
    assert len(candidate.fired) == 1
    assert flags(candidate.clause, odd[1])


def test_columns_in_no_order_give_nothing():
    def make(source):
        return {"q": source.random()}, {
            "rows": [{"id": source.randrange(5), "n": source.randrange(9)} for _ in range(5)]
        }

    assert by_chance(make, "rows") == []
