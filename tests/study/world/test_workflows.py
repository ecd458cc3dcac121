"""Workflows: they run clean by every path, the paths agree, and each level has the choices it should."""

import hashlib
import json
from collections import Counter

import pytest

from outcome_monitors_study.world import (
    World,
    declared_substitutes,
    definitions,
    nominal_traces,
    tools_list,
    workflows,
)
from outcome_monitors_study.world.agents import naive
from outcome_monitors_study.world.scoring import score


@pytest.fixture(scope="module")
def made():
    return list(workflows(400, 0))


FROZEN = {
    "tools": "9c2429783b2d17af",
    "definitions": "d8ddde83ad35c9cb",
    "substitutes": "7d496043bbfe18e6",
    "traces of seed 0": "23eb238a09a01238",
    "traces of seed 1": "2f302a7c7ca8e7e3",
    "requests": "e51e38256701cc81",
}


def test_the_tool_world_is_the_same_bytes_that_studies_were_frozen_with():
    def traces(seed):
        return [
            (c.tool, c.arguments, c.result, c.task, c.session, c.error, c.tools, c.extra)
            for c in nominal_traces(120, seed)
        ]

    found = {
        "tools": tools_list(),
        "definitions": definitions(),
        "substitutes": declared_substitutes(),
        "traces of seed 0": traces(0),
        "traces of seed 1": traces(1),
        "requests": [(workflow.query, workflow.tools) for workflow in workflows(60, 0)],
    }
    digests = {
        name: hashlib.sha256(json.dumps(value, default=str).encode()).hexdigest()[:16]
        for name, value in found.items()
    }
    assert digests == FROZEN


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
