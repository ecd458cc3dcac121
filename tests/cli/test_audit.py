"""`audit` from the command line: what it writes, how it ends, and what it refuses."""

import json
from pathlib import Path

import pytest

from tests.commandline import Line, Run, Write

QUICK = ("--folds", "2", "--profile", "paper", "--faults", "incident", "--jobs", "1")


@pytest.fixture
def clean(write: Write, orders: list[Line]) -> str:
    """Eighteen clean calls in as many tasks."""
    lines = [
        {**order, "task": f"{order['task']}/{again}", "session": f"{order['task']}/{again}"}
        for order in orders
        for again in range(3)
    ]
    return write("clean.jsonl", lines)


def test_it_says_what_is_caught_what_is_flagged_and_what_to_do(run: Run, clean: str) -> None:
    result = run("audit", clean, *QUICK)
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    first, *rest = result.stdout.splitlines()
    assert first == "clean.jsonl: 18 clean calls of 1 tool in 18 tasks, 2 folds"
    assert rest[0].startswith("clean results flagged: 0 of 18 (0.00%; 95% interval 0.00% to ")
    assert rest[-1].startswith("False alarms are within the budget")
    assert any(line.startswith("incident: mean recall ") for line in rest)
    assert "toolmaze" not in result.stdout
    # The last line is a sentence; all others fit.
    assert max(map(len, rest[:-1])) <= 80


def test_more_flagged_than_the_budget_allows_ends_with_1(run: Run, write: Write) -> None:
    def calls(status: str, tasks: range) -> list[Line]:
        return [
            {"tool": "get_order", "result": {"status": status}, "task": f"{status}/{task}"} for task in tasks
        ]

    lines = [*calls("sent", range(30)), *calls("lost", range(1)), *calls("burnt", range(1))]
    name = write("t.jsonl", lines)
    result = run("audit", name, *QUICK)
    assert result.exit_code == 1, result.output
    told = "False alarms are above the budget: get_order raises 2 of 2, most often unseen_category (2)"
    assert told in result.stdout
    assert run("audit", name, *QUICK, "--budget", "0.1").exit_code == 0


def test_the_files_are_whole_and_do_not_depend_on_jobs(run: Run, clean: str, tmp_path: Path) -> None:
    options = ("--folds", "3", "--faults", "toolmaze,incident")
    assert run("audit", clean, *options, "--jobs", "1", "--json", "one.json").exit_code == 0
    assert run("audit", clean, *options, "--jobs", "2", "--json", "two.json").exit_code == 0
    text = (tmp_path / "one.json").read_text()
    assert text == (tmp_path / "two.json").read_text()
    document = json.loads(text)
    assert document["traces"] == ["clean.jsonl"]
    assert document["settings"] == {
        "folds": 3,
        "faults": ["toolmaze", "incident"],
        "profile": "full",
        "budget": 0.01,
        "limit": 400,
        "dirt": 0.0,
    }
    assert document["curve"] == []
    assert {one["suite"] for one in document["faults"]} == {"toolmaze", "incident"}
