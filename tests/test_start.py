"""What is loaded at the start: a time would tell of the machine, the modules tell of the code.

Each module named here takes milliseconds to load, and what is done here does without it.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from outcome_monitors import Call, mine

SLOW = {
    "asyncio",
    "concurrent.futures",
    "difflib",
    "email",
    "fractions",
    "hashlib",
    "http",
    "importlib.metadata",
    "multiprocessing",
    "outcome_monitors.audit",
    "outcome_monitors.console",
    "outcome_monitors.mining",
    "outcome_monitors.reports",
    "outcome_monitors.study",
    "outcome_monitors.upkeep",
    "rich",
    "shutil",
    "ssl",
    "statistics",
    "tempfile",
    "yaml",
}
NOT_FOR_A_MONITOR = SLOW | {"click", "logging", "outcome_monitors.proxy", "sqlite3", "subprocess", "uuid"}
MONITOR = "from outcome_monitors import Monitor, Registry; "
COMMAND = "from outcome_monitors.cli import commands\ntry: commands.main({})\nexcept SystemExit: pass\n"
TOLD = "import json, sys; print(json.dumps(sorted(sys.modules)))"


def loaded(program: str, folder: Path) -> set[str]:
    # -S: what an environment loads for itself, for coverage or an editable package, is not ours; where packages are is told.
    path = json.dumps(sys.path)
    done = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path[:] = {path}\n{program}{TOLD}"],
        capture_output=True,
        stdin=subprocess.DEVNULL,
        text=True,
        cwd=folder,
        check=True,
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    calls = [
        Call("get_order", {"id": f"W{n}"}, {"id": f"W{n}", "total": n + 0.5}, task=f"t{n}") for n in range(9)
    ]
    mine(calls, "full").save(tmp_path / "contracts.json")
    line = {"tool": "get_order", "arguments": {"id": "W9"}, "result": {"id": "W9", "total": 9.5}, "task": "t"}
    (tmp_path / "line.jsonl").write_text(json.dumps(line))
    return tmp_path


def test_a_monitor_that_checks_loads_little(folder):
    program = MONITOR + (
        "monitor = Monitor(Registry.load('contracts.json'));"
        "assert monitor.check('get_order', {'id': 'W9'}, {'id': 'W9', 'total': 9.5}) == ();"
    )
    assert loaded(program, folder) & NOT_FOR_A_MONITOR == set()


def test_a_result_that_breaks_its_contract_is_told_with_as_little(folder):
    program = MONITOR + (
        "monitor = Monitor(Registry.load('contracts.json'));"
        "assert monitor.check('get_order', {'id': 'W9'}, {'id': 'W8', 'total': None});"
    )
    assert loaded(program, folder) & NOT_FOR_A_MONITOR == set()


def test_a_command_loads_what_it_needs(folder):
    program = COMMAND.format(["check", "line.jsonl", "--contracts", "contracts.json"])
    assert loaded(program, folder) & SLOW == set()


@pytest.mark.skipif(sys.platform == "win32", reason="the server is a program of POSIX systems")
def test_a_proxy_on_standard_input_loads_what_it_needs(folder):
    told = ["proxy", "--contracts", "contracts.json", "--events", "none", "--", "cat"]
    assert loaded(COMMAND.format(told), folder) & SLOW == set()
