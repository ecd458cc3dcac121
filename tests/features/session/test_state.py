"""The past of a session: memory of things and of answers, told as one."""

from hypothesis import given, settings, strategies as st

from outcome_monitors.features.limits import SESSION_IDENTITIES
from outcome_monitors.features.session.state import SessionState, extract, records_to_remember
from tests.strategies import arguments, json_values

ORDER = {"order_id": "W1", "state": "open"}


def told(past, tool, asked, result):
    return list(past.recall(tool, extract(tool, asked, records_to_remember(asked, result))))


def heard(past, tool, asked, result):
    past.called(tool, asked)
    past.remember(tool, extract(tool, asked, records_to_remember(asked, result)))


def test_a_call_that_was_missed_may_have_written_or_not():
    past = SessionState()
    heard(past, "list_orders", {}, ORDER)
    past.missed("cancel_order")
    assert told(past, "list_orders", {}, {**ORDER, "state": "shut"}) == []
    assert told(past, "list_orders", {}, ORDER) == []


steps = st.lists(
    st.tuples(st.sampled_from(["get_order", "cancel_order", "list_orders"]), arguments, json_values),
    min_size=1,
    max_size=8,
)


@given(steps=steps)
@settings(max_examples=80, deadline=None)
def test_recalling_changes_nothing_and_a_note_of_the_call_itself_tells_no_less(steps):
    past = SessionState()
    assert steps
    for tool, asked, result in steps:
        first = told(past, tool, asked, result)
        assert repr(told(past, tool, asked, result)) == repr(first)
        past.called(tool, asked)
        # What a write itself answers is the same before and after it is noted.
        assert repr(told(past, tool, asked, result)) == repr(first)
        past.remember(tool, extract(tool, asked, records_to_remember(asked, result)))


def test_memory_is_bounded_and_forgets_what_was_not_heard_of_for_longest():
    past = SessionState()
    heard(past, "get_order", {"q": "first"}, {"order_id": "first", "n": 0})
    for number in range(3 * SESSION_IDENTITIES):
        heard(past, "get_order", {"q": number}, {"order_id": f"W{number}", "n": number})
    found = [
        [
            one
            for one in told(past, "get_order", {}, {"order_id": order, "n": -1})
            if one.what[1] == ".order_id"
        ]
        for order in ("first", f"W{3 * SESSION_IDENTITIES - 1}")
    ]
    assert found[0] == []
    assert found[1] != []
