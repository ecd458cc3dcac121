"""A run that is killed at any moment, again and again, ends in the ledger and the figures of one that was not."""

import json
import random
import shutil
import signal
import subprocess
import sys
import textwrap
import time

import pytest

from outcome_monitors_study._ledger import read_ledger
from outcome_monitors_study.analysis import analyse, as_json
from outcome_monitors_study.manifest import Design, freeze, load
from outcome_monitors_study.run import run

WORLD = {"environment": "world", "workflows": 16, "seed": 0, "suites": ["toolmaze"]}
STRATA = ("C3/P3", "C4/P4", "C3/P0")

MODELS = textwrap.dedent(
    """
    import sys
    from pathlib import Path
    from inspect_ai.model import ModelOutput, ModelUsage, get_model
    from outcome_monitors_study.run import Effort, run

    def answer(messages, tools, choice, config):
        called = sum(message.role == "tool" for message in messages)
        if called < 2:
            output = ModelOutput.for_tool_call("mockllm/model", tools[called].name, {"nonsense": called})
        else:
            output = ModelOutput.from_content("mockllm/model", "done")
        output.usage = ModelUsage(input_tokens=1000, output_tokens=100, total_tokens=1100)
        return output

    model = get_model("mockllm/model", custom_outputs=answer)
    run(Path(sys.argv[1]), effort=Effort(concurrency=int(sys.argv[2])), models={"mockllm/model": model})
    """
)


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


@pytest.mark.parametrize("concurrency", [1, 3])
def test_killed_runs_of_models_resume_to_the_same_ledger(tmp_path, concurrency):
    pytest.importorskip("inspect_ai", reason="the extra `study` is not installed")
    whole = tmp_path / "whole"
    prices = {"mockllm/model": {"input": 1.0, "output": 2.0, "date": "2026-11-01"}}
    freeze(
        whole,
        Design(
            environment=WORLD,
            agents=("mockllm/model", "scripted-naive"),
            arms=("baseline", "advisory-v2", "always-warn"),
            strata=STRATA,
            per_stratum=2,
            profile="paper",
            settings={"prices": prices},
        ),
    )
    folder = shutil.copytree(whole, tmp_path / "killed")
    program = tmp_path / "models.py"
    program.write_text(MODELS)
    subprocess.run([sys.executable, str(program), str(whole), "1"], check=True, capture_output=True)
    command = [sys.executable, str(program), str(folder), str(concurrency)]
    killed_and_resumed(command, folder, kills=2, rng=random.Random(concurrency))
    one, other = (place / "ledger.jsonl" for place in (whole, folder))
    # Several at once end in any order; one after the other, in the same.
    order = sorted if concurrency > 1 else list
    assert order(one.read_bytes().splitlines()) == order(other.read_bytes().splitlines())
    assert len(read_ledger(other)) == 2 * 3 * 2 * 3
    assert json.dumps(_figures(whole)) == json.dumps(_figures(folder))
    _logs_are_whole(folder, kills=2, at_once=concurrency)


def _logs_are_whole(folder, kills, at_once):
    """Every log can be read; together they lack at most the conversations that ended at the moment of a kill."""
    inspect_log = pytest.importorskip("inspect_ai.log")
    logs = [inspect_log.read_eval_log(str(file)) for file in sorted((folder / "logs").glob("*.eval"))]
    *cut, last = logs
    assert last.status == "success"
    assert all(log.status == "started" for log in cut)
    kept = {sample.id for log in logs for sample in log.samples or ()}
    models = {record["episode"] for record in read_ledger(folder / "ledger.jsonl") if not record["scripted"]}
    assert kept <= models
    assert len(models - kept) <= kills * at_once
