"""What is loaded at the start: a time would tell of the machine, the modules tell of the code.

Each module named here takes milliseconds to load, and what is done here does without it. Of our own modules, each a third of a
millisecond, no more are loaded than stand here; whoever needs more says so here.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from outcome_monitors import Call, Registry, mine
from outcome_monitors.rules import KINDS

SLOW = {
    "asyncio",
    "concurrent.futures",
    "dataclasses",
    "difflib",
    "email",
    "fractions",
    "hashlib",
    "http",
    "importlib.metadata",
    "multiprocessing",
    "outcome_monitors.audit",
    "outcome_monitors.checking.causes",
    "outcome_monitors_server.console",
    "outcome_monitors.contracts.overrides",
    "outcome_monitors.contracts.privacy",
    "outcome_monitors.mining",
    "outcome_monitors.receipts.encoders",
    "outcome_monitors.receipts.finding",
    "outcome_monitors.recovery.tools",
    "outcome_monitors.reports",
    "outcome_monitors_server.storage.copies",
    "outcome_monitors_server.storage.postgres",
    "outcome_monitors_study",
    "outcome_monitors.traces.stores.engines",
    "outcome_monitors.upkeep",
    "outcome_monitors.values.canonical",
    "rich",
    "shutil",
    "socket",
    "ssl",
    "statistics",
    "tempfile",
    "yaml",
}
NOT_FOR_A_MONITOR = SLOW | {
    "click",
    "inspect",
    "logging",
    "outcome_monitors.checking.session",
    "outcome_monitors.memory.past",
    "outcome_monitors.proxy",
    "sqlite3",
    "subprocess",
    "uuid",
}
NOT_TO_IMPORT_ONE = NOT_FOR_A_MONITOR | {
    "datetime",
    "outcome_monitors.checking.compiled",
    "outcome_monitors.contracts",
    "outcome_monitors.evidence.evidence",
    "outcome_monitors.recovery",
    "pathlib",
}
FOR_A_FINDING = {
    "outcome_monitors.checking.causes",
    "outcome_monitors.contracts.privacy",
    "outcome_monitors.values.canonical",
}
MOST = {"import": 30, "monitor": 78, "finding": 97, "command": 106}
"""Modules of ours, for a contract of one small tool."""
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


def ours(modules: set[str]) -> int:
    return sum(name.partition(".")[0] == "outcome_monitors" for name in modules)


def test_to_import_a_monitor_loads_next_to_nothing(folder):
    found = loaded("from outcome_monitors import Monitor;", folder)
    assert found & NOT_TO_IMPORT_ONE == set()
    assert ours(found) <= MOST["import"]


def test_a_monitor_that_checks_loads_little(folder):
    program = MONITOR + (
        "monitor = Monitor(Registry.load('contracts.json'));"
        "assert monitor.check('get_order', {'id': 'W9'}, {'id': 'W9', 'total': 9.5}) == ();"
    )
    found = loaded(program, folder)
    assert found & NOT_FOR_A_MONITOR == set()
    assert ours(found) <= MOST["monitor"]


def test_of_the_kinds_those_are_loaded_that_a_contract_names(folder):
    named = {
        clause.kind for clause in Registry.load(folder / "contracts.json").contracts["get_order"].clauses
    }
    found = loaded(MONITOR + "Registry.load('contracts.json');", folder)
    others = {kind for kind in KINDS if f"outcome_monitors.rules.{kind}" in found} - named
    # A few stand on another one.
    assert len(others) <= 2 < len(named) < len(KINDS) / 2


def test_a_result_that_breaks_its_contract_is_told_with_as_little(folder):
    program = MONITOR + (
        "monitor = Monitor(Registry.load('contracts.json'));"
        "assert monitor.check('get_order', {'id': 'W9'}, {'id': 'W8', 'total': None});"
    )
    found = loaded(program, folder)
    assert found & NOT_FOR_A_MONITOR == FOR_A_FINDING
    assert ours(found) <= MOST["finding"]


def test_a_command_loads_what_it_needs(folder):
    program = COMMAND.format(["check", "line.jsonl", "--contracts", "contracts.json"])
    found = loaded(program, folder)
    assert found & (SLOW | {"logging", "sqlite3"}) == set()
    assert ours(found) <= MOST["command"]
