"""The pre-commit hooks and the GitHub Action do what they say: their own text is run."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from click import Context

from outcome_monitors.cli import commands
from tests.places import CORE, DOCS, ROOT

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The examples, contracts for them, and the command on the path."""
    shutil.copytree(DOCS / "examples", tmp_path, dirs_exist_ok=True)
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "outcome-monitors"
    run = f'PYTHONPATH="{CORE.parent}" exec "{sys.executable}" -m outcome_monitors "$@"'
    program.write_text(f"#!/bin/sh\n{run}\n", encoding="utf-8")
    program.chmod(0o755)
    mined = ("mine", "traces.jsonl", "-o", "contracts.json", "--profile", "paper")
    subprocess.run((program, *mined), cwd=tmp_path, check=True, capture_output=True)
    return tmp_path


def act(folder: Path, **inputs: str) -> tuple[int, str]:
    """Run the action's script with its inputs, and return its exit status and output."""
    action: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    defaults = {name: entry["default"] for name, entry in action["inputs"].items()}
    step = action["runs"]["steps"][-1]
    names = {name: text[len("${{ inputs.") : -len(" }}")] for name, text in step["env"].items()}
    assert set(names.values()) == set(defaults)
    values = {name: inputs.get(key, defaults[key]) for name, key in names.items()}
    output = folder / "outputs"
    output.write_text("", encoding="utf-8")
    done = subprocess.run(
        ("bash", "-e", "-o", "pipefail", "-c", step["run"]),
        cwd=folder,
        env={
            **os.environ,
            **values,
            "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
            "GITHUB_OUTPUT": str(output),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr + output.read_text(encoding="utf-8")


def test_the_action_lints_checks_and_looks_for_drift(folder: Path) -> None:
    status, output = act(folder, contracts="shared.json")
    assert (status, "personal-data" in output) == (1, True)
    status, output = act(folder, command="check", traces="traces.jsonl\ntoday.jsonl\n")
    assert (status, "status=1" in output) == (1, True)
    status, output = act(folder, command="drift", traces="week.jsonl", format="json", report="drift.json")
    assert (status, (folder / "drift.json").read_text(encoding="utf-8")[:1]) == (1, "{")


def test_fail_false_reports_the_status_without_failing(folder: Path) -> None:
    status, output = act(folder, contracts="shared.json", fail="false")
    assert (status, "status=1" in output) == (0, True)
    assert act(folder, contracts="none.json", fail="false")[0] == 2
    assert act(folder, command="mine")[0] == 2


def test_a_report_in_a_folder_that_is_missing_is_written_and_one_that_cannot_be_is_no_success(
    folder: Path,
) -> None:
    inputs = {"contracts": "shared.json", "format": "json", "fail": "false"}
    assert act(folder, report="reports/today/lint.json", **inputs)[0] == 0
    assert "personal-data" in (folder / "reports/today/lint.json").read_text(encoding="utf-8")
    (folder / "taken").write_text("a file", encoding="utf-8")
    assert act(folder, report="taken/lint.json", **inputs)[0] == 2


def test_inputs_of_the_action_are_never_run(folder: Path) -> None:
    status, _ = act(folder, command="check", traces='$(touch pwned) `touch pwned`"; touch pwned; "')
    assert status == 2
    assert not (folder / "pwned").exists()


def test_the_hooks_name_commands_that_are_there(folder: Path) -> None:
    hooks: list[dict[str, Any]] = yaml.safe_load(
        (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    )
    assert [hook["id"] for hook in hooks] == [
        f"outcome-monitors-{name}" for name in ("lint", "check", "drift")
    ]
    for hook in hooks:
        program, command = hook["entry"].split()
        with Context(commands) as context:
            assert commands.get_command(context, command) is not None
        arguments = {
            "lint": ["contracts.json"],
            "check": ["traces.jsonl", "--contracts", "contracts.json"],
            "drift": ["traces.jsonl", "--contracts", "contracts.json"],
        }[command]
        done = subprocess.run(
            (folder / "bin" / program, command, *arguments), cwd=folder, capture_output=True, check=False
        )
        assert done.returncode == (1 if command == "lint" else 0)
