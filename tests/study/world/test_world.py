"""The world: calls give the same results, changes show in reads, nothing leaks; its workflows run clean by every path; its definitions fit."""

import copy
import hashlib
import json
import re
from typing import Any

import pytest
from hypothesis import given, strategies as st

from outcome_monitors_study.world import (
    TOOLS,
    World,
    declared_substitutes,
    nominal_traces,
    tools_list,
    workflows,
)
from outcome_monitors_study.world.agents import naive
from outcome_monitors_study.world.scoring import score
from tests.places import DOCS
from tests.strategies import json_values

READS = sorted(name for name, tool in TOOLS.items() if tool.read_only)


@pytest.fixture(scope="module")
def sample():
    """Arguments for each tool that succeed in a fresh world."""
    found: dict[str, dict[str, Any]] = {}
    for call in nominal_traces(160, 3):
        if call.tool not in found and "error" not in World(3).call(call.tool, call.arguments):
            found[call.tool] = dict(call.arguments)
    assert set(found) == set(TOOLS)
    return found


@pytest.mark.parametrize("name", READS)
def test_reading_changes_nothing_and_says_the_same_twice(name, sample):
    world = World(3)
    first, second = (world.call(name, sample[name]) for _ in range(2))
    assert "error" not in first
    assert world.changes() == {}
    stamps = {"as_of", "checked_at", "last_seen", "measured_at", "quoted_at"}
    assert {k: v for k, v in first.items() if k not in stamps} == {
        k: v for k, v in second.items() if k not in stamps
    }


@pytest.mark.parametrize("name", sorted(set(TOOLS) - set(READS)))
def test_a_write_changes_the_world_and_a_second_one_only_where_it_is_not_idempotent(name, sample):
    world = World(3)
    world.call(name, sample[name])
    once = copy.deepcopy(world.changes())
    world.call(name, sample[name])
    # A write that refuses to happen twice, such as a cancellation, is as safe as an idempotent one.
    refused = world.log[-1].failed
    assert (world.changes() == once) == (TOOLS[name].idempotent or refused)


def test_a_failed_call_is_open_and_leaves_no_trace_in_the_state():
    world = World()
    result = world.call("get_order", {"order_id": "ORD-1"})
    assert result == {"error": "There is no order ORD-1.", "code": "not_found"}
    assert world.log[-1].failed
    assert world.call("no_such_tool", {})["code"] == "unknown_tool"
    assert world.call("get_order", {})["code"] == "invalid_argument"
    assert world.changes() == {}


@given(st.data())
def test_odd_arguments_never_raise(sample, data):
    name = data.draw(st.sampled_from(sorted(sample)))
    key = data.draw(st.sampled_from(sorted(TOOLS[name].inputs["properties"])))
    odd = data.draw(
        json_values | st.sampled_from(["2031-02-30", "9999-12-31", "0001-01-01", 10**400, -1, 1e308])
    )
    assert isinstance(World(3).call(name, {**sample[name], key: odd}), dict)


@pytest.fixture(scope="module")
def made():
    return list(workflows(400, 0))


FROZEN = {
    "tools": "9c2429783b2d17af",
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


PAGE = DOCS / "internals" / "world.md"


def test_the_documented_calls_give_what_the_page_says():
    world, text = World(seed=0), PAGE.read_text(encoding="utf-8")
    lines = re.findall(r"```json\n(.*?)```", text, re.DOTALL)[0]
    calls = [json.loads(line) for line in lines.splitlines()]
    assert len(calls) == 2
    assert [world.call(call["tool"], call["arguments"]) for call in calls] == [
        call["result"] for call in calls
    ]
    assert f"with {len(TOOLS)} tools" in text
