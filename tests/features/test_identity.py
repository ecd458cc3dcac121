"""What names a thing, and the members of a list."""

import pytest

from outcome_monitors.features.aggregates import members
from outcome_monitors.features.feature import Feature
from outcome_monitors.features.field_names import names_a_thing
from outcome_monitors.features.limits import LIST_MEMBERS


@pytest.mark.parametrize(
    ("feature", "expected"),
    [
        (".order_id", True),
        (".id", True),
        (".user.email", True),
        ("%items[].sku", True),
        (".idle", False),
        ("#items", False),
    ],
)
def test_a_name_says_what_a_record_is_about(feature, expected):
    assert names_a_thing(Feature.parse(feature)) is expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (["b", "a", "b", 7], ("7", "a", "b")),
        ({"w2": 1, "w1": [2]}, ("w1", "w2")),
        ([{"name": "x", "order_id": 2}, {"order_id": 1}], ("1", "2")),
        ([{"title": "one"}, {"title": "two"}], ("one", "two")),
    ],
)
def test_members_are_named_by_themselves_their_keys_or_what_names_a_row(value, expected):
    assert members(value) == expected


@pytest.mark.parametrize(
    "value", [[1.5], [{"id": "a"}, {"id": None}], [{"n": 1}], ["x"] * (LIST_MEMBERS + 1), "text"]
)
def test_of_what_has_no_names_nothing_is_known_by_its_members(value):
    assert members(value) is None
