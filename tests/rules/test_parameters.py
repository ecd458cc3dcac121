"""Parameters that a contract file cannot have are refused, each kind's by its name."""

import math
from typing import Any

import pytest

from outcome_monitors.exceptions import ContractError
from outcome_monitors.rules import KINDS
from outcome_monitors.rules.base.record import RecordKind

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
    "monotonic": {"key": ".a", "field": ".b"},
    "non_empty": {"of": "text"},
    "positive": {},
    "range": SPAN,
    "required": {},
    "time": DATES,
    "type": {"kinds": ["integer"]},
}
BAD: dict[str, list[dict[str, Any]]] = {
    "anomalous_text": [{"marks": bad} for bad in ([], "cut", ["wit"], [["cut"]])],
    "changes_after_write": [{"after": bad} for bad in (None, 5, [], {}, "")],
    "closed_fields": [{"fields": "a"}, {"fields": [1]}],
    "conservation": [
        *({"left": bad} for bad in (None, {}, "items[].price", {"path": ""}, {"path": "items[0].price"})),
        *({"left": {"path": bad}} for bad in ("a..b", "a[]" * 50, ["items"])),
        *({"left": {"path": "items[].price", **more}} for more in ({"sign": 1}, {"by": "type"})),
        {"left": {**SIGNED, "path": "amounts[]"}},
        {"left": {**SIGNED, "by": 3}},
        *({"left": {**SIGNED, "signs": bad}} for bad in ({}, ["a"], {"a": 2}, {"a": True}, {"A": 1})),
        {"left": {**SIGNED, "signs": {str(i): 1 for i in range(65)}}},
        *({"where": bad} for bad in ({}, [], {"path": "rows[].status", "values": ["a"]})),
        *({"where": {"path": "status", "values": bad}} for bad in ([], "pending", [None], [" Pending"])),
        *({"places": bad} for bad in (-1, 10, 2.0, True, None)),
    ],
    "distinct_per_query": [{"field": bad} for bad in (None, 5, [], "", "id", "=items", ".a[", "@id", "#a")],
    "domain": [{"values": bad} for bad in ([], "open", [1])],
    "error": [{"fields": bad} for bad in ([], ["Error"], [1], "error")],
    "form": [{"reading": "backwards"}, {"reading": {}}, {"forms": []}, {"forms": "a"}, {"forms": [0]}],
    "length": [{"room": "roomy"}, {"of": "object"}, {"of": ["text"]}, {"least": -1}, {"most": 2.0}],
    "linear": [{"of": [".a", ".b"]}, *({"form": form} for form in ("sum", "product", "quotient", "power"))],
    "memory": [{name: bad} for name in ("key", "field") for bad in (None, 5, [], "order_id", ".a..b")],
    "monotonic": [{"field": "?"}, {"key": ""}, {"key": 5}],
    "non_empty": [{"of": "object"}, {"of": ["text"]}, {"usual": [1]}],
    "positive": [{"zero": False}],
    "range": [
        *({"room": bad} for bad in ("roomy", ["wide"])),
        *({"low": bad} for bad in ("0", math.nan, False)),
        *({"high": bad} for bad in (math.inf, 10**400)),
    ],
    "required": [],
    "time": [
        *({"layout": bad} for bad in ("week", ["date"])),
        *({"low": bad} for bad in ("2026", 2026, "2026-02-30")),
    ],
    "type": [{"kinds": bad} for bad in ([], "integer", ["int"], [[]])],
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
    assert {*GOOD} | relations | {"json", "echo", "affine", "order"} == {*KINDS}
