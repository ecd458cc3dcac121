"""What all kinds keep to that relate the features of a record."""

import copy
import json
from itertools import product
from typing import Any

import pytest
from hypothesis import example, given, settings, strategies as st

from outcome_monitors import Clause, Contract
from outcome_monitors.checking.compiled import compile_contract
from outcome_monitors.exceptions import ContractError
from outcome_monitors.rules import KINDS, evaluate
from outcome_monitors.rules.base.record import RecordKind
from tests.rules.relations import clause

RECORD_KINDS = {name for name, kind in KINDS.items() if isinstance(kind, RecordKind)}

LONG = "x" * 300
LONG_ID = 10**18 + 1
FACTS = {"7": "a", str(LONG_ID): "a", "w1": 7, "-3": None, "--5": "a", "007": "a"}
SENTENCE = [["Order ", "@id", " is ", ".status", ""], ["", ".id", "!"]]
GIVEN = {"open": ["filled"], "true": ["null", "empty"], "7": ["absent"]}

EXAMPLES: list[tuple[str, dict[str, Any]]] = [
    *(
        ("argument", {"argument": "@id", "field": field, "agree": agree})
        for field in (".id", ".item.id", "$", ".")
        for agree in ("equal", "same", "among", "day", "contains", "within")
    ),
    ("argument", {"argument": "@id", "field": "|items", "agree": "answered"}),
    ("argument", {"argument": "@until", "field": ".start", "agree": "day"}),
    ("contains_id", {"field": ".text", "id": ".id"}),
    ("contains_id", {"field": ".id", "id": ".item.id"}),
    ("required_members", {"key": ".id", "field": "|items", "core": {"7": ["w1"], "w1": ["7", "x"]}}),
    ("required_members", {"key": "@id", "field": "|items", "core": {"7": ["7"], "w1": ["w1"]}}),
    ("required_members", {"key": "$", "field": "|", "core": {"a": ["7"], "w1": ["w1"]}}),
    ("linear", {"form": "line", "of": ["#items"], "field": ".n", "slope": 1.0, "intercept": 0.0}),
    ("linear", {"form": "line", "of": ["@n"], "field": ".n", "slope": 2.0, "intercept": -1.0}),
    ("linear", {"form": "sum", "of": [".n", ".m"], "field": "+items[].n", "slope": 1.0, "intercept": 0.0}),
    ("linear", {"form": "product", "of": [".n", ".m"], "field": ".n", "slope": 1.0, "intercept": 0.0}),
    ("before", {"first": ".n", "second": ".m"}),
    ("before", {"first": ".start", "second": "@until"}),
    ("before", {"first": "#items", "second": "@n"}),
    ("conditional", {"given": ".status", "field": ".id", "states": GIVEN}),
    ("conditional", {"given": ".flag", "field": "#items", "states": GIVEN}),
    ("conditional", {"given": "@id", "field": ".n", "states": GIVEN}),
    ("functional_dependency", {"key": ".id", "field": ".status", "facts": FACTS}),
    ("functional_dependency", {"key": "@id", "field": ".n", "facts": FACTS}),
    ("functional_dependency", {"key": "$", "field": ".id", "facts": FACTS}),
    ("functional_dependency", {"key": ".id", "field": "=items", "facts": {"7": "\0abc", "w1": "\0def"}}),
    ("template", {"field": ".text", "templates": SENTENCE}),
    ("template", {"field": ".id", "templates": [["", ".n", ""]]}),
    ("rows", {"field": "%items[].n", "standing": "a"}),
    ("rows", {"field": "%items[].id", "standing": "u"}),
    ("rows", {"field": "%[]", "standing": "d"}),
    ("rows", {"field": "%items[].item.n", "standing": "u"}),
    ("argument", {"argument": "@:item.id", "field": ".id", "agree": "equal"}),
    ("argument", {"argument": "@:lines[].id", "field": ".id", "agree": "among"}),
    ("argument", {"argument": "@id", "field": "<items[].id", "agree": "equal"}),
    ("argument", {"argument": "@id", "field": ">[].id", "agree": "same"}),
    ("linear", {"form": "quotient", "of": [".n", ".m"], "field": ".o", "slope": 1.0, "intercept": 0.0}),
    ("linear", {"form": "quotient", "of": ["#items", "@+id"], "field": ".n", "slope": 1.0, "intercept": 0.0}),
    ("linear", {"form": "line", "of": ["@~sum"], "field": ".n", "slope": 1.0, "intercept": 0.0}),
    ("linear", {"form": "line", "of": ["~text"], "field": ".n", "slope": 1.0, "intercept": 0.0}),
    ("linear", {"form": "line", "of": ["$"], "field": ".", "slope": 1.0, "intercept": 0.0}),
    ("linear", {"form": "line", "of": ["#"], "field": "+[].n", "slope": 2.0, "intercept": 0.0}),
    ("before", {"first": "@+id", "second": ".n"}),
    ("functional_dependency", {"key": "$", "field": ".", "facts": FACTS}),
    *(
        ("fields_equal", {"first": first, "second": second})
        for first, second in [
            (".id", ".item.id"),
            ("$", ".id"),
            ("$", "."),
            (".id", "<items[].id"),
            ("<items[].id", ">items[].id"),
            ("<[].id", ">[].id"),
            ("<items[].item.id", ".id"),
            (".items[0].id", ".id"),
            (".items[].id", ".id"),
            (".id", "@id"),
        ]
    ),
]

odd: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, False, 0, 7, 7.0, LONG_ID, 1.5, -3, "", "w1", "7", "None", LONG, [], {}]
)
numbers = st.integers(-2, 4) | st.sampled_from([2.0, 1.5, 10**400, 1e308, float("nan"), float("inf")])
ids = st.sampled_from(["w1", " W1", "7", 7, 7.0, LONG_ID, LONG_ID + 1, LONG, "x"])
times = st.sampled_from(["2026-01-01", "2026-01-02T10:00:00Z", "2026-01-02T09:00:00", "10:30", "09:15:00"])
written = st.sampled_from(["7", "-3", "1.5", "007", "1e3", "4.50"])
inner = st.fixed_dictionaries({}, optional={"n": numbers, "id": ids | odd})
rows = st.lists(
    st.fixed_dictionaries({}, optional={"n": numbers | odd, "id": ids | odd, "item": inner | odd}) | odd,
    max_size=4,
)
records = st.fixed_dictionaries(
    {},
    optional={
        "id": ids | odd,
        "item": st.fixed_dictionaries({}, optional={"id": ids | odd}) | odd,
        "n": numbers | odd,
        "m": numbers | odd | written,
        "o": numbers | written,
        "start": times | odd,
        "status": st.sampled_from(["open", "shut", "a"]) | odd,
        "flag": st.booleans() | odd,
        "text": st.sampled_from(["Order w1 is open", "Order 7 is a", "w1!", "7!"]) | odd,
        "items": rows | odd,
    },
)
asked = st.fixed_dictionaries(
    {},
    optional={
        "id": ids | odd | st.lists(ids, max_size=3) | st.lists(numbers, max_size=3),
        "n": numbers,
        "until": times,
        "item": inner | odd,
        "lines": rows | odd,
        "sum": st.sampled_from(["1 + 1", "7", "2 * (3 - 1)", "9**9**9", "1/0", LONG]) | odd,
    },
)


PATHS = ["", "[]", "*", "rows[]", "[].*", "[][]", "x.*"]


def placed(record: Any, path: str) -> Any:
    """Return a result with the record at a path."""
    return {
        "": record,
        "[]": [record, record],
        "*": {"w1": record, "7": record},
        "rows[]": {"rows": [record, {}, record]},
        "[].*": [{"w1": record}, {"7": record, "8": {}}],
        "[][]": [[record], [], [record, record]],
        "x.*": {"x": {"w1": record, "7": 7, "8": []}},
    }[path]


some_clauses = st.builds(
    lambda example, path: clause(example[0], path, **example[1]),
    st.sampled_from(EXAMPLES),
    st.sampled_from(PATHS),
)
types = st.lists(
    st.sampled_from(
        [
            Clause("type", path, {"kinds": kinds}, 1, 1, "traces")
            for path in (*PATHS, "rows", "x")
            for kinds in (["object"], ["array"], ["object", "null"], ["string"], ["integer", "string"])
        ]
        + [Clause("required", name, {}, 1, 1, "traces") for name in ("n", "[].n", "*.id", "rows[].n")]
    ),
    max_size=3,
    unique_by=lambda one: (one.kind, one.path),
)


def test_every_kind_has_an_example():
    assert {kind for kind, _ in EXAMPLES} == RECORD_KINDS


@given(one=some_clauses, beside=types, record=records | odd | ids | rows, arguments=asked)
@example(
    clause("functional_dependency", key=".id", field=".status", facts=FACTS),
    [],
    {"id": LONG_ID, "status": "b"},
    {},
)
@settings(max_examples=600, deadline=None)
def test_the_fast_form_says_yes_only_where_the_plain_one_finds_nothing(one, beside, record, arguments):
    result = placed(record, one.path)
    before = copy.deepcopy((arguments, result))
    contract = Contract("get", (*beside, one))
    found = list(evaluate(contract.clauses, arguments, result))
    try:
        surely = compile_contract(contract)(arguments, result)
    except Exception:  # noqa: BLE001 - any exception sends the result to the plain evaluator
        surely = False
    assert not (surely and found)
    assert repr((arguments, result)) == repr(before)
    json.dumps([violation.to_json() for _, violation in found], allow_nan=False)


HOSTILE: list[Any] = [
    None,
    5,
    True,
    "",
    "no sigil",
    [],
    {},
    ["."],
    ".a..b",
    ".a[",
    "+[",
    [[]],
    {"a": []},
    "." * 9,
    "<a[",
    "@:a[",
]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example[0])
def test_parameters_that_make_no_sense_are_refused(example):
    kind, params = example
    fine: dict[str, list[Any]] = {"facts": [{}], "slope": [5], "intercept": [5], "of": [["."]]}
    for name, value in product(params, HOSTILE):
        if value not in fine.get(name, []):
            with pytest.raises(ContractError, match=f"parameter {name!r}"):
                KINDS[kind].validate({**params, name: value}, "here")
    with pytest.raises(ContractError, match="no parameter 'more'"):
        KINDS[kind].validate({**params, "more": 5}, "here")
