"""A receipt travels where clients show it, validates against what is declared, and touches nothing else."""

import json

import jsonschema_rs
import pytest
from hypothesis import given, strategies as st

from outcome_monitors.jsonvalue.splice import inserted, value_at
from outcome_monitors.receipts.mcp import CARRIERS, KEY, attach, declare, must_declare, takes_receipt
from tests.mcp.wire import SCHEMA
from tests.strategies import json_values

RECEIPT = {"status": "inconsistent"}
objects = st.dictionaries(st.text(max_size=4), json_values, max_size=4)


def put(result, carrier="both", *, structured=True, receipt=RECEIPT, separators=None):
    text = json.dumps(result, separators=separators)
    return json.loads(inserted(text, attach(text, value_at(text), receipt, carrier, structured=structured)))


@given(st.lists(objects, max_size=3), objects, st.sampled_from(sorted(CARRIERS)), st.booleans())
def test_what_the_server_sent_stays_as_it_was(content, value, carrier, structured):
    value.pop(KEY, None)
    result = {"content": content, "structuredContent": value, "other": 1}
    text = json.dumps(result)
    insertions = list(attach(text, value_at(text), RECEIPT, carrier, structured=structured))
    after = inserted(text, insertions)
    for insertion in sorted(insertions, reverse=True):
        place = after.rindex(insertion.text)
        after = after[:place] + after[place + len(insertion.text) :]
    assert after == text, "only insertions"
    seen = put(result, carrier, structured=structured)
    assert seen["content"][: len(content)] == json.loads(text)["content"]
    assert {**seen["structuredContent"], KEY: 0} == {**json.loads(text)["structuredContent"], KEY: 0}
    assert "inconsistent" in json.dumps(seen)


def test_each_way():
    result = {"content": [], "structuredContent": {"a": 1}}
    assert put(result) == {
        "content": [{"type": "text", "text": '{"outcome_contract": {"status": "inconsistent"}}'}],
        "structuredContent": {"a": 1, KEY: RECEIPT},
    }
    assert put(result, "text")["structuredContent"] == {"a": 1}
    assert put(result, "structured")["content"] == []
    assert put(result, "structured", structured=False)["content"]
    assert put(result, "meta") == {**result, "_meta": {"outcome-monitors/outcome_contract": RECEIPT}}
    assert put({"_meta": {"x": 1}}, "meta") == {
        "_meta": {"x": 1, "outcome-monitors/outcome_contract": RECEIPT}
    }
    assert put({"content": []}, receipt="[ADVISORY]")["content"] == [{"type": "text", "text": "[ADVISORY]"}]


@pytest.mark.parametrize("said", [{}, {"isError": False}])
def test_a_result_that_no_client_would_show_is_marked_as_one_that_failed(said):
    text = json.dumps({**said, "content": [], "structuredContent": {"a": 1}})
    put_in = attach(text, value_at(text), RECEIPT, "both", structured=True, refused=True)
    seen = json.loads(inserted(text, put_in))
    assert seen["isError"] is True
    assert seen["structuredContent"] == {"a": 1, KEY: RECEIPT}
    assert seen["content"]


@pytest.mark.parametrize("said", ["null", "1", '"no"'])
def test_an_is_error_that_is_no_truth_value_is_left_as_it_is(said):
    text = f'{{"isError": {said}, "content": [], "structuredContent": {{"a": 1}}}}'
    seen = json.loads(
        inserted(text, attach(text, value_at(text), RECEIPT, "both", structured=True, refused=True))
    )
    assert seen["isError"] == json.loads(said)


@pytest.mark.parametrize("structured", [None, [1], {KEY: "mine"}])
def test_structured_content_that_is_no_object_or_has_the_key_is_left_alone(structured):
    result = {"content": [], "structuredContent": structured}
    assert put(result)["structuredContent"] == structured
    assert put(result, "structured")["content"]


@pytest.mark.parametrize("as_text", [False, True])
def test_a_declared_receipt_validates_and_what_was_valid_stays_so(as_text):
    assert must_declare(SCHEMA)
    text = json.dumps(SCHEMA)
    after = json.loads(inserted(text, [declare(text, value_at(text), as_text=as_text)]))
    valid = {"id": "W1", "total": 1.5, "status": "sent"}
    receipt = "[ADVISORY]" if as_text else RECEIPT
    assert jsonschema_rs.is_valid(after, valid)
    assert jsonschema_rs.is_valid(after, {**valid, KEY: receipt})
    assert not jsonschema_rs.is_valid(after, {**valid, KEY: 1})
    assert not jsonschema_rs.is_valid(SCHEMA, {**valid, KEY: receipt}), "which is why it is declared"
    assert not jsonschema_rs.is_valid(after, {})


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object"},
        {"type": "object", "properties": {}},
        {"type": "object", "additionalProperties": True},
        {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]},
    ],
)
def test_an_open_schema_takes_a_receipt_and_stays_what_it_was(schema):
    assert takes_receipt(schema)
    assert not must_declare(schema)
    assert jsonschema_rs.is_valid(schema, {"id": "W1", KEY: RECEIPT})


@pytest.mark.parametrize(
    "schema",
    [
        None,
        True,
        {},
        {"type": "array"},
        {"type": ["object", "null"]},
        {"type": "object", "anyOf": []},
        {"type": "object", "$ref": "#/$defs/a"},
        {"type": "object", "maxProperties": 3},
        {"type": "object", "patternProperties": {".*": {"type": "number"}}},
        {"type": "object", "properties": {KEY: {}}},
        {"type": "object", "additionalProperties": False},
        {"type": "object", "additionalProperties": {"type": "integer"}},
        {"type": "object", "properties": []},
    ],
)
def test_other_schemas_are_left_alone(schema):
    assert not takes_receipt(schema)
