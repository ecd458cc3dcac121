"""What changed, in words."""

from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from outcome_monitors import Registry, mine
from outcome_monitors.lifecycle import diff
from outcome_monitors.model import Clause, Contract
from tests.lifecycle.orders import clean, contracts, order

ALL = contracts(30).contracts["get_order"].clauses
REGISTRIES = st.builds(
    lambda clauses, tools: Registry({tool: Contract(tool, tuple(clauses)) for tool in tools}),
    st.lists(
        st.sampled_from([*ALL, *(replace(clause, samples=7) for clause in ALL)]),
        unique_by=lambda c: (c.kind, c.path),
    ),
    st.sets(st.sampled_from(["a", "b"])),
)
OTHER_WAY = {
    "added": "dropped",
    "dropped": "added",
    "tool added": "tool dropped",
    "tool dropped": "tool added",
}


@given(REGISTRIES)
def test_a_file_and_itself_are_the_same(registry):
    assert diff(registry, registry) == []


@given(REGISTRIES, REGISTRIES)
def test_the_other_way_round_it_is_the_opposite(one, other):
    there = {
        (OTHER_WAY.get(c.what, c.what), c.tool, c.id, str(c.after), str(c.before)) for c in diff(one, other)
    }
    assert there == {(c.what, c.tool, c.id, str(c.before), str(c.after)) for c in diff(other, one)}


@given(REGISTRIES, REGISTRIES)
def test_no_difference_is_overlooked(one, other):
    assert (diff(one, other) == []) == (one == other)


def test_a_category_more_and_a_field_less():
    later = [order(number, lambda result: result.pop("rows") and None) for number in range(30)]
    later[7].result["status"] = "lost"
    words = [(change.what, change.words) for change in diff(mine(clean(30), "paper"), mine(later, "paper"))]
    assert ("changed", "status is one of delivered, lost, pending, sent: values now also lost") in words
    assert ("dropped", "rows is always present") in words
    assert not any("total" in text for what, text in words if what == "dropped")


FACTS = {"key": ".id", "field": ".city"}


@pytest.mark.parametrize(
    ("kind", "before", "after", "growth"),
    [
        ("range", {"low": 0, "high": 10}, {"low": 0, "high": 12}, "bounds"),
        ("range", {"low": 0, "high": 10}, {"low": 0, "high": None}, ""),
        ("domain", {"values": ["a"]}, {"values": ["a", "b"]}, ""),
        ("functional_dependency", FACTS | {"facts": {"1": "A"}}, FACTS | {"facts": {"1": "A", "2": "B"}}, "cases"),
        ("functional_dependency", FACTS | {"facts": {"1": "A"}}, FACTS | {"facts": {"1": "C", "2": "B"}}, ""),
    ],
)  # fmt: skip
def test_growth_is_distinguished_from_changed_demands(kind, before, after, growth):
    one, other = (
        Registry({"t": Contract("t", (Clause(kind, "a", params, 9, 9, "traces"),))})
        for params in (before, after)
    )
    [change] = diff(one, other)
    assert change.growth == growth
