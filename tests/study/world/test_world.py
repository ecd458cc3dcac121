"""The world: the same calls give the same results, changes show in reads, and nothing leaks in or out."""

import copy
from typing import Any

import pytest
from hypothesis import given, strategies as st

from outcome_monitors_study.world import TOOLS, World, nominal_traces
from outcome_monitors_study.world.world import first_tables
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


def test_changing_a_result_changes_nothing_in_the_world(sample):
    world = World(3)
    tables = copy.deepcopy(first_tables(3))
    for name, arguments in sample.items():
        result = world.call(name, arguments)
        kept = copy.deepcopy(world.log[-1].result)
        _wreck(result)
        assert world.log[-1].result == kept
    assert first_tables(3) == tables


def _wreck(value: Any) -> None:
    if isinstance(value, dict):
        for item in value.values():
            _wreck(item)
        value.clear()
    elif isinstance(value, list):
        for item in value:
            _wreck(item)
        value.append("wreck")


@given(st.data())
def test_odd_arguments_never_raise(sample, data):
    name = data.draw(st.sampled_from(sorted(sample)))
    key = data.draw(st.sampled_from(sorted(TOOLS[name].inputs["properties"])))
    odd = data.draw(
        json_values | st.sampled_from(["2031-02-30", "9999-12-31", "0001-01-01", 10**400, -1, 1e308])
    )
    assert isinstance(World(3).call(name, {**sample[name], key: odd}), dict)
