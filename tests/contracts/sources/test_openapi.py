"""OpenAPI: which operations are read, and which of their responses."""

import json

import pytest

from outcome_monitors.contracts.sources import Report, from_openapi, read_openapi
from outcome_monitors.exceptions import SourceError
from outcome_monitors.model import Json
from tests.clause_checks import said
from tests.places import FIXTURES

LIBRARY = FIXTURES / "openapi" / "library.yaml"


def answering(responses: Json, version: str = "3.1.0") -> Report:
    return from_openapi({"openapi": version, "paths": {"/a": {"get": {"responses": responses}}}}, "api.json")


def holding(schema: Json) -> Json:
    return {"content": {"application/json": {"schema": schema}}}


def reasons(report: Report) -> dict[str, str]:
    return {refusal.where: refusal.why for refusal in report.refused}


def test_the_library_as_a_whole(golden):
    report = read_openapi(LIBRARY)
    lines = [f"{report.source}: {report.candidates} candidates, {len(report.accepted)} accepted", ""]
    for contract in report.accepted:
        lines.append(contract.tool)
        lines += [
            f"  {c.kind} {c.path or '(root)'} {' '.join(c.params.get('kinds', []))}".rstrip()
            for c in contract.clauses
        ]
    lines += ["", *(f"{r.tool} | {r.where} | {r.why}" for r in report.refused), "", json.dumps(report.unused)]
    golden("openapi_library.txt", "\n".join(lines) + "\n")


@pytest.mark.parametrize(
    ("codes", "chosen"),
    [(("200", "201", "default"), "200"), (("2XX", "404"), "2XX"), (("2xx", "299"), "299")],
)
def test_the_success_response(codes: tuple[str | int, ...], chosen: str):
    kinds = {"200": "string", "203": "null", "2XX": "array", "299": "object"}
    report = answering({code: holding({"type": kinds.get(str(code), "boolean")}) for code in codes})
    assert said(report) == {"": [kinds[chosen]]}
    others = [str(c).upper() for c in codes if str(c).startswith("2") and str(c) != chosen]
    assert list(reasons(report)) == [f"#/paths/~1a/get/responses/{code}" for code in others]


@pytest.mark.parametrize(
    ("responses", "why"),
    [
        ({"default": holding({})}, "only a `default` response, which may be an error"),
        ({"404": holding({})}, "no success response"),
        (None, "has no `responses`"),
        ({"200": {}}, "has no content"),
        ({"200": {"content": {"text/plain": {"schema": {}}}}}, "has no JSON content with a schema"),
        ({"200": {"$ref": "#/nowhere"}}, "#/nowhere points to nothing"),
        ({"200": {"$ref": "#/paths/~1a/get/responses/200"}}, "a loop of `$ref`"),
    ],
)
def test_operations_without_a_schema_are_no_candidates(responses: Json, why: str):
    report = answering(responses)
    assert report.candidates == 0
    assert [refusal.why for refusal in report.refused] == [why]
    assert report.refused[0].tool == "GET /a"


def test_json_with_a_suffix_stands_in_for_plain_json():
    content = {"application/vnd.a+json": {"schema": {"type": "null"}}, "text/html": {}}
    assert said(answering({"200": {"content": content}})) == {"": ["null"]}
    content["Application/JSON; charset=utf-8"] = {"schema": {"type": "string"}}
    assert said(answering({"200": {"content": content}})) == {"": ["string"]}


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"swagger": "2.0", "paths": {}}, r"api\.json is Swagger 2\.0; convert it to OpenAPI 3 first"),
        ({"openapi": "4.0"}, r"api\.json is not an OpenAPI 3 document: its `openapi` is '4\.0'"),
        ({}, r"api\.json is not an OpenAPI 3 document: it has no `openapi`"),
        ({"openapi": "3.1.0", "paths": []}, r"api\.json: `paths` must be an object"),
    ],
)
def test_documents_of_another_kind(document: Json, message: str):
    with pytest.raises(SourceError, match=message):
        from_openapi(document, "api.json")


def test_keywords_beside_a_reference_count_from_3_1_on():
    schema = {"$ref": "#/paths/~1a/get/responses/200/content/x", "type": "null"}
    response = {**holding(schema)}
    response["content"]["x"] = {"type": ["null", "string"]}
    assert said(answering({"200": response})) == {"": ["null"]}
    assert said(answering({"200": response}, "3.0.3")) == {"": ["null", "string"]}
