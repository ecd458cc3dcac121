"""The environments against the benchmarks themselves, where their checkouts are: OUTCOME_MONITORS_CHECKOUTS names a folder of them.

`tau-bench` is a clone of sierra-research/tau-bench, `toolmaze` what `study fetch toolmaze` makes, `appworld` AppWorld's root with its
server at http://127.0.0.1:8000. tau2-bench is looked at where it is installed.
"""

import copy
import hashlib
import json
import os
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from outcome_monitors_study.detector import audit_detector
from outcome_monitors_study.environments import environment
from outcome_monitors_study.environments.tau.checkout import TauCheckout
from outcome_monitors_study.environments.tau.records import Records, failed
from outcome_monitors_study.environments.tau.tools import call
from outcome_monitors_study.world.toolmaze import load_tasks


def checkout(name: str) -> Path:
    """Return a benchmark's folder; skip where it isn't here."""
    folder = Path(os.environ.get("OUTCOME_MONITORS_CHECKOUTS", "nowhere")) / name
    if not folder.is_dir():
        pytest.skip(
            f"there is no checkout {folder} (set OUTCOME_MONITORS_CHECKOUTS to the folder of checkouts)"
        )
    return folder


def alike(ours, theirs) -> bool:
    """Say whether two results are the same; of refusals the words may differ."""
    theirs = theirs if not isinstance(theirs, str) else _parsed(theirs)
    return ours == theirs or (failed(ours) and failed(theirs))


def _parsed(text):
    try:
        return json.loads(text)
    except ValueError:
        return text


@pytest.fixture
def tau_tools(monkeypatch):
    """Load tau-bench's own retail tools, without the rest of its package, which asks for clients of models."""
    root = checkout("tau-bench") / "tau_bench"
    for name, folder in (
        ("tau_bench", root),
        ("tau_bench.envs", root / "envs"),
        ("tau_bench.envs.retail", root / "envs" / "retail"),
    ):
        package = ModuleType(name)
        package.__path__ = [str(folder)]
        monkeypatch.setitem(sys.modules, name, package)
    found = import_module("tau_bench.envs.retail.tools").ALL_TOOLS
    yield {tool.get_info()["function"]["name"]: tool for tool in found}
    for name in [name for name in sys.modules if name.startswith("tau_bench")]:
        del sys.modules[name]


@pytest.mark.parametrize("split", ["train", "dev", "test"])
def test_every_gold_call_of_tau_bench_is_answered_as_by_its_own_tools(tau_tools, split):
    place = TauCheckout(checkout("tau-bench"))
    differing, made = [], 0
    for task in place.tasks(split):
        data, records = copy.deepcopy(place.tables), Records(place.tables)
        for tool, arguments in task.actions:
            try:
                theirs = tau_tools[tool].invoke(data=data, **copy.deepcopy(dict(arguments)))
            except Exception as error:  # noqa: BLE001 - as its environment answers
                theirs = f"Error: {error}"
            made += 1
            if not alike(call(records, tool, arguments), theirs):
                differing.append((task.name, tool))
    assert made
    assert differing == []


def test_gold_calls_of_tau2_bench_are_answered_as_by_its_own_tools():
    """The second version words some refusals and one calculation otherwise: five of 550 calls differ at the known commit."""
    retail = pytest.importorskip("tau2.domains.retail.environment", reason="tau2-bench is not installed")
    differing, made = [], 0
    for task in retail.get_tasks():
        theirs = retail.get_environment()
        records = Records(theirs.tools.db.model_dump())
        for action in task.evaluation_criteria.actions or []:
            try:
                answer = theirs.use_tool(action.name, **action.arguments)
                answer = answer.model_dump() if hasattr(answer, "model_dump") else answer
            except Exception as error:  # noqa: BLE001 - whatever its tools raise
                answer = f"Error: {error}"
            made += 1
            if not alike(call(records, action.name, action.arguments), answer):
                differing.append((task.id, action.name))
    assert len(differing) <= made // 100, differing


def test_toolmaze_is_read_whole():
    folder = checkout("toolmaze") / "data" / "perturbed_tasks"
    taken = hashlib.sha256()
    for file in sorted(folder.rglob("*.json"), key=lambda file: file.relative_to(folder).as_posix()):
        taken.update(file.read_bytes())
    assert taken.hexdigest() == "9fcd7d7ec3c06afcee098877cca1ae8c29b87a1102be4b365a1055f824a76bc8"
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
