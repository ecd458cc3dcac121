"""Parameters that a contract file cannot have are refused, each kind's by its name."""

import math
from typing import Any

import pytest

from outcome_monitors.exceptions import ContractError
from outcome_monitors.rules import KINDS
from outcome_monitors.rules.base.record import RecordKind
from outcome_monitors.rules.built_in import BUILT_IN_KINDS

SUMS = {"left": {"path": "total"}, "right": {"path": "items[].price"}, "where": None, "places": 2}
SIGNED = {"path": "p[].n", "by": "type", "signs": {"a": 1}}
DATES = {"layout": "date", "low": "2006-01-01", "high": "2046-12-31"}
SPAN = {"low": 0, "high": 1, "room": "wide"}
SIZE = {"room": "wide", "of": "text", "least": 1, "most": 5}
LINE = {"form": "line", "of": [".a"], "field": ".c", "slope": 1.0, "intercept": 0.0}

GOOD: dict[str, dict[str, Any]] = {
    "anomalous_text": {"marks": ["cut"]},
    "changes_after_write": {"after": "cancel_order"},
    "closed_fields": {"fields": ["a"]},
    "conservation": SUMS,
    "distinct_per_query": {"field": "="},
    "domain": {"values": ["open"]},
    "error": {"fields": ["error"]},
    "form": {"reading": "runs", "forms": ["a"]},
    "length": SIZE,
    "linear": LINE,
    "memory": {"key": "@", "field": ".status"},
    "non_empty": {"of": "text"},
    "pattern": {"pattern": "^W[0-9]+$"},
    "positive": {},
    "range": SPAN,
    "required": {},
    "time": DATES,
    "type": {"kinds": ["integer"]},
}


def each(name: str, *values: Any) -> list[dict[str, Any]]:
    """Return one change a value of a parameter."""
    return [{name: value} for value in values]


BAD: dict[str, list[dict[str, Any]]] = {
    "anomalous_text": each("marks", [], "cut", ["wit"], [["cut"]]),
    "changes_after_write": each("after", None, 5, [], {}, ""),
    "closed_fields": each("fields", "a", [1]),
    "conservation": [
        *each("left", None, {}, "items[].price"),
        *each("left", *each("path", "", "items[0].price", "a..b", "a[]" * 50, ["items"])),
        *each("left", {"path": "items[].price", "sign": 1}, {"path": "items[].price", "by": "type"}),
        *each("left", {**SIGNED, "path": "amounts[]"}, {**SIGNED, "by": 3}),
        *each(
            "left", *({**SIGNED, **bad} for bad in each("signs", {}, ["a"], {"a": 2}, {"a": True}, {"A": 1}))
        ),
        *each("left", {**SIGNED, "signs": {str(i): 1 for i in range(65)}}),
        *each("where", {}, [], {"path": "rows[].status", "values": ["a"]}),
        *each(
            "where",
            *({"path": "status", **bad} for bad in each("values", [], "pending", [None], [" Pending"])),
        ),
        *each("places", -1, 10, 2.0, True, None),
    ],
    "distinct_per_query": each("field", None, 5, [], "", "id", "=items", ".a[", "@id", "#a"),
    "domain": each("values", [], "open", [1]),
    "error": each("fields", [], ["Error"], [1], "error"),
    "form": [*each("reading", "backwards", {}), *each("forms", [], "a", [0])],
    "length": [
        *each("room", "roomy"),
        *each("of", "object", ["text"]),
        *each("least", -1),
        *each("most", 2.0),
    ],
    "linear": [*each("of", [".a", ".b"]), *each("form", "sum", "product", "quotient", "power")],
    "memory": [*each("key", None, 5, [], "order_id"), *each("field", None, 5, [], ".a..b")],
    "non_empty": [*each("of", "object", ["text"]), *each("usual", [1])],
    "positive": each("zero", False),
    "range": [
        *each("room", "roomy", ["wide"]),
        *each("low", "0", math.nan, False),
        *each("high", math.inf, 10**400),
    ],
    "required": [],
    "time": [*each("layout", "week", ["date"]), *each("low", "2026", 2026, "2026-02-30")],
    "type": each("kinds", [], "integer", ["int"], [[]]),
}


@pytest.mark.parametrize(("kind", "change"), [(kind, change) for kind in BAD for change in BAD[kind]])
def test_a_parameter_that_makes_no_sense_is_refused(kind, change):
    KINDS[kind].validate(GOOD[kind], "here")
    with pytest.raises(ContractError, match=f"of kind '{kind}'"):
        KINDS[kind].validate({**GOOD[kind], **change}, "here")


@pytest.mark.parametrize("kind", GOOD)
def test_a_parameter_too_many_or_too_few_is_refused(kind):
    with pytest.raises(ContractError, match=f"kind '{kind}' has no parameter 'more'"):
        KINDS[kind].validate({**GOOD[kind], "more": 1}, "here")
    for name in GOOD[kind]:
        with pytest.raises(ContractError, match=f"parameter '{name}' of kind '{kind}' is missing"):
            KINDS[kind].validate({n: v for n, v in GOOD[kind].items() if n != name}, "here")


def test_every_kind_is_tried_here_or_among_the_relations():
    relations = {name for name, kind in KINDS.items() if isinstance(kind, RecordKind)}
    assert {*GOOD} | relations | {"json", "echo", "affine", "order"} == {*KINDS} - {*BUILT_IN_KINDS}
