"""What a program loads that only checks results: nothing that mines, nothing that stores, nothing beside the standard library."""

import json
import subprocess
import sys

import pytest

NOT_FOR_A_CHECK = {
    "click",
    "outcome_monitors.cli",
    "outcome_monitors.events",
    "outcome_monitors.mining",
    "outcome_monitors.study",
    "rich",
    "sqlite3",
}


@pytest.fixture(scope="module")
def loaded() -> set[str]:
    program = (
        "import json, sys; before = set(sys.modules)\n"
        "from outcome_monitors import Monitor, Registry, Session\n"
        "print(json.dumps(sorted(set(sys.modules) - before)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout))


def test_a_monitor_is_imported_without_mining_commands_or_a_database(loaded):
    assert "outcome_monitors.checking.monitor" in loaded
    assert loaded & NOT_FOR_A_CHECK == set()
