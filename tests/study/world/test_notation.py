"""The notations of the world's data files: types, what is drawn, templates that refer to results."""

import pytest
from hypothesis import given, strategies as st

from outcome_monitors_study.world.templates import READERS, fill
from tests.strategies import json_values

SCOPE = {
    "order": {"items": [{"sku": "A", "n": 2}, {"sku": "B", "n": 1}], "total_cents": 1250, "note": None},
    "stock": {"A": {"left": 4}},
    "want": {"sku": "A", "status": None},
}


@pytest.mark.parametrize(
    ("template", "filled"),
    [
        ("$order.items[0].sku", "A"),
        ("$order.items[].sku", ["A", "B"]),
        ("$order.total_cents|units", 12.5),
        ("$stock.{want.sku}.left", 4),
        ("$order.nothing", None),
        ("$order.nothing[].sku", []),
        ("Sold {order.items[0].n} of {want.sku}", "Sold 2 of A"),
        ("plain", "plain"),
        (7, 7),
        ({"a": ["$want.sku", 1], "b": {"c": "$want.sku"}}, {"a": ["A", 1], "b": {"c": "A"}}),
        ({"sku": "$want.sku?", "status": "$want.status?"}, {"sku": "A"}),
        ({"status": "$want.status"}, {"status": None}),
    ],
)
def test_references_are_replaced(template, filled):
    assert fill(template, SCOPE) == filled


@given(json_values, st.sampled_from(sorted(READERS)))
def test_a_reader_takes_what_it_cannot_read_at_face_value(value, reader):
    fill(f"$x|{reader}", {"x": value})


@given(json_values)
def test_no_value_found_where_a_key_was_expected_raises(value):
    fill({"a": "$stock.{x}.left", "b": "{x}", "c": "$x[].y"}, {**SCOPE, "x": value})
