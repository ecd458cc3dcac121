"""What the tests of the command line share: a run in a folder of its own, and clean calls to learn from."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from outcome_monitors.cli import commands
from tests.commandline import Line, Run, Sentence, Write, runner


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str, stdin: bytes | None = None) -> Result:
        return runner().invoke(commands, arguments, input=stdin, prog_name="outcome-monitors")

    return run


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write lines, as objects or as bytes, to a file of the folder; return its name."""

    def write(name: str, lines: Iterable[Any] | bytes) -> str:
        data = (
            lines if isinstance(lines, bytes) else "".join(json.dumps(line) + "\n" for line in lines).encode()
        )
        (tmp_path / name).write_bytes(data)
        return name

    return write


@pytest.fixture
def orders() -> list[Line]:
    """Six clean calls of one tool, in six tasks."""
    statuses = ("delivered", "pending", "sent", "delivered", "pending", "sent")
    return [
        {
            "tool": "get_order",
            "arguments": {"id": f"W{number}"},
            "result": {"id": f"W{number}", "status": status, "total": 10.5 + number * number},
            "task": f"retail/{number}",
            "tools": ["get_order", "find_order"],
        }
        for number, status in enumerate(statuses)
    ]


@pytest.fixture
def contracts(run: Run, write: Write, orders: list[Line]) -> str:
    """The contract file learned from the clean calls."""
    result = run("mine", write("clean.jsonl", orders), "-o", "contracts.json", "--profile", "paper")
    assert result.exit_code == 0, result.output
    return "contracts.json"


@pytest.fixture
def one_sentence() -> Sentence:
    """Assert that a command could not do its work and said so in one sentence; return it."""

    def sentence(result: Result) -> str:
        assert result.exit_code == 2, result.output
        assert result.stderr.startswith("error: ")
        assert result.stderr.count("\n") == 1
        assert "Traceback" not in result.stderr
        return result.stderr.removeprefix("error: ").rstrip("\n")

    return sentence
