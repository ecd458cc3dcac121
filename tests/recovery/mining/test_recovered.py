"""Receipts beside the calls that got the right thing after a silent failure."""

import gzip
import json
from importlib import resources

import pytest
from click.testing import CliRunner

from bench.recovered import main, names_what_worked
from outcome_monitors import Call
from tests.places import DOCS
from tests.shared import shared

FAILED = Call("fetch", {"url": "https://a.example", "raw": True}, "Loading...")


@pytest.mark.parametrize(
    ("worked", "arguments", "why", "named"),
    [
        ({"tool": "read"}, None, "", False),
        ({"tool": "fetch"}, None, "the same call again", False),
        ({"tool": "fetch", "changed": ["url"]}, {"url": "https://a.example", "raw": True}, "again", False),
        ({"tool": "fetch", "changed": ["url"]}, None, "the same with another `url`", True),
        ({"tool": "fetch", "changed": ["raw"]}, {"url": "https://a.example"}, "without", True),
    ],
)
def test_the_tool_that_failed_counts_where_the_argument_to_change_is_named(worked, arguments, why, named):
    assert names_what_worked(FAILED, [{"tool": "fetch", "arguments": arguments, "why": why}], worked) is named


def test_the_page_shows_how_many_calls_that_worked_are_named(tmp_path):
    calls = tmp_path / "calls.jsonl"
    calls.write_bytes(gzip.decompress(shared("data/organic/livemcp.jsonl.gz").read_bytes()))
    labels = resources.files("outcome_monitors_study") / "livemcp_recoveries.jsonl"
    tools = shared("data/mcp/tools.json")
    printed = CliRunner().invoke(main, [str(calls), str(labels), str(tools)]).output
    page = (DOCS / "reference" / "failures-in-the-wild.md").read_text(encoding="utf-8")
    rows = [line.split("  ") for line in printed.splitlines() if " of " in line and "%" in line]
    found = [[cell.strip() for cell in row if cell.strip()] for row in rows]
    assert len(found) == 4
    assert [row for row in found if f"| {' | '.join(row)} |" not in page] == []


def test_every_label_names_a_tool_that_worked_and_where_that_is_known():
    text = (resources.files("outcome_monitors_study") / "livemcp_recoveries.jsonl").read_text()
    labels = [json.loads(line) for line in text.splitlines()]
    assert len(labels) == 73
    worked = [one for label in labels for one in label["worked"]]
    assert {one["from"] for one in worked} == {"session", "definitions"}
    assert sum(any(one["from"] == "session" for one in label["worked"]) for label in labels) == 20
