"""Whatever a tools file or a trace holds, relations are built or refused; and a receipt comes out."""

import json

from hypothesis import given, settings, strategies as st

from outcome_monitors import Call, Monitor, Relations, mine
from outcome_monitors.exceptions import SourceError
from outcome_monitors.recovery.mining import Sources, build, from_tools_list
from outcome_monitors.recovery.relation_file import dumps
from outcome_monitors.recovery.relations import Relation
from tests.recovery.mining.examples import tool, tools
from tests.strategies import json_values

OBJECTS = st.dictionaries(st.text(max_size=8), json_values, max_size=4)
CALLS = st.lists(
    st.builds(
        Call,
        st.sampled_from(["get_a", "fetch_a", "put_a", ""]),
        OBJECTS,
        json_values,
        session=st.sampled_from([None, "s", "t"]),
        error=st.booleans(),
    ),
    max_size=12,
)


@settings(max_examples=30)
@given(CALLS)
def test_any_trace_gives_relations_that_can_be_written(calls):
    built = build(Sources(calls=calls))
    assert dumps(build(Sources(calls=calls))) == dumps(built)


SCHEMAS = st.one_of(
    OBJECTS,
    st.fixed_dictionaries({"properties": OBJECTS, "required": json_values}),
    st.fixed_dictionaries({"anyOf": json_values}),
    st.fixed_dictionaries({"allOf": json_values, "$ref": json_values}),
)


@settings(max_examples=30)
@given(
    st.lists(
        st.fixed_dictionaries(
            {"name": json_values, "description": json_values, "inputSchema": SCHEMAS, "outputSchema": SCHEMAS}
        )
    )
)
def test_any_tools_file_is_read_or_refused(entries):
    try:
        found = from_tools_list({"tools": entries}, "tools.json")
    except SourceError:
        return
    build(Sources(tools=found))


def read(schema, **more):
    [found] = from_tools_list({"tools": [{"name": "get_a", "inputSchema": schema, **more}]}, "tools.json")
    return found


def test_references_and_parts_of_a_schema_are_followed():
    place = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    kind = {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/Kind"}]}
    schema = {
        "allOf": [{"$ref": "#/$defs/Place"}, {"properties": {"kind": kind}}],
        "properties": {"days": {"type": "array", "items": {"$ref": "#/$defs/Day"}}},
        "$defs": {"Place": place, "Kind": {"enum": ["b", "a"]}, "Day": {"type": "string", "format": "date"}},
    }
    found = {p.name: (p.type, p.form, p.required) for p in read(schema).parameters}
    assert found == {
        "kind": ("any", "enum:a|b", False),
        "city": ("string", "", True),
        "days": ("string[]", "format:date", False),
    }


def test_a_schema_that_holds_itself_has_an_end():
    node = {"properties": {"value": {"type": "number"}, "next": {"$ref": "#/$defs/Node"}}}
    schema = {"$ref": "#/$defs/Node", "$defs": {"Node": node, "Loop": {"$ref": "#/$defs/Loop"}}}
    properties = {"a": {"$ref": "#/$defs/Loop"}, "b": {"$ref": "#"}}
    found = read({"properties": properties, **schema}, outputSchema=schema)
    assert [p.name for p in found.parameters] == ["value", "next", "a", "b"]
    assert 2 < len(found.fields) < 10


def test_names_in_other_scripts_are_compared():
    known = [
        tool("a__погода", "Получить погоду в городе", город="string"),
        tool("b__погода", "Получить погоду в городе", город="string"),
        tool("c__查询天气", "查询城市的天气", city="string"),
        tool("d__get_weather", "Get the weather of a city.", city="string"),
        tool("e__删除文件", "删除文件"),
    ]
    built = build(Sources(tools=tools(*known)))
    assert {name: [found.tool for found in listed] for name, listed in built.items()} == {
        "a__погода": ["b__погода"],
        "b__погода": ["a__погода"],
        "c__查询天气": ["d__get_weather"],
        "d__get_weather": ["c__查询天气"],
    }


@given(st.dictionaries(st.text(max_size=12), st.text(max_size=12), max_size=4), OBJECTS, json_values)
def test_any_mapping_gives_a_receipt(mapping, arguments, result):
    registry = mine([Call("get_a", {}, {"n": n + 1.5}) for n in range(6)], "paper")
    relations = Relations({"get_a": [Relation("fetch_a", 1.0, "declared", "said so", mapping)]})
    monitor = Monitor(registry, relations, encoder="note")
    advised = monitor.advise("get_a", arguments, {"n": -1.0, "more": result}, ["fetch_a"])
    assert monitor.counts.failed == 0
    assert [action["tool"] for action in advised["outcome_contract"]["admissible_recovery_actions"]] == [
        "get_a",
        "fetch_a",
    ]
    json.dumps(advised["outcome_contract"], allow_nan=False)
