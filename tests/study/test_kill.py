"""A run that is killed at any moment, again and again, ends in the ledger and the figures of one that was not."""

import random
import shutil
import signal
import subprocess
import sys
import time

import pytest

from outcome_monitors_study.analysis import analyse, as_json
from outcome_monitors_study.manifest import Design, freeze, load
from outcome_monitors_study.run import run

WORLD = {"environment": "world", "workflows": 16, "seed": 0, "suites": ["toolmaze"]}
STRATA = ("C3/P3", "C4/P4", "C3/P0")


def killed_and_resumed(command, folder, kills, rng):
    """Kill a run `kills` times, each time a moment after its ledger has grown, then let it end."""
    ledger = folder / "ledger.jsonl"
    for _ in range(kills):
        before = ledger.stat().st_size if ledger.exists() else 0
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            while process.poll() is None and (not ledger.exists() or ledger.stat().st_size == before):
                time.sleep(0.002)
            time.sleep(rng.random() * 0.05)
            process.send_signal(signal.SIGKILL)
    subprocess.run(command, check=True, capture_output=True)


@pytest.fixture(scope="module")
def scripted(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kill") / "whole"
    arms = ("baseline", "advisory-v2", "always-verify")
    freeze(folder, Design(environment=WORLD, arms=arms, strata=STRATA, per_stratum=2, profile="paper"))
    return folder


def _figures(folder):
    """Return what a study gives, but for the name of its folder."""
    found = as_json(analyse(load(folder)))
    assert found["study"].pop("study") == folder.name
    return found


def test_killed_runs_of_scripts_resume_to_the_same_ledger(scripted, tmp_path):
    folder = shutil.copytree(scripted, tmp_path / "killed")
    run(scripted)
    command = [sys.executable, "-m", "outcome_monitors", "study", "run", str(folder)]
    killed_and_resumed(command, folder, kills=4, rng=random.Random(7))
    assert (folder / "ledger.jsonl").read_bytes() == (scripted / "ledger.jsonl").read_bytes()
    assert _figures(folder) == _figures(scripted)
