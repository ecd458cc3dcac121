"""What mining extracts of a call is kept for a while."""

from hypothesis import given, strategies as st

from outcome_monitors import Call
from outcome_monitors.memory.past import all_of, records_to_remember
from outcome_monitors.mining.extraction_cache import LONGEST, extracted, forget
from outcome_monitors.mining.observations import Observations
from outcome_monitors.mining.state import to_state
from outcome_monitors.records.extraction import features_of
from outcome_monitors.records.walk import look
from tests.strategies import calls


@given(st.lists(calls, min_size=1, max_size=6))
def test_it_is_what_is_found_anew(some):
    assert some
    for call in (*some, *some):
        found = extracted(call)
        assert found is not None
        assert found.features == list(features_of(look(call)))
        records = records_to_remember(call.arguments, call.result)
        heard = all_of(call.tool, call.arguments, records) if call.session is not None else None
        assert found.heard == heard


def features(call):
    found = extracted(call)
    assert found is not None
    return found.features


def test_the_same_call_is_looked_at_once():
    first, second = (Call("get", {"id": 1}, {"rows": [{"a": 1}]}, session=s) for s in ("x", "y"))
    assert extracted(first) is extracted(second) is not None


def test_what_was_let_go_is_looked_at_anew():
    call = Call("get", {"id": 1}, {"rows": [{"a": 1}]})
    before = extracted(call)
    assert extracted(call) is before is not None
    forget()
    assert extracted(call) is not before
    assert features(call) == before.features


def test_another_tool_is_asked_anew():
    first, second = (extracted(Call(tool, {"id": 1}, {"id": 2}, session="x")) for tool in ("get", "find"))
    assert first is not None
    assert second is not None
    assert first.heard != second.heard


def test_what_json_takes_for_the_same_is_told_apart():
    results = ({"a": [1]}, {"a": {"1": 2}}, {"a": 1}, {"a": True}, {"a": "1"}, {"a": None})
    for result in (*results, *results):
        assert features(Call("get", {}, result)) == list(features_of(look(Call("get", {}, result))))


def test_what_says_the_same_by_other_types_is_plain_json():
    for result, plain in (({"a": (1,)}, {"a": [1]}), ({"a": {1: 2}}, {"a": {"1": 2}})):
        assert features(Call("get", {}, result)) == list(features_of(look(Call("get", {}, plain))))


def test_a_result_that_changes_afterwards_is_another():
    result = {"rows": [{"a": 1}]}
    before = extracted(Call("get", {}, result))
    result["rows"].append({"a": 2})
    assert extracted(Call("get", {}, result)) != before
    assert extracted(Call("get", {}, {"rows": [{"a": 1}]})) is before


def test_what_a_caller_changes_afterwards_was_observed_as_it_was():
    def observed(*, change):
        found = Observations("full")
        for number in range(40):
            arguments, rows = {"ids": [number % 3]}, [{"id": number % 3}]
            found.add(Call("set_it", arguments, {"rows": rows}, task=f"{number}", session=f"{number % 5}"))
            if change:
                arguments["ids"].append(99)
                rows.append({"id": 99})
        return to_state(found)

    assert observed(change=True) == observed(change=False)


def test_a_number_that_no_file_can_hold_is_none_of_it():
    assert extracted(Call("get", {}, {"a": 10**5000})) is None


def test_generations_come_and_go(monkeypatch):
    monkeypatch.setattr("outcome_monitors.mining.extraction_cache.MOST_BYTES", 100)
    for number in (*range(20), *range(20)):
        assert features(Call("get", {}, {"a": number})) == list(
            features_of(look(Call("get", {}, {"a": number})))
        )


def test_what_is_long_or_no_plain_value_is_extracted_all_the_same():
    for result in ({"a": "x" * LONGEST}, {"a": object()}):
        call = Call("get", {}, result)
        assert [path for path, _ in features(call)] == [""]
        assert extracted(call) is not extracted(call)
