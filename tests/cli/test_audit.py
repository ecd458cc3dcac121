"""`audit` from the command line: what it writes and how it ends, of one set of traces and with `--then`."""

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
    assert {one["suite"] for one in document["faults"]} == {"toolmaze", "incident"}


FEW = ("--faults", "toolmaze", "--jobs", "1")


def calls(start: int, tasks: int, **more: object) -> list[Line]:
    return [
        {
            "tool": "get_order",
            "arguments": {"id": f"W{number}"},
            "result": {
                "id": f"W{number}",
                "status": ("sent", "open")[number % 2],
                "total": 5.5 + number % 40,
                **more,
            },
            "task": f"shop/{number}",
        }
        for number in range(start, start + tasks)
    ]


@pytest.fixture
def weeks(write: Write) -> tuple[str, str, str]:
    return (
        write("first.jsonl", calls(0, 80)),
        write("second.jsonl", calls(100, 30, gift=None)),
        write("third.jsonl", calls(200, 30, gift=None)),
    )


def test_it_reports_alerts_changes_and_injected_faults(run: Run, weeks: tuple[str, str, str]) -> None:
    first, *later = weeks
    result = run("audit", first, "--then", *later, *FEW)
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    lines = result.stdout.splitlines()
    assert lines[0].startswith("learned from first.jsonl: ")
    assert lines[1] == "then second.jsonl, third.jsonl: 60 right results of 1 tool, in order, as if live"
    assert any(line.split() == ["as", "they", "are", "60", "100.00%", "0.00%", "0.00%"] for line in lines), (
        result.stdout
    )
    changed = lines[lines.index("what changed:") + 1 :]
    assert changed[0].startswith("  gift of get_order ")
    assert any(line.startswith("wrong results, over 20 draws of faults") for line in lines)
    assert "results with violations, by their odds of being wrong" in result.stdout
    assert lines[-1].startswith("Alerts on right results are within the budget")
    assert sum(line.startswith("  gift of get_order ") for line in lines) == 1


def test_more_alerts_than_the_budget_allows_ends_with_1(run: Run, weeks: tuple[str, str, str]) -> None:
    first, second, _ = weeks
    result = run("audit", first, "--then", second, "--profile", "paper", *FEW)
    assert result.exit_code == 1, result.output
    assert "get_order has 30 of 30, most often unexpected_field (30)" in result.stdout
    assert "what changed: nothing\n" in result.stdout
    assert "by the odds" not in result.stdout
