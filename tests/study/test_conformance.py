"""The environments against the benchmarks themselves, where their checkouts are: OUTCOME_MONITORS_CHECKOUTS names a folder of them.

`tau-bench` is a clone of sierra-research/tau-bench, `toolmaze` what `study fetch toolmaze` makes, `appworld` AppWorld's root with its
server at http://127.0.0.1:8000. tau2-bench is looked at where it is installed. OUTCOME_MONITORS_APPWORLD is the command of an AppWorld
from PyPI: its server is started without any data.
"""

import os
import socket
import subprocess
import time
from pathlib import Path

import pytest

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors_study.detector import audit_detector
from outcome_monitors_study.environments import environment
from outcome_monitors_study.environments.appworld import AppWorldServer
from outcome_monitors_study.environments.environment import Cell
from outcome_monitors_study.environments.tau import TauRetailEnvironment
from outcome_monitors_study.environments.tau.checkout import TauCheckout, failed, parsed
from outcome_monitors_study.world.toolmaze import load_tasks


def checkout(name: str) -> Path:
    """Return a benchmark's folder; skip where it isn't here."""
    folder = Path(os.environ.get("OUTCOME_MONITORS_CHECKOUTS", "nowhere")) / name
    if not folder.is_dir():
        pytest.skip(
            f"there is no checkout {folder} (set OUTCOME_MONITORS_CHECKOUTS to the folder of checkouts)"
        )
    return folder


@pytest.mark.parametrize("split", ["train", "dev", "test"])
def test_tasks_of_tau_bench_are_completed_by_their_gold_calls(split):
    """Its own tools answer, so that what can differ is how tasks are read, how records are kept, and how they are judged."""
    place = environment({"environment": "tau-retail", "checkout": str(checkout("tau-bench")), "split": split})
    assert isinstance(place, TauRetailEnvironment)
    made = 0
    for name, task in place._tasks.items():
        episode = place.open(Cell(f"{name}/clean", "clean", name))
        for step in task.actions:
            assert step.tool in episode.tools
            episode.call(*step)
            made += 1
        episode.reply(f"Done: {', '.join(task.outputs)}.", None)
        assert episode.judge("").completed, name
    assert made


def test_gold_calls_of_tau2_bench_are_answered_as_by_tau_benchs_tools():
    """The second version words some refusals and one calculation otherwise: five of 550 calls differ at the known commit."""
    retail = pytest.importorskip("tau2.domains.retail.environment", reason="tau2-bench is not installed")
    ours, differing, made = TauCheckout(checkout("tau-bench")), [], 0
    for task in retail.get_tasks():
        theirs = retail.get_environment()
        tables = theirs.tools.db.model_dump()
        for action in task.evaluation_criteria.actions or []:
            try:
                answer = theirs.use_tool(action.name, **action.arguments)
                answer = answer.model_dump() if hasattr(answer, "model_dump") else answer
            except Exception as error:  # noqa: BLE001 - whatever its tools raise
                answer = f"Error: {error}"
            made += 1
            answer = parsed(answer) if isinstance(answer, str) else answer
            found = ours.call(tables, action.name, action.arguments)
            if found != answer and not (failed(found) and failed(answer)):
                differing.append((task.id, action.name))
    assert len(differing) <= made // 100, differing


def test_toolmaze_is_read_whole():
    root = checkout("toolmaze")
    assert environment({"environment": "toolmaze", "checkout": str(root)}).notice() == ""
    folder = root / "data" / "perturbed_tasks"
    tasks = list(load_tasks(folder))
    assert len(tasks) == 2000
    construction = audit_detector(tasks).construction
    assert construction is not None
    assert (construction.workflows, construction.inputs) == (400, 1800)


def test_a_clean_episode_of_appworld_begins_calls_and_is_judged():
    place = environment({"environment": "appworld", "checkout": str(checkout("appworld"))})
    [cell] = place.cells({"clean": 1}, seed=0)
    episode = place.open(cell)
    served = episode.call("supervisor__show_profile", {})
    assert not served.failed
    assert served.raw["email"] in episode.query
    assert episode.judge("").completed is False


def test_appworlds_server_takes_the_requests_that_are_sent(tmp_path):
    """Without data it fails in each of them, by itself: a form that it did not know would be refused as unprocessable."""
    command = os.environ.get("OUTCOME_MONITORS_APPWORLD")
    if not command:
        pytest.skip("AppWorld is not installed (set OUTCOME_MONITORS_APPWORLD to its command)")
    (tmp_path / "data").mkdir()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    serve = [command, "serve", "environment", "--root", str(tmp_path), "--port", str(port)]
    process = subprocess.Popen(serve, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    server = AppWorldServer(f"http://127.0.0.1:{port}")
    try:
        for request in (
            lambda: server.start(None, "82e2fac_1"),
            lambda: server.execute(None, "82e2fac_1", "print(1)"),
            lambda: server.evaluate(None, "82e2fac_1"),
        ):
            assert "failed: 500 Internal Server Error" in refusal(request)
    finally:
        process.terminate()
        process.wait()


def refusal(request, patience=60.0):
    """Return what a server that may still be starting says no with."""
    end = time.monotonic() + patience
    while True:
        with pytest.raises(OutcomeMonitorsError) as refused:
            request()
        if "does not answer" not in str(refused.value) or time.monotonic() > end:
            return str(refused.value)
        time.sleep(0.5)
