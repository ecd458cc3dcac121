"""The detector audit counts what it says, on the world and on files of ToolMaze's form."""

import pytest

from outcome_monitors import Monitor, mine
from outcome_monitors_study.detector import PUBLISHED_TYPES, audit_detector, audit_tables, world_tasks
from outcome_monitors_study.environments import environment
from outcome_monitors_study.environments.faults import corruptions
from outcome_monitors_study.world.toolmaze import nominal_calls

WORKFLOWS = 24


@pytest.fixture(scope="module")
def tasks():
    return world_tasks(WORKFLOWS, 0)


@pytest.fixture(scope="module")
def schemas():
    return environment({"environment": "world", "workflows": WORKFLOWS}).schema_contracts()


def test_every_fault_and_every_clean_result_is_counted_once(tasks, schemas):
    found = audit_detector(tasks, schemas, folds=3)
    hard = [task for task in tasks if task.complexity in {"C3", "C4"}]
    gate = found.gates["learned, C3 and C4"]
    assert gate.faults == sum(len(list(corruptions(task))) for task in hard) > 0
    assert gate.clean == sum(
        len(list(nominal_calls(task))) for task in hard if task.perturbation_mode == "P0"
    )
    assert found.gates["schemas"].faults == gate.faults
    assert 0 < gate.caught <= gate.covered <= gate.faults
    assert sum(kind.faults for kind in found.types.values()) == gate.faults
    assert sum(kind.caught for kind in found.types.values()) == gate.caught
    assert set(found.types) <= set(PUBLISHED_TYPES)
    gates, types = audit_tables(found)
    assert gates.records[0]["recall"] == (found.gates["schemas"].shares["recall"], 0.55)
    assert [row["corruption type"].replace(" ", "_") for row in types.records] == list(found.types)


def test_a_task_is_checked_by_contracts_that_never_saw_it(tasks):
    """Contracts that saw all tasks flag none of their results; those of other tasks flag some."""
    clean = [task for task in tasks if task.perturbation_mode == "P0" and task.complexity != "C1"]
    calls = [call for task in tasks if task.perturbation_mode == "P0" for call in nominal_calls(task)]
    seen = Monitor(mine(calls, "paper"))
    assert not any(seen.check(c.tool, c.arguments, c.result) for task in clean for c in nominal_calls(task))
    assert sum(gate.flagged for gate in audit_detector(tasks, folds=3).gates.values()) > 0
