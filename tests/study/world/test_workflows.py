"""Workflows: they run clean by every path, the paths agree, and each level has the choices it should."""

import json
from collections import Counter

import pytest

from outcome_monitors_study.world import TOOLS, World, nominal_calls, nominal_traces, workflows
from outcome_monitors_study.world.agents import naive
from outcome_monitors_study.world.requests import NEEDS
from outcome_monitors_study.world.scoring import score


@pytest.fixture(scope="module")
def made():
    return list(workflows(400, 0))


@pytest.fixture(scope="module")
def traces(made):
    return [call for workflow in made for call in nominal_calls(workflow)]


def test_the_same_count_and_seed_give_the_same_workflows(made):
    assert list(workflows(60, 0)) == made[:60]
    assert [w.query for w in workflows(12, 1)] != [w.query for w in made[:12]]


def test_the_naive_script_completes_every_clean_workflow(made):
    assert made
    for workflow in made:
        world = World(workflow.seed)
        run = naive(workflow, world.call)
        assert score(workflow, world, run).completed
        assert list(run.answer) == [step.name for step in workflow.steps]


def test_every_path_ends_in_the_same_world_with_the_same_answer(made):
    tried = [(workflow, path) for workflow in made[:80] for path in workflow.paths()]
    assert tried
    for workflow, path in tried:
        world = World(workflow.seed)
        run = naive(workflow, world.call, path)
        assert not any(entry.failed for entry in world.log)
        assert score(workflow, world, run).completed, (workflow.task_id, path)


def test_each_level_has_its_choices(made):
    for workflow in made:
        kinds = [any(len(w.uses) > 1 for w in workflow.ways[slot]) for slot in workflow.slots]
        many = {"C1": kinds == [], "C2": kinds == [False], "C3": kinds == [True], "C4": 2 <= len(kinds) <= 3}
        assert many[workflow.complexity], workflow.task_id
    assert Counter(workflow.complexity for workflow in made) == dict.fromkeys(("C1", "C2", "C3", "C4"), 100)


def test_what_tells_the_ways_of_a_slot_apart_stands_nowhere_else(made):
    assert made
    for workflow in made:
        own = Counter(t for ways in workflow.ways.values() for t in {tool for w in ways for tool in w.tools})
        assert all(own[t] == 1 for slot in workflow.slots for w in workflow.ways[slot] for t in w.tools)


def test_upper_levels_are_long_and_every_tool_is_used(traces):
    lengths = Counter(call.task for call in traces if call.task and call.task.startswith("C4"))
    assert min(lengths.values()) >= 8
    assert max(lengths.values()) <= 25
    assert {call.tool for call in traces} == set(TOOLS)


def test_a_way_that_is_not_offered_is_not_open_by_accident(made):
    assert made
    for workflow in made:
        used = {tool for ways in workflow.ways.values() for way in ways for tool in way.tools}
        other = {t for name in workflow.ways for way in NEEDS[name].ways for t in way.tools} - used
        assert not other & set(workflow.tools), workflow.task_id


def test_arguments_vary(traces):
    asked: dict[str, set[str]] = {}
    for call in traces:
        asked.setdefault(call.tool, set()).add(json.dumps(dict(call.arguments), sort_keys=True))
    for tool in (
        "get_order",
        "search_flights",
        "get_balance",
        "find_contact",
        "read_sensor",
        "list_transactions",
    ):
        assert len(asked[tool]) >= 15, tool


def test_a_trace_says_where_it_comes_from():
    calls = list(nominal_traces(8, 0))
    first = [call for call in calls if call.task == "C1_task_001"]
    assert [call.extra["step"] for call in first] == list(range(1, len(first) + 1))
    assert {call.session for call in first} == {"C1_task_001/clean"}
    assert all(call.tools is not None and call.tool in call.tools for call in calls)
    assert not any(call.error for call in calls)
