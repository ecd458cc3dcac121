"""What clauses cost, by public traffic and by the trials at hand."""

from outcome_monitors import Call, mine
from outcome_monitors.features.walk import look
from outcome_monitors.mining.config import CONFIG
from outcome_monitors.mining.full import FullObservations, candidates
from outcome_monitors.mining.priors import (
    FalsePositivePrior,
    HeldOutCounts,
    PriorTable,
    RuleBucket,
)
from outcome_monitors.rules import KINDS

POSITIVE = RuleBucket("positive", 2)
MUCH = 100 * CONFIG.shrinkage


def table(rows):
    return PriorTable({sold: {"a set": row} for sold, row in rows.items()})


def test_clauses_that_come_through_their_trials_lower_the_price_of_their_sort():
    known = table({POSITIVE: HeldOutCounts(50, MUCH, MUCH / 100)})
    at_first = FalsePositivePrior(known, []).cost(POSITIVE)
    assert FalsePositivePrior(known, [POSITIVE] * 300).cost(POSITIVE) < at_first / 5
    assert FalsePositivePrior(known, [RuleBucket("positive", 3)] * 300).cost(POSITIVE) == at_first


def taken(priors):
    """Return what is taken of three tasks that show a cost above zero."""
    learned = FullObservations()
    for n in range(3):
        learned.add(look(Call("get_item", {"n": n}, {"cost": 5 + n}, task=f"t{n}")))
    kinds = [KINDS["type"], KINDS["positive"]]
    return {
        (candidate.clause.kind, candidate.clause.path): candidate
        for _, candidate in candidates(learned.parts, kinds, 0.01, priors=priors)
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
