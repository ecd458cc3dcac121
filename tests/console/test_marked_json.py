"""Results as a person reads them: the doubtful places marked, whatever the result holds."""

import json
import re
from html import unescape

import pytest
from hypothesis import given

from outcome_monitors_server.console.marked_json import LONGEST, marked_json
from tests.strategies import json_values


def marks(value, *paths):
    shown, absent = marked_json(value, [{"path": path, "detail": "odd"} for path in paths])
    return [
        unescape(re.sub("<[^>]*>", "", found))
        for found in re.findall("<mark[^>]*>(.*?)</mark>", shown, re.DOTALL)
    ], absent


@pytest.mark.parametrize(
    ("value", "path", "found"),
    [
        ({"total": -1, "id": 1}, "total", ["-1"]),
        ({"items": [{"price": 1}, {"price": 2}]}, "items[].price", ["1", "2"]),
        ({"items": [{"price": 1}, {"price": 2}]}, "items[1].price", ["2"]),
        ({"items": list(range(100))}, "items[77]", ["77"]),
        ({"a": {"b": {"c": "<b>"}}}, "a.*.c", ['"<b>"']),
        ({"text": '{"order": {"id": "W1"}}', "n": 1}, "text[json].order.id", ['"W1"']),
        ([3, 4], "[1]", ["4"]),
        (json.dumps({"total": -1}), "total", ["-1"]),
    ],
)
def test_doubtful_places_are_marked(value, path, found):
    assert marks(value, path) == (found, [])


@given(json_values)
def test_whatever_comes_is_text(value):
    shown, _ = marked_json(value, [{"path": "a", "detail": "<b>"}])
    assert not re.search(r"<(?!/?(pre|code|mark)\b)", shown)


def test_a_large_result_is_cut_and_its_doubtful_place_stays():
    value = {"rows": [{"text": "x" * 5000, "n": n} for n in range(5000)], "last": 7}
    shown, _ = marked_json(value, [])
    assert len(shown) < 2 * LONGEST
    assert marks({"rows": list(range(100_000))}, "rows[99999]") == (["99999"], [])
