"""What a session remembers, and for how long."""

from hypothesis import given, settings, strategies as st

from outcome_monitors.features.limits import SESSION_IDENTITIES
from outcome_monitors.features.session.statements import (
    Statements,
    records_to_remember,
    statements_of,
)
from tests.strategies import arguments, json_values


def told(memory, result, asked=None, tool="get_order"):
    """Return what was said before and is said now, of each key and field."""
    found = memory.recall(statements_of(tool, records_to_remember(asked or {}, result)))
    return {(path, key, field): (before, now) for path, key, field, before, now in found}


def heard(memory, result, asked=None, tool="get_order"):
    memory.remember(statements_of(tool, records_to_remember(asked or {}, result)))


ORDER = {"order_id": "W1", "status": "open", "items": [{"sku": "a1", "price": 2}]}


def test_what_is_said_of_an_identity_is_recalled_in_any_tool():
    memory = Statements()
    heard(memory, ORDER, {"order_id": "W1"})
    found = told(memory, {"order_id": "W1", "status": "shut"}, {"page": 2}, tool="find_order")
    assert found == {("", ".order_id", ".status"): ("open", "shut")}


def test_the_same_question_is_an_identity_of_its_tool():
    memory = Statements()
    heard(memory, {"hits": 3}, {"q": "x"})
    assert told(memory, {"hits": 4}, {"q": "x"}) == {("", "@", ".hits"): (3, 4)}
    assert told(memory, {"hits": 4}, {"q": "y"}) == {}
    assert told(memory, {"hits": 4}, {"q": "x"}, tool="count_orders") == {}


def test_rows_are_remembered_by_their_ids_and_keys():
    memory = Statements()
    heard(memory, {"orders": [{"order_id": "W1", "total": 5}, {"order_id": "W2", "total": 6}]})
    assert told(memory, {"order_id": "W2", "total": 7})["", ".order_id", ".total"] == (6, 7)
    heard(memory, {"users": {"u1000": {"name": "Ada"}}}, {"a": 1})
    found = told(memory, {"users": {"u1000": {"name": "Eve"}}}, {"a": 2})
    assert found["users.*", "$", ".name"] == ("Ada", "Eve")


def test_memory_is_bounded_and_forgets_what_was_not_heard_of_for_longest():
    memory = Statements()
    heard(memory, {"order_id": "first", "n": 0}, {"q": "first"})
    for number in range(3 * SESSION_IDENTITIES):
        heard(memory, {"order_id": f"W{number}", "n": number}, {"q": number})
    assert len(memory._known) == SESSION_IDENTITIES
    assert told(memory, {"order_id": "first", "n": 1}) == {}
    assert told(memory, {"order_id": f"W{3 * SESSION_IDENTITIES - 1}", "n": 1})


@given(results=st.lists(st.tuples(arguments, json_values), min_size=1, max_size=6))
@settings(max_examples=100, deadline=None)
def test_any_json_can_be_remembered_and_agrees_with_itself(results):
    memory = Statements()
    again = []
    for asked, result in results:
        heard(memory, result, asked)
        again += [pair for (_, key, _), pair in told(memory, result, asked).items() if key == "@"]
    assert [before for before, _ in again] == [now for _, now in again]
