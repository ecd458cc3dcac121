"""JSON that stands in a text."""

import json

import pytest
from hypothesis import given, strategies as st

from outcome_monitors.jsonvalue.text import json_in
from tests.strategies import json_values


@given(json_values, st.sampled_from([None, 1]), st.text(" \t\r\n", max_size=2))
def test_objects_and_lists_are_read_and_nothing_else(value, indent, space):
    text = space + json.dumps(value, indent=indent) + space
    if isinstance(value, (dict, list)):
        assert repr(json_in(text)) == repr(json.loads(text))
    else:
        assert json_in(text) is None


@given(json_values.filter(lambda value: isinstance(value, (dict, list))), st.data())
def test_half_of_it_is_none(value, data):
    text = json.dumps(value)
    assert json_in(text[: data.draw(st.integers(0, len(text) - 1))]) is None


@pytest.mark.parametrize("text", ["[1] see there", "[1,]", '{"a": 1} and more', "\ufeff{}", "\u00a0{}"])
def test_what_is_not_json(text):
    assert json_in(text) is None
