"""MCP: output schemas of a `tools/list` result."""

import json
from pathlib import Path

from outcome_monitors.contracts.sources import Refusal, from_mcp_tools, read_mcp_tools
from tests.clause_checks import said

TOOLS = [
    {
        "name": "get_stock",
        "description": "The last price of a share.",
        "inputSchema": {"type": "object", "properties": {"symbol": {"type": "string"}}},
        "outputSchema": {
            "type": "object",
            "required": ["price"],
            "properties": {"price": {"$ref": "#/$defs/Money"}},
            "$defs": {"Money": {"type": "number", "exclusiveMinimum": 0}},
        },
        "annotations": {"readOnlyHint": True},
    },
    {"name": "note", "inputSchema": {"type": "object"}},
]


def test_references_are_those_of_the_tool(tmp_path: Path):
    file = tmp_path / "tools.json"
    file.write_text(json.dumps({"tools": TOOLS}))
    report = read_mcp_tools(file)
    assert said(report) == {"": ["object"], "price!": True, "price": ["number"]}
    assert report.accepted[0].tool == "get_stock"
    assert {clause.source for clause in report.accepted[0].clauses} == {"schema:tools.json"}
    assert (report.source, report.candidates, report.unused) == ("tools.json", 1, {})
    assert report.refused == (Refusal("note", "#/tools/1", "has no `outputSchema`"),)


def test_tools_without_a_name_and_pages_that_follow_are_reported():
    tools = [3, {"outputSchema": {}}, {"name": 4}, {"name": "a", "outputSchema": None}]
    report = from_mcp_tools({"tools": tools, "nextCursor": "x"}, "tools.json")
    assert (report.candidates, report.accepted) == (1, ())
    assert [(refusal.tool, refusal.where) for refusal in report.refused] == [
        ("", "#/nextCursor"),
        ("", "#/tools/0"),
        ("", "#/tools/1"),
        ("", "#/tools/2"),
        ("a", "#/tools/3/outputSchema"),
        ("a", "#/tools/3/outputSchema"),
    ]
