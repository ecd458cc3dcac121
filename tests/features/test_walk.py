"""One call as the rules see it."""

import json

from hypothesis import given

from outcome_monitors import Call
from outcome_monitors.features.walk import look
from outcome_monitors.jsonvalue.paths import select
from tests.strategies import json_values, texts


def test_rows_are_filed_under_one_path():
    seen = look(Call("t", {}, {"items": [{"price": 1}, {"price": 2}]}, task="1"))
    assert seen.values["items[].price"] == [1, 2]
    assert len(seen.objects["items[]"]) == 2


def test_keys_that_are_data_stand_for_every_value():
    result = {"methods": {"card_4421486": {"kind": "card"}, "cert_7504069": {"kind": "certificate"}}}
    assert look(Call("t", {}, result, task="1")).values["methods.*.kind"] == ["card", "certificate"]
    asked = Call("t", {"hotels": ["Ritz", "Plaza"]}, {"Ritz": 5, "Plaza": 4}, task="1")
    assert look(asked).values["*"] == [5, 4]


@given(json_values | texts)
def test_every_value_is_filed_where_select_finds_it(value):
    seen = look(Call("t", {}, value, task="1")).values
    assert seen
    for path, values in seen.items():
        assert [id(found) for _, found in select(value, path)] == [id(found) for found in values] or not path


def test_json_in_a_text_is_looked_into_and_a_text_in_it_and_no_further():
    text = "[1]"
    for _ in range(4):
        text = json.dumps({"a": text})
    seen = look(Call("t", {}, {"content": text}, task="1"))
    assert max(seen.values, key=len) == "content[json].a[json].a"
    assert seen.objects["content[json]"] == [json.loads(text)]
