"""ToolMaze's task form: read, written, exported, and injected by first touch."""

import json

import pytest
from hypothesis import given, strategies as st

from outcome_monitors.evaluation.faults import SUITES, Corpus
from outcome_monitors.exceptions import SourceError
from outcome_monitors_study.world import nominal_traces, workflows
from outcome_monitors_study.world.toolmaze import (
    FirstTouch,
    Task,
    TaskPath,
    TaskStep,
    load_task,
    load_tasks,
    task_from_json,
    task_to_json,
)
from outcome_monitors_study.world.toolmaze_export import as_task
from tests.strategies import json_values
from tests.study.checkouts import dump_task


def _step(number, tool, output, *, hit=False):
    return TaskStep(number, tool, {"n": number}, output, "success", hit)


def _path(name, choices, *steps):
    return TaskPath(name, tuple(step.tool_name for step in steps), choices, steps)


def _task(complexity, mode, *paths):
    head = ("T", complexity, mode, {"query": "Do it."})
    if complexity == "C1":
        return Task(*head, execution_trace=paths[0].execution_trace)
    return Task(*head, valid_paths=paths)


SMALL = Task(
    "C2_task_007",
    "C2",
    "P3",
    {"query": "What is the balance?"},
    valid_paths=(
        _path("path_1", ("g1:0",), _step(1, "find", {"id": 7}), _step(2, "read", {"balance": -3}, hit=True)),
        _path("path_2", ("g1:1",), _step(1, "find", {"id": 7}), _step(2, "peek", {"funds": 0}, hit=True)),
    ),
    perturbation_point=1,
    extra={"template_id": "tpl_9", "domains": ["Financial"]},
)


@pytest.fixture(scope="module")
def made():
    return list(workflows(80, 0))


@pytest.fixture(scope="module")
def corpus():
    return Corpus.of(nominal_traces(40, 0))


def test_the_file_form(golden, tmp_path):
    dump_task(SMALL, tmp_path / "task.json")
    golden("toolmaze/C2_task_007_P3.json", (tmp_path / "task.json").read_text(encoding="utf-8"))
    assert load_task(tmp_path / "task.json") == SMALL
    assert SMALL.alternative_tools == {"read", "peek"}
    assert SMALL.query == "What is the balance?"


@pytest.mark.parametrize("mode", ["P0", "P1", "P2", "P3", "P4"])
def test_exported_workflows_survive_the_round_trip(made, corpus, tmp_path, mode):
    exported = [as_task(workflow, mode, SUITES["toolmaze"], corpus) for workflow in made[:24]]
    tasks = [task for task in exported if task is not None]
    assert len(tasks) > 16
    for task in tasks:
        dump_task(task, tmp_path / f"{task.task_id}_{mode}.json")
    read = list(load_tasks(tmp_path))
    assert sorted(read, key=lambda t: t.task_id) == sorted(tasks, key=lambda t: t.task_id)
    assert [task_from_json(task_to_json(task)) for task in tasks] == tasks


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"task_id": 7}, "`task_id` is not a text"),
        ({"complexity": "C9"}, "`complexity` is 'C9', not one of C1, C2, C3, C4"),
        ({"valid_paths": None}, "`execution_trace` and `valid_paths` are both missing or empty"),
        ({"valid_paths": [{"tools": [1]}]}, "`valid_paths[0].tools` is not a list of texts"),
        (
            {"valid_paths": [{"execution_trace": [{"tool_name": "a", "output": 1}, {"tool_name": "b"}]}]},
            "`valid_paths[0].execution_trace[1].output` is missing",
        ),
    ],
)
def test_a_wrong_file_is_named_with_its_field(tmp_path, change, said):
    path = tmp_path / "broken.json"
    path.write_text(json.dumps({**task_to_json(SMALL), **change}))
    with pytest.raises(SourceError) as error:
        load_task(path)
    assert str(path) in str(error.value)
    assert said in str(error.value)


@given(st.dictionaries(st.sampled_from([*task_to_json(SMALL), "execution_trace"]), json_values))
def test_a_task_with_odd_fields_is_a_task_or_a_source_error(odd):
    try:
        task = task_from_json({**task_to_json(SMALL), **odd})
    except SourceError:
        return
    assert task_from_json(task_to_json(task)) == task


def _seen(task, *tools):
    injected = FirstTouch(task, lambda tool, _: {"true": tool})
    return [injected(tool, {}) for tool in tools], injected


def test_c1_injects_at_the_marked_step():
    path = _path("p", (), _step(1, "a", {}), _step(2, "b", {"bad": 1}, hit=True))
    seen, injected = _seen(_task("C1", "P3", path), "a", "b", "b")
    assert seen == [{"true": "a"}, {"bad": 1}, {"true": "b"}]
    assert injected.hits == ["b"]
    assert _seen(_task("C1", "P4", path), "a", "b", "b")[0] == [{"true": "a"}, {"bad": 1}, {"bad": 1}]
    assert _seen(_task("C1", "P0", path), "b")[0] == [{"true": "b"}]


def test_c2_and_c3_inject_on_the_path_of_the_first_alternative_called():
    one = _path("1", ("g:0",), _step(1, "s", {}), _step(2, "a", {"bad": "a"}, hit=True))
    two = _path("2", ("g:1",), _step(1, "s", {}), _step(2, "b", {}), _step(3, "c", {"bad": "c"}, hit=True))
    for complexity in ("C2", "C3"):
        task = _task(complexity, "P4", one, two)
        assert _seen(task, "s", "a", "b", "c", "a")[1].hits == ["a", "a"]
        assert _seen(task, "s", "b", "c", "a", "c")[1].hits == ["c", "c"]
        assert _seen(_task(complexity, "P3", one, two), "b", "c", "c", "a")[1].hits == ["c"]


def test_c4_injects_slot_by_slot():
    def path(name, first, second):
        one = [_step(1, first, {"bad": first}, hit=True)]
        return _path(name, (f"g1:{first}", f"g2:{second}"), *one, _step(2, second, {"bad": second}, hit=True))

    task = _task(
        "C4", "P4", path("1", "a", "x"), path("2", "a", "y"), path("3", "b", "x"), path("4", "b", "y")
    )
    assert _seen(task, "a", "b", "a", "y", "x", "y")[1].hits == ["a", "a", "y", "y"]
    assert _seen(task, "x", "a", "b")[1].hits == ["x", "a"]
