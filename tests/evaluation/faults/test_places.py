import copy

from outcome_monitors.evaluation.faults.places import DEEPEST, GONE, canonical, changed, edit, look, walk

RESULT = {"a": [{"b": 1}, {"b": 2}], "1001": {"c": None}, "d": "x"}


def test_walk_goes_in_document_order_containers_first():
    assert [node.place for node in walk(RESULT)] == [
        (),
        ("a",),
        ("a", 0),
        ("a", 0, "b"),
        ("a", 1),
        ("a", 1, "b"),
        ("1001",),
        ("1001", "c"),
        ("d",),
    ]


def test_rows_and_data_keys_share_a_path_and_items_have_the_key_of_their_list():
    by_place = {node.place: node for node in walk({"tags": ["x"], "variants": {"1573035764": {"price": 1}}})}
    assert by_place["tags", 0].key == "tags"
    assert by_place["tags", 0].path == "tags[]"
    assert by_place["variants", "1573035764", "price"].path == "variants.*.price"


def test_what_nests_too_deep_is_not_walked():
    deep: object = 1
    for _ in range(DEEPEST + 1):
        deep = [deep]
    assert walk(deep) == []
    assert walk([[1]])


def test_changed_leaves_the_original_alone_and_shares_the_rest():
    before = copy.deepcopy(RESULT)
    after = changed(RESULT, ((("a", 0, "b"), 9), (("d",), GONE)))
    assert after == {"a": [{"b": 9}, {"b": 2}], "1001": {"c": None}}
    assert before == RESULT
    assert after["1001"] is RESULT["1001"]


def test_several_items_can_be_removed_from_one_list():
    assert changed([0, 1, 2, 3], (((1,), GONE), ((2,), GONE))) == [0, 3]


def test_the_whole_can_be_replaced():
    assert changed(RESULT, edit((), "other")) == "other"
    assert changed(RESULT, ()) is RESULT


def test_look_finds_what_is_there():
    assert look(RESULT, ("a", 1, "b")) == 2
    assert look(RESULT, ("a", 2, "b")) is GONE
    assert look(RESULT, ("d", "e")) is GONE
    assert look(RESULT, ("a", "b")) is GONE


def test_canonical_text_does_not_depend_on_key_order_and_is_none_where_there_is_none():
    assert canonical({"b": 1, "a": "é"}) == '{"a":"é","b":1}'
    assert canonical(10**5000) is None
    assert canonical({"x": object()}) is None
