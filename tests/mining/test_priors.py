"""What clauses cost, by public traffic and by the trials at hand."""

import pytest
from hypothesis import given, strategies as st

from outcome_monitors import Call, mine
from outcome_monitors.features.walk import look
from outcome_monitors.mining.budget import accept
from outcome_monitors.mining.config import CONFIG
from outcome_monitors.mining.full import FullObservations
from outcome_monitors.mining.priors import (
    FalsePositivePrior,
    HeldOutCounts,
    PriorTable,
    RuleBucket,
    public_priors,
)
from outcome_monitors.rules import KINDS

POSITIVE = RuleBucket("positive", 2)
MUCH = 100 * CONFIG.shrinkage


def table(rows):
    return PriorTable({sold: {"a set": row} for sold, row in rows.items()})


def test_with_much_traffic_the_price_is_what_it_showed():
    known = table({POSITIVE: HeldOutCounts(50, MUCH, MUCH / 100)})
    assert known.cost(POSITIVE) == pytest.approx(0.01, rel=0.02)


def test_what_data_sets_do_not_agree_on_costs_more():
    rows = {"one": HeldOutCounts(50, MUCH, MUCH / 50), "another": HeldOutCounts(50, MUCH, 0.0)}
    agreed = {"one": HeldOutCounts(50, MUCH, MUCH / 100), "another": HeldOutCounts(50, MUCH, MUCH / 100)}
    assert PriorTable({POSITIVE: rows}).cost(POSITIVE) > 1.5 * PriorTable({POSITIVE: agreed}).cost(POSITIVE)


def test_an_unknown_sort_costs_what_its_kind_does_and_an_unknown_kind_what_all_do():
    known = table(
        {
            RuleBucket("form runs", 3): HeldOutCounts(9, MUCH, MUCH / 50),
            RuleBucket("type", 3): HeldOutCounts(9, 9 * MUCH, 0.0),
        }
    )
    of_kind, of_all = known.cost(RuleBucket("form classes", 3)), known.cost(RuleBucket("new", 3))
    assert of_kind > 2 * of_all > 0
    assert known.cost(RuleBucket("form runs", 3)) == pytest.approx(of_kind, rel=0.05)


def test_clauses_that_come_through_their_trials_lower_the_price_of_their_sort():
    known = table({POSITIVE: HeldOutCounts(50, MUCH, MUCH / 100)})
    at_first = FalsePositivePrior(known, []).cost(POSITIVE)
    assert FalsePositivePrior(known, [POSITIVE] * 300).cost(POSITIVE) < at_first / 5
    assert FalsePositivePrior(known, [RuleBucket("positive", 3)] * 300).cost(POSITIVE) == at_first


@given(st.floats(0, 1e6), st.floats(0, 1), st.floats(0, 1))
def test_who_fires_more_costs_more(checked, less, more):
    less, more = sorted((less, more))
    cheap, dear = (
        table({POSITIVE: HeldOutCounts(9, checked, share * checked)}).cost(POSITIVE) for share in (less, more)
    )
    assert 0 <= cheap <= dear <= 1


def test_tasks_come_in_bands():
    assert [RuleBucket.of("type", tasks).band for tasks in (0, 1, 2, 3, 4, 31, 32, 5000)] == [
        1,
        1,
        2,
        2,
        3,
        5,
        6,
        6,
    ]


def test_the_public_table_says_that_few_tasks_cost_more():
    public = public_priors()
    for sort in ("type of the result", "positive", "required"):
        assert public.cost(RuleBucket.of(sort, 2)) > public.cost(RuleBucket.of(sort, 40)) >= 0


def test_a_data_set_can_be_left_out_of_it():
    few = public_priors(frozenset({"tau_airline", "tau2_airline", "tau_retail", "bfcl_open", "agentdojo"}))
    assert few.cost(RuleBucket.of("type of the result", 1)) != public_priors().cost(
        RuleBucket.of("type of the result", 1)
    )


def taken(priors):
    """Return what is taken of three tasks that show a cost above zero."""
    learned = FullObservations()
    for n in range(3):
        learned.add(look(Call("get_item", {"n": n}, {"cost": 5 + n}, task=f"t{n}")))
    kinds = [KINDS["type"], KINDS["positive"]]
    return {
        (candidate.clause.kind, candidate.clause.path): candidate
        for _, candidate in accept(learned.parts, kinds, 0.01, table=priors)
    }


def test_what_is_too_dear_is_refused_or_loosened():
    bands = range(1, 7)
    free = taken(table({}))
    assert not any(candidate.refused for candidate in free.values())
    assert free["positive", "cost"].clause.params == {}
    dear = {
        RuleBucket(sort, band): HeldOutCounts(50, MUCH, MUCH / 20)
        for sort in ("positive", "type of the result")
        for band in bands
    }
    found = taken(table(dear))
    assert found["positive", "cost"].clause.params == {"zero": True}
    assert "flag too many right results" in found["type", ""].refused


def test_of_a_tool_that_was_called_in_one_task_next_to_nothing_is_said():
    calls = [Call("get_page", {"n": n}, {"page": "text"}, task="one") for n in range(9)]
    clauses = mine(calls, "full").contracts["get_page"].clauses
    assert ("type", "") not in {(clause.kind, clause.path) for clause in clauses}
