"""The path notation."""

import pytest
from hypothesis import example, given, strategies as st

from outcome_monitors.jsonvalue.paths import Each, InText, parse, render, select
from tests.strategies import json_values, keys, texts

steps = st.lists(keys | st.integers(0, 1000) | st.sampled_from([*Each, *InText]), max_size=6)


@given(steps)
def test_parse_reads_what_render_writes(written):
    assert parse(render(written)) == tuple(written)


@pytest.mark.parametrize(
    ("path", "read"),
    [
        ("", ()),
        ("items[].price", ("items", Each.ITEM, "price")),
        ("methods.*.source", ("methods", Each.VALUE, "source")),
        ("[].id", (Each.ITEM, "id")),
        ("content[].text[json].order.id", ("content", Each.ITEM, "text", InText.JSON, "order", "id")),
        ('["[json]"].x', ("[json]", "x")),
    ],
)
def test_examples(path, read):
    assert parse(path) == read
    assert render(read) == path


@pytest.mark.parametrize(
    "text",
    [".", "a.", "[", "[x]", "[JSON]", "a]", "**", 'a["\\x"]', "a b\n"],
)
def test_what_is_not_a_path_is_refused(text):
    with pytest.raises(ValueError, match="is not a path"):
        parse(text)


def test_select_reads_the_json_in_a_text():
    result = [{"text": '{"id": 7, "rows": [1, 2]}'}, {"text": "none"}, {"text": {"id": 8}}, {"text": "[3]"}]
    assert list(select(result, "[].text[json].id")) == [("[0].text[json].id", 7)]
    assert list(select(result, "[].text[json][]")) == [("[3].text[json][0]", 3)]
    assert list(select('{"inner": "{\\"id\\": 9}"}', "[json].inner[json].id")) == [
        ("[json].inner[json].id", 9)
    ]


@given(json_values | texts, steps)
@example([{"text": '{"id": 7}'}, {"text": '{"id": 8}'}], [Each.ITEM, "text", InText.JSON, "id"])
def test_each_place_that_select_names_leads_to_the_value_it_gave(value, written):
    found = list(select(value, render(written)))
    again = [pair for place, _ in found for pair in select(value, place)]
    assert [(place, id(each)) for place, each in again] == [(place, id(each)) for place, each in found]
