"""ToolMaze's environment, on a small checkout of the same form."""

import json
import re
from collections import Counter
from contextlib import contextmanager

import pytest

from outcome_monitors.evaluation.faults import SUITES
from outcome_monitors.exceptions import OutcomeMonitorsError, SourceError
from outcome_monitors_study.design import Design
from outcome_monitors_study.environments import environment
from outcome_monitors_study.environments.environment import Cell
from outcome_monitors_study.environments.faults import dealt
from outcome_monitors_study.environments.toolmaze import SYSTEM_PROMPT
from outcome_monitors_study.manifest import freeze
from outcome_monitors_study.run import run
from tests.shared import shared
from tests.study.checkouts import make_toolmaze


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    return make_toolmaze(tmp_path_factory.mktemp("toolmaze"))


@pytest.fixture
def place(checkout):
    return environment({"environment": "toolmaze", "checkout": str(checkout)})


def walk(place, cell, path):
    episode = place.open(cell)
    return [episode.call(tool, {}) for tool in path], episode.judge("done")


def paths_of(place, cell):
    return [path.tools for path in place._tasks[cell.id].paths]


def test_a_clean_task_is_completed_by_its_path_and_by_no_less(place):
    [cell] = place.cells({"C3/P0": 1}, seed=0)
    path = paths_of(place, cell)[0]
    served, verdict = walk(place, cell, path)
    assert verdict.completed
    assert verdict.details["recovery_cost"] == 0.0
    assert [answer.raw["call"] for answer in served] == list(range(1, len(path) + 1))
    assert not walk(place, cell, path[:-1])[1].completed


def test_a_permanent_fault_is_met_by_one_path_and_recovered_by_another(place):
    [cell] = place.cells({"C3/P4": 1}, seed=0)
    first, second, *_ = paths_of(place, cell)
    served, failed = walk(place, cell, first)
    struck = [answer for answer in served if answer.injected]
    assert struck
    assert all(answer.raw != answer.seen for answer in struck)
    assert (failed.completed, failed.details["recovery_cost"]) == (False, 1.0)
    _, recovered = walk(place, cell, (*first, *second))
    assert recovered.completed
    assert 0 < recovered.details["recovery_cost"] < 1


# The incident suite, on its clean tasks.


EIGHT = [fault.name for fault in SUITES["incident"][:8]]


def test_a_study_of_incidents_freezes_who_was_dealt_what(checkout, tmp_path):
    place = {"environment": "toolmaze", "checkout": str(checkout), "suites": ["incident"]}
    study = freeze(
        tmp_path / "trial",
        Design(environment=place, agents=("m",), strata=("C3/P3", "C3/P4"), per_stratum=2, profile="paper"),
    )
    assert all(cell.fault in EIGHT for cell in study.cells)
    assert study.manifest["clean"] == []
    again = environment(study.manifest["environment"])
    assert again.fingerprint(study.cells) == study.manifest["hashes"]["tasks"]
    other = [study.cells[0]._replace(fault="other"), *study.cells[1:]]
    assert again.fingerprint(other) != study.manifest["hashes"]["tasks"]


def test_the_prompt_is_the_papers_word_for_word():
    paper = next(shared("paper").glob("*.txt")).read_text()
    box = paper.partition("identical in baseline and advisory arms)}\n")[2].partition("\\end{promptbox}")[0]
    printed = re.sub(r"\\\\(\[3pt\])?", " ", box).replace("``", '"').replace("''", '"')
    assert printed.split() == SYSTEM_PROMPT.split()


def cells(number):
    return [Cell(f"t{n}/P3", "C3/P3", f"t{n}") for n in range(number)]


def test_faults_are_dealt_evenly():
    counts = Counter(cell.fault for cell in dealt(cells(80), lambda _: list("abcdefgh")))
    assert set(counts.values()) == {10}


def test_cells_with_a_choice_of_faults_balance_those_without():
    fits = {"t0/P3": ["a"], "t1/P3": ["a"], "t2/P3": ["a", "b"], "t3/P3": ["a", "b"]}
    counts = Counter(cell.fault for cell in dealt(cells(4), lambda cell: fits[cell.id]))
    assert counts == {"a": 2, "b": 2}


@pytest.fixture(scope="module")
def frozen(checkout, tmp_path_factory):
    place = {"environment": "toolmaze", "checkout": str(checkout)}
    design = Design(environment=place, agents=("m",), per_stratum=1, profile="paper")
    return freeze(tmp_path_factory.mktemp("frozen") / "trial", design)


@contextmanager
def without(file):
    """Take a file away for a while, and yield what it holds."""
    kept = file.read_text()
    file.unlink()
    yield kept
    file.write_text(kept)


def test_a_plugin_that_is_gone_stops_the_study_with_its_name(frozen, checkout, place):
    tool = place.open(frozen.cells[0]).tools[0]
    refused = pytest.raises(SourceError, match=rf"there is no plugin .*{tool}\.py")
    with without(checkout / "tools" / "plugins" / f"{tool}.py"), refused:
        run(frozen.folder)


def test_descriptions_edited_after_the_freeze_are_refused(frozen, checkout):
    file = checkout / "tools" / "definitions" / "source.yaml"
    with without(file) as text:
        document = json.loads(text)
        document["tools"][0]["paradigms"]["function_call"]["spec"]["description"] = "Never call this."
        file.write_text(json.dumps(document))
        with pytest.raises(
            OutcomeMonitorsError, match="this differs: tools; restore it, or disclose it with"
        ):
            run(frozen.folder)


def test_a_checkout_of_another_revision_is_refused_in_a_sentence(frozen, checkout, place):
    assert "is not the known revision of ToolMaze's tasks" in place.notice()
    level, mode = frozen.cells[0].stratum.split("/")
    tasks = checkout / "data" / "perturbed_tasks" / level.lower()
    file = tasks / f"{frozen.cells[0].task}_{mode}.json"
    with without(file) as text:
        with pytest.raises(OutcomeMonitorsError, match="this differs: tasks; restore it|there is no task"):
            run(frozen.folder)
        file.write_text(json.dumps({**json.loads(text), "user_input": {"query": "Another request."}}))
        with pytest.raises(
            OutcomeMonitorsError, match="this differs: tasks; restore it, or disclose it with"
        ):
            run(frozen.folder)


def test_scripts_are_refused_before_anything_is_frozen(checkout, tmp_path):
    place = {"environment": "toolmaze", "checkout": str(checkout)}
    with pytest.raises(OutcomeMonitorsError, match="name a model for this one"):
        freeze(tmp_path / "trial", Design(environment=place, per_stratum=1))
    assert not (tmp_path / "trial").exists()
