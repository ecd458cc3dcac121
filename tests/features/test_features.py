"""The named facts of a record: found, and read back by name."""

import math
from typing import Any

from hypothesis import example, given, settings, strategies as st

from outcome_monitors import Call
from outcome_monitors.features.aggregates import digest
from outcome_monitors.features.extraction import features_of
from outcome_monitors.features.feature import normal_form
from outcome_monitors.features.limits import (
    ARGUMENT_ITEMS,
    COUNTED_TEXT,
    LIST_ROWS,
    RECORD_DEPTH,
    RECORD_FEATURES,
    TEXT_LENGTH,
)
from outcome_monitors.features.reader import reader
from outcome_monitors.features.walk import look
from outcome_monitors.jsonvalue.paths import select
from tests.strategies import json_values, keys


def found(result, arguments=None):
    """Return the features of every record, by path."""
    seen = look(Call("get", arguments or {}, result))
    return {
        path: [dict(zip(record.names, record.values, strict=True)) for record in records]
        for path, records in features_of(seen)
    }


ORDER = {
    "id": "W1",
    "open": True,
    "note": None,
    "address": {"city": "Oslo", "geo": {"lat": 1.5}},
    "items": [{"sku": "b", "price": 2}, {"sku": "a", "price": 2.5}, {"sku": "c", "price": 3}],
    "stock": {"w1000": {"n": 3}, "w1001": {"n": 4}},
    "text": "x" * COUNTED_TEXT,
}
ASKED = {
    "id": "W1",
    "limit": 5,
    "tags": ["x", "y"],
    "sizes": [1, 2.5],
    "sum": "2 * (3 + 4)",
    "deep": {"a": 1, "b": {"c": 2}},
    "lines": [{"sku": "b", "n": 1}, {"sku": "a", "n": 1.5}],
}


def test_each_sigil_has_its_feature():
    (root,) = found(ORDER, ASKED)[""]
    assert root == {
        ".id": "W1",
        ".open": True,
        ".note": None,
        ".address.city": "Oslo",
        ".address.geo.lat": 1.5,
        "#items": 3,
        "=items": digest(ORDER["items"]),
        "|items": ("a", "b", "c"),
        "+items[].price": 7.5,
        "%items[]": "u?",
        "%items[].price": "ua",
        "%items[].sku": "u",
        "<items[].sku": "b",
        ">items[].sku": "c",
        ".text": ORDER["text"],
        "~text": COUNTED_TEXT,
        "#stock": 2,
        "=stock": digest(ORDER["stock"]),
        "|stock": ("w1000", "w1001"),
        "+stock.*.n": 7,
        "@id": "W1",
        "@limit": 5,
        "@#tags": 2,
        "@=tags": digest(ASKED["tags"]),
        "@=sizes": digest(ASKED["sizes"]),
        "@=lines": digest(ASKED["lines"]),
        "@tags": ("x", "y"),
        "@#sizes": 2,
        "@+sizes": 3.5,
        "@sum": "2 * (3 + 4)",
        "@~sum": 14,
        "@:deep.a": 1,
        "@#lines": 2,
        "@:lines[].sku": ("b", "a"),
        "@": digest(ASKED),
    }


def test_rows_and_values_under_keys_are_records_of_their_own():
    features = found(ORDER, {"q": 1})
    assert [row[".sku"] for row in features["items[]"]] == ["b", "a", "c"]
    assert [(row["$"], row[".n"], row["@q"]) for row in features["stock.*"]] == [
        ("w1000", 3, 1),
        ("w1001", 4, 1),
    ]
    assert set(features) == {"", "items[]", "stock.*"}


def test_what_is_kept_of_a_record_is_bounded():
    wide = {f"f{i:03}": i for i in range(3 * RECORD_FEATURES)}
    assert len(found(wide)[""][0]) == RECORD_FEATURES
    deep: Any = "end"
    for _ in range(RECORD_DEPTH + 2):
        deep = {"a": deep}
    assert set(found(deep)[""][0]) == {"@"}
    long = [{"n": i} for i in range(LIST_ROWS + 1)]
    assert set(found(long)[""][0]) == {"@", "#", "="}
    assert set(found(1, {"ids": list(range(ARGUMENT_ITEMS + 1))})[""][0]) == {".", "@", "@#ids", "@=ids"}


sums = st.sampled_from(["1 + 1", "2 * (3 - 4)", "1 / 0", "7"])
lines = st.lists(st.dictionaries(keys, json_values, max_size=3) | json_values, max_size=3)
asked = st.dictionaries(
    keys | st.sampled_from(["#a", "@", "$", "+a", "~a", ":a"]),
    json_values | sums | lines | st.lists(st.integers() | st.floats(), max_size=3),
    max_size=4,
)
rows = st.fixed_dictionaries(
    {},
    optional={
        "id": json_values,
        "n": st.integers(-3, 3) | st.floats(),
        "a": json_values,
        "text": st.text(max_size=2) | st.sampled_from(["x" * COUNTED_TEXT, "y" * 2 * TEXT_LENGTH]),
    },
)
keyed = st.dictionaries(
    st.sampled_from(["w1000", "w1001", "7", "a@b.c"]),
    rows | st.integers() | st.text(max_size=2) | st.lists(rows, max_size=2),
    max_size=3,
)
results = (
    json_values
    | st.lists(rows, max_size=4)
    | keyed
    | st.lists(keyed | st.lists(rows, max_size=3), max_size=3)
    | st.fixed_dictionaries({"x": keyed, "y": st.lists(rows | st.lists(rows, max_size=3), max_size=3)})
)


@given(result=results, arguments=asked)
@example([{"1000": {}}, {"2000": 5}], {})
@example({"a": [math.inf, -math.inf], "b": [10**400]}, {"": 1, "#a": 2, "a": [1]})
@settings(max_examples=150, deadline=None)
def test_what_is_found_is_read_back_by_its_name(result, arguments):
    seen = look(Call("get", arguments, result))
    every = dict(features_of(seen))
    assert every.keys() >= {""}
    for path, records in every.items():
        # Rows that are lists stand apart from those that are objects.
        sort = list if path and records and "#" in records[0].names else dict
        keyed = path.endswith("*")
        places = [
            (place, value)
            for place, value in select(result, path)
            if not path or keyed or type(value) is sort
        ]
        # Where the keys of one object are data and those of another are not, `*` means the former only.
        if "*" in path:
            for record in records:
                assert any(not unlike(record, value, arguments, place) for place, value in places)
        else:
            for (place, value), record in zip(places, records, strict=True):
                assert unlike(record, value, arguments, place) == []


def unlike(record, value, arguments, place):
    """Return the features that are read otherwise than they were found."""
    wrong = []
    for name, found_value in zip(record.names, record.values, strict=True):
        read = reader(name)(value, arguments, place)
        read = tuple(read) if isinstance(read, list) else read
        wrong += [] if normal_form(read) == found_value else [(name, found_value, read)]
    return wrong
