"""The compiled check, the plain one and the monitor mean the same: what generated code calls clean, no clause flags."""

from typing import Any

import pytest

from outcome_monitors import Clause, Contract, Monitor, Registry
from tests.fuzz.meaning import flagged, says_yes

FOUND: list[tuple[str, str, dict[str, Any], dict[str, Any], Any]] = [
    ("echo", "a", {"argument": "a"}, {"a": "x"}, {"a": None}),
    ("echo", "*", {"argument": "a"}, {"a": "x"}, {"b": None}),
    ("echo", "[].a", {"argument": "a"}, {"a": "x"}, [{"a": "x"}, {"a": None}]),
    ("echo", '["a.b"]', {"argument": "a.b"}, {"a.b": "x"}, {"a.b": None}),
    ("closed_fields", "[0]", {"fields": ["a"]}, {}, [{"b": 1}]),
    ("type", "a[0]", {"kinds": ["string"]}, {}, {"a": [1]}),
    ("required", "[0].a", {}, {}, [{}]),
    ("type", "[][1]", {"kinds": ["string"]}, {}, [["a", 1]]),
    ("fields_equal", "items", {"first": "$", "second": "@n"}, {"n": "other"}, {"items": {"b": 1}}),
    ("template", "id", {"field": "$", "templates": [["string"]]}, {}, {"id": [[""]]}),
]
"""What the compiled check once passed, and the plain one flags."""


@pytest.mark.parametrize(("kind", "path", "params", "arguments", "result"), FOUND)
def test_past_disagreements_stay_fixed(kind, path, params, arguments, result):
    contract = Contract("t", (Clause(kind, path, params, 9, 9, "hand"),))
    assert flagged(contract, arguments, result)
    assert not says_yes(contract, arguments, result)
    assert Monitor(Registry({"t": contract})).check("t", arguments, result)


@pytest.mark.parametrize("path", ["", "[]", "*", "a[json]", "a[0]"])
def test_that_what_is_no_field_is_required_says_nothing(path):
    contract = Contract("t", (Clause("required", path, {}, 9, 9, "hand"),))
    results: list[Any] = [{}, [], [{}], {"a": "{}"}, None]
    for result in results:
        assert flagged(contract, {}, result) == []
