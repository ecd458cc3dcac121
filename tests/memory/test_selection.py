"""What clauses name is remembered as if everything were, and nothing else is."""

from hypothesis import example, given, settings, strategies as st

from outcome_monitors.memory.past import Past, all_of, records_to_remember
from outcome_monitors.memory.selection import Selection, shape_of
from outcome_monitors.memory.statements import statements_of

ORDER = {"order_id": "W1", "status": "open", "note": None}
WHATS = {
    "get_order": [
        ("", ".order_id", ".status"),
        ("", "@", ".address.city"),
        ("", "@", "=rows"),
        ("", "?", "="),
    ],
    "list_orders": [("rows[]", ".order_id", ".status"), ("rows[]", ".id", ".price"), ("", "?", ".order_id")],
    "get_stock": [("stock.*", "$", ".price"), ("", "@", "#stock"), ("", "on .order_id", ".price")],
    "get_text": [("text[json]", "@", ".status"), ("text[json]", ".order_id", ".status")],
    "find_order": [("", "after cancel_order", "="), ("", ".address.id", ".address.city")],
}
TOOLS = [*WHATS, "cancel_order", "get_other"]

scalars = st.sampled_from(
    [None, "", "W1", "W2", "open", "shut", 1, True, 1.0, -1, -2, 2.5, "x" * 300, "y" * 300]
)
rows = st.dictionaries(st.sampled_from(["order_id", "id", "status", "price", "note"]), scalars, max_size=4)
answers = st.fixed_dictionaries(
    {},
    optional={
        "order_id": scalars,
        "id": scalars,
        "status": scalars,
        "price": scalars,
        "done": st.booleans(),
        "address": st.dictionaries(st.sampled_from(["id", "city"]), scalars),
        "rows": st.lists(rows | scalars, max_size=3),
        "stock": st.dictionaries(st.sampled_from(["1001", "1002"]), rows, max_size=2),
        "text": st.sampled_from(
            ["plain", '{"order_id": "W1", "status": "open"}', '{"order_id": "W1", "status": "shut"}']
        ),
    },
)
steps = st.lists(
    st.tuples(
        st.sampled_from(TOOLS),
        st.dictionaries(st.sampled_from(["order_id", "limit"]), scalars | st.just(["W1"]), max_size=2),
        answers | scalars | st.lists(rows, max_size=2),
    ),
    min_size=1,
    max_size=8,
)


@given(steps=steps)
@settings(max_examples=300, deadline=None)
@example([("get_order", {}, ORDER), ("list_orders", {}, {"rows": [{**ORDER, "status": "shut"}]})])
@example([("get_order", {"limit": 1}, ORDER), ("get_order", {"limit": True}, ORDER)])
@example([("get_order", {}, ORDER), ("list_orders", {}, {"rows": [ORDER, {**ORDER, "status": "shut"}]})])
def test_what_is_named_is_recalled_as_if_all_were_remembered(steps):
    selection = Selection(WHATS)
    every, named = Past(), Past()
    assert steps
    for tool, asked, result in steps:
        whole = all_of(tool, asked, records_to_remember(asked, result))
        heard = selection.hear(tool, asked, result)
        every.called(tool, asked)
        named.called(tool, asked, renews=selection.renews)
        recalled = {r.what for r in every.recall(tool, whole) if not r.held} & {*WHATS.get(tool, [])}
        found = named.contradicted(tool, heard) if heard is not None else []
        assert {r.what for r in found} & {*WHATS.get(tool, [])} == recalled
        every.remember(tool, whole)
        if heard is not None:
            named.remember(tool, heard)


def test_nothing_is_kept_where_nobody_asks():
    selection = Selection({"get_order": [("", "@", ".status"), ("", "?", "=")]})
    assert selection.hear("list_orders", {}, {"rows": [ORDER]}) is None
    assert selection.hear("get_order", {}, ORDER) is not None
    assert not selection.renews


def test_no_more_is_kept_than_is_named():
    selection = Selection({"get_order": [("", ".order_id", ".status")]})
    heard = selection.hear("list_orders", {}, {"total": 5, "rows": [ORDER, {"status": "open"}]})
    assert heard is not None
    assert [*heard.statements] == [
        ("rows[]", ".order_id", (".order_id", "W1"), {".order_id": "W1", ".status": "open"})
    ]
    assert (heard.answer, heard.counted) == (None, [])


@given(result=answers)
@settings(deadline=None)
def test_the_shape_of_a_record_is_that_of_its_features(result):
    found = {
        identity[0]
        for path, key, identity, _ in statements_of("t", records_to_remember({}, result))
        if (path, key) == ("", ".id")
    }
    assert found <= {shape_of(result)}
