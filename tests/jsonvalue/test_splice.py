"""Where things stand in JSON text: what is put in is there, and every other byte is what it was."""

import json

from hypothesis import given, strategies as st

from outcome_monitors.jsonvalue.splice import Insertion, inserted, items, members, value_at
from tests.strategies import json_values

spaced = st.sampled_from([(", ", ": "), (",", ":"), (" ,\n\t", " :\r\n ")])


@given(st.dictionaries(st.text(max_size=5), json_values, max_size=5), spaced, st.booleans())
def test_members_stand_where_they_are(value, separators, ascii_only):
    text = "  " + json.dumps(value, separators=separators, ensure_ascii=ascii_only) + " \n"
    found = members(text, value_at(text))
    assert {key: json.loads(text[span.start : span.end]) for key, span in found.items()} == json.loads(text)


@given(st.lists(json_values, max_size=5), spaced)
def test_items_stand_where_they_are(value, separators):
    text = json.dumps(value, separators=separators)
    assert [json.loads(text[span.start : span.end]) for span in items(text, value_at(text))] == json.loads(
        text
    )


def test_of_two_members_with_one_key_the_last_counts_as_it_does_for_readers():
    text = '{"a": 1, "a": [2]}'
    assert members(text, value_at(text))["a"] == (14, 17)
    assert json.loads(text) == {"a": [2]}


def test_insertions_are_put_in_from_left_to_right():
    assert inserted("abc", [Insertion(3, "z"), Insertion(1, "x")]) == "axbcz"
    assert inserted("abc", []) == "abc"
