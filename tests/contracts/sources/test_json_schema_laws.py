"""Soundness: a schema's clauses never say more than the schema."""

from typing import Any

import pytest
from hypothesis import assume, given, settings, strategies as st

from outcome_monitors.contracts.sources import from_json_schema
from outcome_monitors.jsonvalue.paths import parse
from outcome_monitors.model import Json
from tests.clause_checks import broken

jsonschema_rs = pytest.importorskip(
    "jsonschema_rs", reason="validates by the schemas that clauses are tested against"
)

TYPES = ("array", "boolean", "integer", "null", "number", "object", "string")
NAMES = st.sampled_from(["a", "b", "c.d"])
SCALARS = st.sampled_from([None, True, 0, 2.0, 1.5, "", "a"])
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)
TYPE = st.sampled_from(TYPES) | st.lists(st.sampled_from(TYPES), min_size=1, max_size=3, unique=True)
# References lead to definitions that have none themselves: loops are tested by hand.
REFERENCES = st.sampled_from(["#/$defs/x", "#/$defs/y", "#z"]).map(lambda target: {"$ref": target})


def schemas(leaves: st.SearchStrategy[Json], *, unions: bool = True) -> st.SearchStrategy[Json]:
    """Generate schemas of the keywords that clauses carry, and with unions of those that they do not."""

    def grown(inner: st.SearchStrategy[Json]) -> st.SearchStrategy[Json]:
        some = st.lists(inner, min_size=1, max_size=3)
        exact: dict[str, st.SearchStrategy[Any]] = {
            "type": TYPE,
            "properties": st.dictionaries(NAMES, inner, max_size=2),
            "required": st.lists(NAMES, max_size=2, unique=True),
            "items": inner,
            "allOf": some,
        }
        loose: dict[str, st.SearchStrategy[Any]] = {
            "additionalProperties": inner | st.booleans(),
            "anyOf": some,
            "const": VALUES,
            "dependentRequired": st.just({"a": ["b"]}),
            "else": inner,
            "enum": st.lists(VALUES, min_size=1, max_size=3),
            "if": inner,
            "exclusiveMaximum": st.sampled_from([0, 1.5]),
            "maxItems": st.integers(0, 2),
            "maxLength": st.integers(0, 1),
            "maximum": st.sampled_from([0, 1.5]),
            "minItems": st.integers(0, 2),
            "minLength": st.integers(0, 2),
            "minimum": st.sampled_from([-1, 0.5, 1]),
            "not": inner,
            "oneOf": some,
            "patternProperties": st.dictionaries(st.just("^a"), inner, max_size=1),
            "prefixItems": some,
            "then": inner,
            "unevaluatedProperties": inner | st.booleans(),
        }
        return st.fixed_dictionaries({}, optional={**exact, **loose} if unions else exact)

    return st.recursive(leaves, grown, max_leaves=6)


def documents(*, unions: bool = True) -> st.SearchStrategy[Json]:
    leaves: st.SearchStrategy[Json] = TYPE.map(lambda kinds: {"type": kinds})
    if unions:
        leaves |= st.booleans()
    plain = schemas(leaves, unions=unions)
    definitions = st.fixed_dictionaries(
        {
            "x": plain,
            "y": plain,
            "z": plain.filter(lambda s: isinstance(s, dict)).map(lambda s: {**s, "$anchor": "z"}),
        }
    )
    return st.builds(
        lambda schema, defs: {**schema, "$defs": defs} if isinstance(schema, dict) else schema,
        schemas(leaves | REFERENCES, unions=unions),
        definitions,
    )


def breaks(schema: Json, instance: Json) -> bool:
    return any(
        next(broken(contract, instance), None)
        for contract in from_json_schema(schema, "t", "t.json").accepted
    )


@settings(max_examples=300, deadline=None)
@given(documents(), VALUES)
def test_what_breaks_a_clause_the_schema_rejects(schema: Json, instance: Json):
    if breaks(schema, instance):
        assert not jsonschema_rs.is_valid(schema, instance)


@settings(max_examples=80, deadline=None)
@given(documents(unions=False), VALUES)
def test_with_types_fields_and_items_alone_clauses_say_all_that_the_schema_says(schema: Json, instance: Json):
    report = from_json_schema(schema, "t", "t.json")
    # A schema that contradicts itself has no clause to say so.
    assume(not report.refused)
    assert breaks(schema, instance) is not jsonschema_rs.is_valid(schema, instance)


@given(st.text(), st.text())
def test_any_text_can_name_a_field(outer: str, inner: str):
    schema = {"properties": {outer: {"required": [inner], "properties": {inner: {"type": "null"}}}}}
    (contract,) = from_json_schema(schema, "t", "t.json").accepted
    assert [parse(clause.path) for clause in contract.clauses] == [(outer, inner)] * 2
    assert not list(broken(contract, {outer: {inner: None}}))
    assert len(list(broken(contract, {outer: {inner: 1}}))) == 1
    assert len(list(broken(contract, {outer: {}}))) == 1
