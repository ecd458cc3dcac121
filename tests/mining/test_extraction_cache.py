"""What mining extracts of a call is kept for a while."""

from hypothesis import given, strategies as st

from outcome_monitors import Call
from outcome_monitors.memory.past import all_of, records_to_remember
from outcome_monitors.mining.extraction_cache import LONGEST, extracted
from outcome_monitors.records.extraction import features_of
from outcome_monitors.records.walk import look
from tests.strategies import calls


@given(st.lists(calls, min_size=1, max_size=6))
def test_it_is_what_is_found_anew(some):
    assert some
    for call in (*some, *some):
        found = extracted(look(call))
        assert found.features == list(features_of(look(call)))
        records = records_to_remember(call.arguments, call.result)
        heard = all_of(call.tool, call.arguments, records) if call.session is not None else None
        assert found.heard == heard


def test_the_same_call_is_looked_at_once():
    first, second = (look(Call("get", {"id": 1}, {"rows": [{"a": 1}]}, session=s)) for s in ("x", "y"))
    assert extracted(first) is extracted(second)


def test_another_tool_is_asked_anew():
    first, second = (look(Call(tool, {"id": 1}, {"id": 2}, session="x")) for tool in ("get", "find"))
    assert extracted(first).heard != extracted(second).heard


def test_what_json_takes_for_the_same_is_told_apart():
    results = ({"a": [1]}, {"a": (1,)}, {"a": {"1": 2}}, {"a": {1: 2}}, {"a": 1}, {"a": True}, {"a": 1.0})
    for result in (*results, *results):
        seen = look(Call("get", {}, result))
        assert extracted(seen).features == list(features_of(look(Call("get", {}, result))))


def test_a_result_that_changes_afterwards_is_another():
    result = {"rows": [{"a": 1}]}
    before = extracted(look(Call("get", {}, result)))
    result["rows"].append({"a": 2})
    assert extracted(look(Call("get", {}, result))) != before
    assert extracted(look(Call("get", {}, {"rows": [{"a": 1}]}))) is before


def test_what_is_long_or_no_plain_value_is_extracted_all_the_same():
    for result in ({"a": "x" * LONGEST}, {"a": object()}):
        seen = look(Call("get", {}, result))
        assert [path for path, _ in extracted(seen).features] == [""]
        assert extracted(seen) is not extracted(seen)
