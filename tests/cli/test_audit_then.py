"""`audit --then` from the command line: learn from some files, look at others."""

import pytest

from tests.commandline import Line, Run, Write

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
    assert "by the odds of being wrong that they are given" in result.stdout
    assert lines[-1].startswith("Alerts on right results are within the budget")
    assert sum(line.startswith("  gift of get_order ") for line in lines) == 1


def test_more_alerts_than_the_budget_allows_ends_with_1(run: Run, weeks: tuple[str, str, str]) -> None:
    first, second, _ = weeks
    result = run("audit", first, "--then", second, "--profile", "paper", *FEW)
    assert result.exit_code == 1, result.output
    assert "get_order has 30 of 30, most often unexpected_field (30)" in result.stdout
    assert "what changed: nothing that broke a clause has become usual\n" in result.stdout
    assert "by the odds" not in result.stdout
