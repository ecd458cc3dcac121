"""The notations of the world's data files: types, what is drawn, templates that refer to results."""

import random
from typing import Any

import pytest
from hypothesis import given, strategies as st

from outcome_monitors_study.world.records import document
from outcome_monitors_study.world.requests import Draw, EpisodeTemplate
from outcome_monitors_study.world.templates import READERS, fill
from outcome_monitors_study.world.tools import Types
from outcome_monitors_study.world.world import DOMAINS, first_tables
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


def sources_of(domain):
    """Yield what the episodes of a domain draw from tables: the table, with what is said of its records."""
    for episode in document(domain, "tasks.json")["episodes"].values():
        for form in episode["drawn"].values():
            for source in (form, form.get("whose", {})) if isinstance(form, dict) else ():
                name = next((source[k] for k in ("record", "records", "look up") if k in source), None)
                if name is not None:
                    yield name, source


def test_every_table_and_field_that_an_episode_draws_from_is_there():
    tables = first_tables(0)
    drawn = [found for domain in DOMAINS for found in sources_of(domain)]
    assert len(drawn) > len(DOMAINS)
    for name, source in drawn:
        fields = {key for record in tables[name].values() for key in record}
        assert set(source.get("where", {})) | {source.get("by")} <= fields | {None}


class _FirstOfAll(random.Random):
    """A source of chance that takes the first or the lowest, and keeps what there was to choose from."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[Any] = []

    def choice(self, items):
        self.seen.append(len(items))
        return items[0]

    def randint(self, low, high):
        self.seen.append((low, high))
        return low


def test_an_episode_is_drawn_in_the_order_of_the_file_and_leaves_facts_for_later():
    content = {
        "drawn": {
            "order": {"record": "orders", "where": {"status": "shipped"}},
            "day": {"day": "$order.placed_on", "after": [1, 3]},
            "half": {"whole": [3, 9], "over": 2},
            "hour": {"whole": [5, 9], "digits": 2},
            "limit": {"one of": [None, "$half"]},
            "said": {"if": "$limit", "then": "few", "else": "all"},
        },
        "says": "Show {said} of {order.id} at {hour}:00.",
        "asks": [
            ["before", "order", {"order": "$order.id"}],
            ["left", "stock", {"sku": "$before.sku"}],
            ["list", "orders_of", {"customer": "{order.id} {left.available}", "limit": "$limit"}],
        ],
        "report": {"left": "$left.available"},
    }
    chance = _FirstOfAll()
    episode = EpisodeTemplate(content, {}).episode(Draw(chance, 0))
    key, _ = next(p for p in first_tables(0)["orders"].items() if p[1]["status"] == "shipped")
    assert episode.sentence == f"Show all of {key} at 05:00."
    assert [dict(ask.want) for ask in episode.asks] == [
        {"order": key},
        {"sku": "$before.sku"},
        {"customer": f"{key} {{left.available}}", "limit": None},
    ]
    assert chance.seen[1:] == [(1, 3), (3, 9), (5, 9), 2]


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
