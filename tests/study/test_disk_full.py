"""A disk that is full ends a run in a sentence, and costs no episode that was finished."""

import shutil
import subprocess
import sys

import pytest

from outcome_monitors_study._ledger import read_ledger
from outcome_monitors_study.manifest import Design, freeze
from outcome_monitors_study.run import run
from tests.commandline import unmeasured

DESIGN = Design(
    environment={"environment": "world", "workflows": 16, "seed": 0, "suites": ["toolmaze"]},
    strata=("C3/P4", "C4/P4"),
    per_stratum=2,
    profile="paper",
)
LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), resource.RLIM_INFINITY))
sys.argv = ["outcome-monitors", "study", "run", sys.argv[2]]
from outcome_monitors.cli import main
main()
"""


@pytest.fixture(scope="module")
def frozen(tmp_path_factory):
    folder = tmp_path_factory.mktemp("full") / "frozen"
    freeze(folder, DESIGN)
    return folder


def test_a_full_disk_ends_the_run_and_a_later_one_resumes(frozen, tmp_path):
    pytest.importorskip("resource", reason="only POSIX limits the size of files")
    whole = shutil.copytree(frozen, tmp_path / "whole")
    run(whole)
    folder = shutil.copytree(frozen, tmp_path / "full")
    size = (whole / "ledger.jsonl").stat().st_size
    command = [sys.executable, "-c", LIMITED, str(size // 2), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=unmeasured())
    assert done.returncode == 2
    assert "finished episodes are kept, run it again" in done.stderr
    assert "Traceback" not in done.stderr
    assert 0 < len(read_ledger(folder / "ledger.jsonl")) < len(read_ledger(whole / "ledger.jsonl"))
    run(folder)
    assert (folder / "ledger.jsonl").read_bytes() == (whole / "ledger.jsonl").read_bytes()
