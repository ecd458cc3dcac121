"""`audit --then` from the command line: learn from some files, look at others."""

import json
from pathlib import Path

import pytest

from tests.commandline import Line, Run, Sentence, Write

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


def test_it_says_what_is_told_what_changed_and_what_faults_would_do(
    run: Run, weeks: tuple[str, str, str]
) -> None:
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
    assert lines[-1].startswith("What is told of right results is within the budget")
    assert sum(line.startswith("  gift of get_order ") for line in lines) == 1


def test_files_are_written_and_are_the_same_from_any_number_of_processes(
    run: Run, weeks: tuple[str, str, str], tmp_path: Path
) -> None:
    first, second, _ = weeks
    options = ("audit", first, "--then", second, "--faults", "toolmaze")
    assert run(*options, "--jobs", "1", "--json", "one.json", "--html", "one.html").exit_code == 0
    assert run(*options, "--jobs", "2", "--json", "two.json").exit_code == 0
    text = (tmp_path / "one.json").read_text()
    assert text == (tmp_path / "two.json").read_text()
    document = json.loads(text)
    assert (document["traces"], document["then"]) == (["first.jsonl"], ["second.jsonl"])
    assert document["settings"]["profile"] == "full"
    assert document["right"]["flagged"]["rate"] == 1.0
    assert "by the odds of being wrong" in (tmp_path / "one.html").read_text(encoding="utf-8")


def test_more_told_than_the_budget_allows_ends_with_1(run: Run, weeks: tuple[str, str, str]) -> None:
    first, second, _ = weeks
    result = run("audit", first, "--then", second, "--profile", "paper", *FEW)
    assert result.exit_code == 1, result.output
    assert "get_order has 30 of 30, most often unexpected_field (30)" in result.stdout
    assert "what changed: nothing that broke a clause has become usual\n" in result.stdout
    assert "by the odds" not in result.stdout


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("first.jsonl", "--then", "none.jsonl"), "cannot read none.jsonl"),
        (("--then", "second.jsonl"), "Missing argument 'TRACES...'"),
        (("first.jsonl", "--then", "failed.jsonl"), "no clean calls among the later ones"),
        (
            ("first.jsonl", "--then", "second.jsonl", "--json", "second.jsonl"),
            "it is one of the files to read",
        ),
    ],
)
def test_what_cannot_be_done_is_one_sentence(
    run: Run, write: Write, one_sentence: Sentence, arguments: tuple[str, ...], told: str
) -> None:
    write("first.jsonl", calls(0, 10))
    write("second.jsonl", calls(20, 10))
    write("failed.jsonl", [{**call, "error": True} for call in calls(20, 3)])
    assert told in one_sentence(run("audit", *arguments))
