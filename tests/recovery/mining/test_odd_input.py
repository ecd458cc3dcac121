"""Whatever a tools file or a trace holds, relations are built or refused; and a receipt comes out."""

import json

from hypothesis import given, settings, strategies as st

from outcome_monitors import Call, Monitor, Relations, mine
from outcome_monitors.exceptions import SourceError
from outcome_monitors.recovery.mining import Sources, build, from_tools_list
from outcome_monitors.recovery.relation_file import dumps
from outcome_monitors.recovery.relations import Relation
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
        tools = from_tools_list({"tools": entries}, "tools.json")
    except SourceError:
        return
    build(Sources(tools=tools))


@given(st.dictionaries(st.text(max_size=12), st.text(max_size=12), max_size=4), OBJECTS, json_values)
def test_any_mapping_gives_a_receipt(mapping, arguments, result):
    registry = mine([Call("get_a", {}, {"n": n + 1.5}) for n in range(6)], "paper")
    relations = Relations({"get_a": [Relation("fetch_a", 1.0, "declared", "said so", mapping)]})
    monitor = Monitor(registry, relations, encoder="v3")
    advised = monitor.advise("get_a", arguments, {"n": -1.0, "more": result}, ["fetch_a"])
    assert monitor.counts.failed == 0
    assert [action["tool"] for action in advised["outcome_contract"]["admissible_recovery_actions"]] == [
        "get_a",
        "fetch_a",
    ]
    json.dumps(advised["outcome_contract"], allow_nan=False)
