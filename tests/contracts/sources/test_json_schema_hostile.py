"""Schemas made to exhaust a reader: each ends in a report line, soon."""

import re

import pytest

from outcome_monitors.contracts.sources import Report, from_json_schema, from_openapi
from outcome_monitors.model import Json
from tests.clause_checks import said


def read(schema: Json) -> Report:
    return from_json_schema(schema, "get", "get.json")


LISTS = ("allOf", "anyOf", "prefixItems")


def nested(keyword: str, depth: int) -> Json:
    schema: Json = {"type": "string"}
    for _ in range(depth):
        wrapped = {"a": schema} if keyword == "properties" else [schema] if keyword in LISTS else schema
        schema = {keyword: wrapped, "required": ["a"]}
    return schema


@pytest.mark.parametrize(
    "keyword", ["properties", "items", "additionalProperties", "allOf", "anyOf", "prefixItems"]
)
def test_ten_thousand_levels_are_read_as_far_as_the_bound(keyword: str):
    report = read(nested(keyword, 10_000))
    assert "a!" in said(report)
    assert report.refused[-1].why == "deeper than 64 levels: nothing below is checked"


def doubling(keyword: str, depth: int) -> Json:
    """Each definition refers to the next twice: a few lines that unfold to two to the power of `depth`."""
    definitions: dict[str, Json] = {f"d{depth}": {"type": "string"}}
    for level in range(depth):
        target = {"$ref": f"#/$defs/d{level + 1}"}
        twice = {"a": target, "b": target} if keyword == "properties" else [target, target]
        definitions[f"d{level}"] = {keyword: twice, "required": ["a"]}
    return {"type": "object", "$ref": "#/$defs/d0", "$defs": definitions}


@pytest.mark.parametrize("keyword", ["properties", "allOf", "anyOf", "oneOf"])
def test_what_unfolds_without_end_is_read_as_deep_as_possible(keyword: str):
    report = read(doubling(keyword, 60))
    assert said(report)[""] == ["object"]
    (refusal,) = report.refused
    assert re.fullmatch(
        r"deeper than 16 levels, as are [0-9]+ other places: nothing below is checked;"
        r" read deeper: unfolds to more than 30,000 places",
        refusal.why,
    )


def test_many_operations_of_one_endless_schema_end_soon(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("outcome_monitors.contracts.sources._reading.MOST_STEPS_OF_ALL", 50_000)
    answer = {"200": {"content": {"application/json": {"schema": {"$ref": "#/$defs/d0"}}}}}
    paths = {f"/{index}": {"get": {"responses": answer}} for index in range(100)}
    definitions = doubling("properties", 60)["$defs"]
    report = from_openapi({"openapi": "3.1.0", "paths": paths, "$defs": definitions}, "api.json")
    assert (report.candidates, report.accepted[0].tool) == (100, "GET /0")
    assert len(report.accepted) < 5
    assert report.refused[-1].why == "refused whole: the whole document unfolds to more than 50,000 places"
