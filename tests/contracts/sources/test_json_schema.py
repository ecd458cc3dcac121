"""Every keyword, by hand."""

import sys
from time import perf_counter

import pytest

from outcome_monitors import Call, Monitor, Registry, mine
from outcome_monitors.contracts.sources import Refusal, Report, from_json_schema
from outcome_monitors.contracts.sources.json_schema import KEYWORDS, REFUSED
from outcome_monitors.model import Json
from tests.clause_checks import said
from tests.places import DOCS


def read(schema: Json) -> Report:
    return from_json_schema(schema, "get", "get.json")


def reasons(report: Report) -> dict[str, str]:
    return {refusal.where: refusal.why for refusal in report.refused}


TEXT, NULL, NUMBER, OBJECT = ({"type": name} for name in ("string", "null", "number", "object"))
CLOSED = {"additionalProperties": False}


def holding(**fields: Json) -> Json:
    """Return the schema of an object whose fields are required."""
    return {**OBJECT, "required": list(fields), "properties": fields}


PLAIN = [
    (TEXT, {"": ["string"]}),
    ({**TEXT, "nullable": True}, {"": ["null", "string"]}),
    ({"const": None}, {"": ["null"]}),
    ({**TEXT, "enum": ["a", 1]}, {"": ["string"]}),
    ({"type": "array", "items": holding(a={})}, {"": ["array"], "[]": ["object"], "[].a!": True}),
    ({"additionalProperties": NUMBER}, {"*": ["number"]}),
    ({"properties": {"by": {"additionalProperties": {"required": ["n"]}}}}, {"by.*.n!": True}),
    ({"properties": {"a.b": NULL, "": TEXT}}, {'["a.b"]': ["null"], '[""]': ["string"]}),
    ({"prefixItems": [NUMBER] * 2, "items": False}, {"[]": ["number"]}),
    ({"items": [NUMBER] * 2, "additionalItems": False}, {"[]": ["number"]}),
]
COMBINED = [
    ({"allOf": [{"type": ["string", "number"]}, {"type": ["integer", "null"]}]}, {"": ["integer"]}),
    ({"anyOf": [TEXT, NULL]}, {"": ["null", "string"]}),
    ({"oneOf": [NULL, holding(a=TEXT)]}, {"": ["null", "object"], "a!": True, "a": ["string"]}),
    (
        {"anyOf": [holding(a=TEXT, b={}), holding(a=NULL, c={})]},
        {"": ["object"], "a!": True, "a": ["null", "string"]},
    ),
    (
        # A branch that allows no other field has no say on a field it does not name.
        {**OBJECT, "anyOf": [{"properties": {"a": TEXT}, **CLOSED}, {"properties": {"b": NULL}, **CLOSED}]},
        {"": ["object"], "a": ["string"], "b": ["null"]},
    ),
]


@pytest.mark.parametrize(("schema", "expected"), [*PLAIN, *COMBINED])
def test_keywords_give_types_and_required_fields(schema: Json, expected: dict[str, Json]):
    report = read(schema)
    assert said(report) == expected
    assert report.refused == ()


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#/$defs/Id", "$defs": {"Id": {"type": "string"}}},
        {"$ref": "#name", "$defs": {"Id": {"$anchor": "name", "type": "string"}}},
        {"$ref": "#/$defs/a~1b~0c%25", "$defs": {"a/b~c%": {"type": "string"}}},
        {"$id": "https://a.org/x", "$ref": "https://a.org/x#/$defs/Id", "$defs": {"Id": {"type": "string"}}},
        {"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"type": "string"}}},
    ],
)
def test_references_within_the_document(schema: Json):
    report = read(schema)
    assert said(report) == {"": ["string"]}
    assert report.refused == ()


@pytest.mark.parametrize(
    ("reference", "why"),
    [
        ("https://a.org/x", "https://a.org/x is in another document"),
        ("#/$defs/none", "#/$defs/none points to nothing"),
        ("#twice", "#twice points to 2 places"),
        (7, "`$ref` must be a string"),
        ("#/$defs/inner/properties/a", "#/$defs/inner/properties/a points to nothing"),
    ],
)
def test_references_that_lead_nowhere_are_refused(reference: Json, why: str | None):
    schema = {
        "title": "x",
        "required": ["a"],
        "properties": {"a": {"$ref": reference}},
        "$defs": {
            "one": {"$anchor": "twice"},
            "two": {"$anchor": "twice"},
            "inner": {"$id": "https://b.org/", "properties": {"a": {}}},
            "data": {"enum": [{"$anchor": "none"}]},
        },
    }
    report = read(schema)
    assert said(report) == {"a!": True}
    (refusal,) = report.refused
    assert why is None or refusal == Refusal("get", "#/properties/a/$ref", why)


@pytest.mark.parametrize("reference", ["#", "#node"])
def test_a_loop_is_cut_where_it_first_closes(reference: str):
    report = read(
        {
            "$anchor": "node",
            "required": ["next"],
            "properties": {"next": {"$ref": reference}, "value": NUMBER},
        }
    )
    assert said(report) == {"next!": True, "value": ["number"]}
    assert reasons(report) == {
        "#/properties/next/$ref": "a loop: it points to what it is inside of; nothing below is checked"
    }


@pytest.mark.parametrize(
    ("keyword", "value", "wanted"),
    [
        ("type", "int", "a JSON type or a list of them"),
        ("required", True, "a list of field names"),
        ("properties", [], "an object of schemas"),
        ("enum", "a", "a list"),
        ("enum", [{1, 2}], "made of JSON values"),
        ("allOf", {}, "a list of schemas"),
        ("items", [], "a list of schemas"),
    ],
)
def test_a_keyword_of_the_wrong_type_is_refused_by_name(keyword: str, value: Json, wanted: str):
    report = read({"properties": {"a": {keyword: value}}, "required": ["a"]})
    assert said(report) == {"a!": True}
    assert reasons(report) == {f"#/properties/a/{keyword}": f"`{keyword}` must be {wanted}"}


def test_items_that_are_not_alike_are_refused():
    for items in ({"prefixItems": [TEXT, NULL]}, {"items": [TEXT], "additionalItems": NULL}):
        report = read({"type": "array", **items})
        assert said(report) == {"": ["array"]}
        (refusal,) = report.refused
        assert refusal.why.endswith("the items are not all alike, and have no path of their own")


def test_other_fields_beside_named_ones_are_refused():
    inner = {"properties": {"a": {"type": "string"}}, "additionalProperties": {"type": "number"}}
    report = read(inner)
    assert said(report) == {"a": ["string"]}
    assert list(reasons(report)) == ["#/additionalProperties"]


def test_fields_that_are_only_written_are_not_required():
    report = read({"required": ["a", "b"], "properties": {"a": {"writeOnly": True, "type": "string"}}})
    assert said(report) == {"a": ["string"], "b!": True}
    assert reasons(report) == {"#/properties/a": "required, but `writeOnly`: no result has it"}


def test_what_allows_no_value_is_refused():
    report = read(
        {"required": ["a"], "properties": {"a": {"type": "string", "const": 1}, "b": False}, "items": False}
    )
    assert said(report) == {"a!": True}
    assert set(reasons(report)) == {"#/properties/a", "#/properties/b", "#/items"}
    assert read(False).accepted == ()
    assert Refusal("get", "#", "no value is allowed here, which no clause can say") in read(False).refused


def test_constraints_that_no_clause_carries_are_counted_by_place():
    report = read(
        {
            "title": "t",
            "additionalProperties": False,
            "properties": {"a": {"$ref": "#/$defs/s"}, "b": {"$ref": "#/$defs/s"}, "c": {"tpye": 3}},
            "$defs": {"s": {"type": "string", "pattern": "(x)", "description": "d", "default": "x"}},
        }
    )
    assert report.unused == {"additionalProperties": 1, "pattern": 1, "tpye": 1}
    assert report.refused == ()


BOUNDS = [
    ({"minimum": 0}, "range", {"low": 0, "high": sys.float_info.max}, [0, 7.5, "x"], [-0.5, -1]),
    ({"exclusiveMaximum": 9, "minimum": 1}, "range", {"low": 1, "high": 9}, [1, 9], [10, 0.5]),
    (
        {"type": "string", "minLength": 2, "maxLength": 3},
        "length",
        {"least": 2, "most": 3},
        ["ab"],
        ["a", "abcd"],
    ),
    ({"minItems": 1}, "length", {"least": 1, "most": sys.maxsize}, [[1], "", {}], [[]]),
    ({"enum": ["Paid", "sent", None]}, "domain", {"values": ["paid", "sent"]}, ["sent", None], ["lost"]),
    ({"const": "paid"}, "domain", {"values": ["paid"]}, ["paid"], ["sent"]),
    ({"enum": [1, 4]}, "range", {"low": 1, "high": 4}, [1, 4], [5]),
    ({"anyOf": [{"type": "number", "maximum": 3}, {"type": "string"}]}, "range", {"high": 3}, [3, "x"], [4]),
    ({"pattern": "^W[0-9]+$"}, "pattern", {}, ["W1", "W0042", 7], ["w1", "W", "W1 ", "W1\n", "xW1"]),
    ({"pattern": "[A-Z]{2}-?\\d"}, "pattern", {}, ["AB1", "see AB-1 there"], ["A1", ""]),
    ({"format": "date"}, "pattern", {}, ["2026-02-01", None], ["01.02.2026", "2026-02-01T10:00", "soon"]),
    ({"format": "date-time"}, "pattern", {}, ["2026-02-01T10:00:00Z"], ["2026-02-01", "10:00"]),
    ({"format": "email"}, "pattern", {}, ["a@b.example"], ["a", "@", "a@b@c"]),
    ({"format": "uuid"}, "pattern", {}, ["3b241101-e2bb-4255-8caf-4136c566a962"], ["3b241101"]),
    (
        {"anyOf": [{"type": "string", "pattern": "^a"}, {"type": "number"}]},
        "pattern",
        {"pattern": "^a"},
        ["ab", 3],
        ["b"],
    ),
    ({"allOf": [{"maximum": 3}, {"maximum": 2}]}, "range", {"high": 2}, [2], [3]),
]


@pytest.mark.parametrize(("schema", "kind", "params", "right", "wrong"), BOUNDS)
def test_bounds_lengths_and_listed_values_give_clauses(
    schema: Json, kind: str, params: dict[str, Json], right: list[Json], wrong: list[Json]
):
    report = read(holding(a=schema))
    [clause] = [clause for clause in report.accepted[0].clauses if clause.kind == kind]
    assert params.items() <= clause.params.items()
    monitor = Monitor(Registry({"get": report.accepted[0]}), built_in=False)
    assert [value for value in right if monitor.check("get", {}, {"a": value})] == []
    assert [value for value in wrong if not monitor.check("get", {}, {"a": value})] == []
    assert report.unused == {}


@pytest.mark.parametrize(
    "schema", [{"minimum": 0}, {"maximum": 10**400}, {"enum": [10**400, 1]}, {"minLength": 10**400}]
)
def test_giant_bounds_and_giant_numbers_say_no_more_than_the_schema(schema: Json):
    report = read(holding(a=schema, b={}))
    monitor = Monitor(Registry({"get": report.accepted[0]}), built_in=False)
    assert not monitor.check("get", {}, {"a": 10**400, "b": 1})


def test_a_bound_that_either_of_two_branches_lifts_gives_no_clause():
    report = read(holding(a={"anyOf": [{"type": "number", "maximum": 3}, {"type": "number", "minimum": 9}]}))
    assert "range" not in {clause.kind for clause in report.accepted[0].clauses}


def test_the_page_on_schemas_names_every_keyword():
    page = (DOCS / "guides" / "schemas.md").read_text(encoding="utf-8")
    assert [name for name in (*KEYWORDS, *REFUSED) if f"`{name}`" not in page] == []


@pytest.mark.parametrize("keyword", sorted(REFUSED))
def test_what_is_not_turned_into_clauses_is_refused_by_name_and_the_rest_stands(keyword: str):
    report = read({"required": ["a"], keyword: {"type": "string"}})
    assert said(report) == {"a!": True}
    assert reasons(report) == {f"#/{keyword}": f"`{keyword}` is not turned into clauses"}


@pytest.mark.parametrize(
    "pattern",
    [
        "(a+)+$",
        "^(a|a)*$",
        "^a*a*$",
        "^[a-z]+\\w+$",
        "^\\d{1,9}[0-9]$",
        "a|b",
        "^[a",
        "(?=a)",
        "\\1",
        "\\bx",
        "a" * 400,
        "^x{2}?$",
    ],
)
def test_a_pattern_that_may_take_long_or_is_not_plain_is_counted(pattern: str):
    report = read(holding(a={"pattern": pattern}))
    assert report.unused == {"pattern": 1}
    assert all(clause.kind != "pattern" for clause in report.accepted[0].clauses)


@pytest.mark.parametrize("pattern", ["^[a-z]+[0-9]*$", "[a-y]+z", "^[^@]+@[^@]+$", "^a?b?c?d{0,9}$"])
def test_a_pattern_takes_no_text_long(pattern: str):
    report = read(holding(a={"pattern": pattern}))
    monitor = Monitor(Registry({"get": report.accepted[0]}), built_in=False)
    start = perf_counter()
    for text in ("a" * 1000, "a" * 999 + "!", "a1" * 500, "abcd" * 250, "a" * 10**6):
        monitor.check("get", {}, {"a": text})
    assert perf_counter() - start < 2


def test_what_a_schema_says_too_is_one_violation():
    """A list, a type, a field: each stands in the schema and was learned."""
    schema = holding(status={"type": "string", "enum": ["a", "b", "c"]}, n={"type": "integer", "minimum": 0})
    declared = Registry({"get": read(schema).accepted[0]})
    calls = [
        Call("get", {"q": f"q{n}"}, {"status": "ab"[n % 2], "n": n % 7}, task=f"t{n}") for n in range(120)
    ]
    monitor = Monitor(declared.merge(mine(calls)), built_in=False)
    for wrong in ({"status": "z", "n": 5}, {"status": 5, "n": 5}, {"n": 5}, {"status": "a", "n": "x"}):
        [violation] = monitor.check("get", {"q": "x"}, wrong)
        assert "schema" in violation.code or violation.code in ("missing_required_field", "unseen_category")
    [violation] = monitor.check("get", {"q": "x"}, {"status": "c", "n": 5})
    assert violation.expected == ["a", "b"], "what was learned says more than the schema"
