"""AppWorld's form: examples that stand for types. The entries here are our own."""

import json
from pathlib import Path

import pytest

from outcome_monitors.contracts.sources import Refusal, from_appworld, read_appworld
from outcome_monitors.model import Json
from tests.clause_checks import said


def entry(success: Json, api: str = "show_plant", method: str = "GET") -> dict[str, Json]:
    return {
        "app_name": "garden",
        "api_name": api,
        "path": f"/garden/{api}",
        "method": method,
        "description": "Made up for this test.",
        "parameters": [],
        "response_schemas": {"success": success, "failure": {"message": "string"}},
    }


@pytest.mark.parametrize(
    ("example", "expected"),
    [
        ("string", {"": ["string"]}),
        (["string", 1.0], {"": ["array"], "[]": ["number", "string"]}),
        ({"id": 1}, {"": ["object"], "id!": True, "id": ["integer", "null"]}),
        (
            [{"leaves": [{"colour": "string"}], "bed": {}}],
            {
                "": ["array"],
                "[]": ["object"],
                "[].leaves!": True,
                "[].leaves": ["array", "null"],
                "[].leaves[]": ["object"],
                "[].leaves[].colour!": True,
                "[].leaves[].colour": ["null", "string"],
                "[].bed!": True,
                "[].bed": ["null", "object"],
            },
        ),
    ],
)
def test_an_example_shows_fields_and_types(example: Json, expected: dict[str, Json]):
    report = from_appworld([entry(example)], "garden.json")
    assert said(report) == expected
    assert report.accepted[0].tool == "garden__show_plant"
    assert report.refused == ()


def test_only_reads_with_a_success_response_are_candidates():
    silent = {**entry(1, "show_soil"), "response_schemas": {}}
    report = from_appworld([entry(1), entry(1, "dig", "POST"), silent], "garden.json")
    assert (report.candidates, len(report.accepted)) == (1, 1)
    assert report.refused == (
        Refusal("garden__dig", "#/1", "not a read"),
        Refusal("garden__show_soil", "#/2", "has no success response"),
    )


def test_a_folder_is_read_file_by_file(tmp_path: Path):
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "b.json").write_text(json.dumps([entry(1), entry({"a": None}, "show_b")]))
    (folder / "a.json").write_text(json.dumps([entry("string")]))
    report = read_appworld(folder)
    assert (report.source, report.candidates) == ("docs", 3)
    assert [contract.clauses[0].source for contract in report.accepted] == ["schema:a.json", "schema:b.json"]
    assert [refusal.where for refusal in report.refused] == [
        "b.json#/0/response_schemas/success",
        "b.json#/1/response_schemas/success/a",
    ]
