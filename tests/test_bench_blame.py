"""The bench of blame damages one field at a time, and counts a field as named only where it is."""

import random

from bench import blame
from bench._damage import DAMAGES, Damaged, Known, damages
from outcome_monitors import Call, Violation


def order(number):
    items = [{"item_id": f"I{number}{n}", "price": 3 + n + number} for n in range(2)]
    return {
        "order_id": f"W{number:03}",
        "status": "open" if number % 2 else "shut",
        "paid": number % 3 == 0,
        "placed_at": f"2026-03-{1 + number % 28:02}",
        "items": items,
        "total": sum(item["price"] for item in items),
        "note": f"delivered to the front desk on day {number}",
    }


CALLS = [Call("get", {"order_id": f"W{n:03}"}, order(n), task=f"task {n}") for n in range(60)]


def test_one_field_is_damaged_or_two_change_places_and_the_seed_decides():
    def drawn():
        draw = random.Random(1)
        return [one for call in CALLS for one in damages(call, Known(CALLS), draw, 4)]

    found = drawn()
    assert {one.kind for one in found} == {*DAMAGES}
    assert {len(one.fields) for one in found if one.kind == "swap"} == {2}
    assert {len(one.fields) for one in found if one.kind != "swap"} == {1}
    assert found == drawn()


def test_a_field_is_named_by_its_path_or_among_the_members_of_its_record():
    damaged = Damaged("scale", (("items", 1, "price"),), {})

    def named(path, expected=""):
        return blame.blamed(Violation("c", path, expected, "", ""), damaged)

    assert named("items[1].price") == named("items[].price") == (True, True)
    assert named("items[0].price") == named("total") == named("") == (False, False)
    assert named("", "total = the sum of items[].price") == (False, True)
    assert named("items[0]", "price agrees") == (False, False)
