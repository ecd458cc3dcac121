"""The pytest plugin: what is recorded in a test run is mined, and what breaks it fails a test as an assertion does."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from outcome_monitors import mine, read_traces
from tests.places import CORE

TESTS = """
import pytest

ORDERS = {f"W{n}": {"id": f"W{n}", "total": 10.5 + n * n, "status": ("paid", "sent")[n % 2]} for n in range(12)}
CHANGES = {}

@pytest.mark.parametrize("id", ORDERS)
def test_an_order(outcome_contract, id):
    order = {**ORDERS[id], **CHANGES}
    assert outcome_contract(order, tool="get_order", arguments={"id": id}) is order
"""


def run_of(folder: Path, *options: str, old: str = "", new: str = "") -> tuple[int, str]:
    """Run pytest in a process of its own, as users do."""
    (folder / "test_shop.py").write_text(TESTS.replace(old, new), encoding="utf-8")
    (folder / "pytest.ini").touch()
    command = (sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-n", "0", *options, str(folder))
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def contracts(tmp_path: Path) -> str:
    status, output = run_of(tmp_path, "--outcome-record", "traces.jsonl")
    assert status == 0, output
    calls = list(read_traces([tmp_path / "traces.jsonl"]))
    assert len({call.task for call in calls}) == 12
    mine(calls).save(tmp_path / "contracts.json")
    return "contracts.json"


def test_what_a_run_recorded_passes_and_a_wrong_result_fails_as_an_assertion(
    tmp_path: Path, contracts: str
) -> None:
    assert run_of(tmp_path, "--outcome-contracts", contracts)[0] == 0
    status, output = run_of(tmp_path, "--outcome-contracts", contracts, old="{}", new='{"total": -62.5}')
    assert status == 1
    assert "AssertionError: the result of get_order violates its contract" in output
    assert "observed -62.5" in output
    assert "E         total: expected" in output
    # The place is the test's own line, and none of ours.
    assert "test_shop.py:10: AssertionError" in output
    assert "pytest_plugin.py" not in output


def test_contracts_can_stand_in_the_configuration_and_a_name_that_is_mistyped_is_no_success(
    tmp_path: Path, contracts: str
) -> None:
    (tmp_path / "pytest.ini").write_text(f"[pytest]\noutcome_contracts = {contracts}\n", encoding="utf-8")
    assert run_of(tmp_path)[0] == 0
    status, output = run_of(tmp_path, old='="get_order"', new='="get_ordr"')
    assert status == 1
    assert "contracts.json has no contract for get_ordr; it has: get_order" in output


def test_without_contracts_the_built_in_rules_hold_and_a_missing_file_is_one_sentence(tmp_path: Path) -> None:
    assert run_of(tmp_path)[0] == 0
    wrong = '{"error": "upstream returned 503"}'
    status, output = run_of(tmp_path, old="{**ORDERS[id], **CHANGES}", new=wrong)
    assert status == 1
    assert "failure_reported" in output or "explicit_error" in output
    status, output = run_of(tmp_path, "--outcome-contracts", "none.json")
    assert status == 1
    assert "none.json" in output


def test_pytest_finds_it() -> None:
    project = tomllib.loads((CORE.parents[1] / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["entry-points"]["pytest11"] == {
        "outcome-monitors": "outcome_monitors.pytest_plugin"
    }
