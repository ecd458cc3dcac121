"""The notations of the world's data files: types, what is drawn, templates that refer to results."""

import pytest
from hypothesis import given, strategies as st

from outcome_monitors_study.world.templates import READERS, fill
from outcome_monitors_study.world.tools import Types
from tests.strategies import json_values


@pytest.mark.parametrize(
    ("notation", "schema"),
    [
        ("id ORD: Number", {"type": "string", "pattern": "^ORD-[0-9]+$", "description": "Number"}),
        ("among cities.code", {"type": "string", "enum": ["A", "B"]}),
        ("maybe whole 1 5", {"anyOf": [{"type": "integer", "minimum": 1, "maximum": 5}, {"type": "null"}]}),
        ("number 0.5", {"type": "number", "minimum": 0.5}),
        (["flag", "1..8"], {"type": "array", "items": {"type": "boolean"}, "minItems": 1, "maxItems": 8}),
        ({"<id>": "flag"}, {"type": "object", "additionalProperties": {"type": "boolean"}}),
        (
            {"...": "@pair", "c": "flag"},
            {
                "type": "object",
                "properties": {key: {"type": "boolean"} for key in "abc"},
                "required": ["a", "b", "c"],
                "additionalProperties": False,
            },
        ),
    ],
)
def test_a_type_is_read_as_json_schema(notation, schema):
    types = Types({"cities": [{"code": "A"}, {"code": "B"}]})
    types.own["pair"] = types.schema({"a": "flag", "b": "flag"})
    assert types.schema(notation) == schema


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
