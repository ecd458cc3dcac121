"""Two clauses on one field are two: what becomes of one says nothing of the other."""

import random

from outcome_monitors import Call
from outcome_monitors.features.walk import task_hash
from outcome_monitors.mining.config import CONFIG
from outcome_monitors.mining.observations import Observations
from outcome_monitors.rules import Candidate

BY_ITEMS, BY_PAYMENTS = [".subtotal", ".tax"], [".card", ".cash"]


def bill(number: int) -> Call:
    """Return a bill whose total is that of its items, and that of its payments."""
    source = random.Random(number)
    subtotal, tax = source.randrange(1000, 9000), source.randrange(100, 900)
    cash = source.randrange(5, 95)
    result = {"subtotal": subtotal, "tax": tax, "total": subtotal + tax, "cash": cash}
    return Call(
        "get_bill", {"bill": number}, {**result, "card": subtotal + tax - cash}, task=f"task {number}"
    )


BILLS = [bill(number) for number in range(120)]
QUIET = [Call("ping", {}, {"up": True}, task=f"task {number}") for number in range(1500)]
"""Clean results enough that a few false alarms are within the budget."""


def totals(calls: list[Call]) -> dict[str, Candidate]:
    """Return what is said of the total as a sum, by the features that it is the sum of."""
    observations = Observations("full")
    for call in calls:
        observations.add(call)
    found = [candidate for _, candidate in observations.candidates() if candidate.clause.kind == "linear"]
    return {
        " ".join(sorted(candidate.clause.params["of"])): candidate
        for candidate in found
        if (candidate.clause.params["form"], candidate.clause.params["field"]) == ("sum", ".total")
    }


def refusals(calls: list[Call]) -> dict[str, str]:
    return {of: candidate.refused for of, candidate in totals(calls).items()}


def test_a_sum_is_not_refused_for_the_false_alarms_of_another():
    # All in one part: the others suggest the sum, and this one shows that it is none.
    part = [call for call in BILLS if (task_hash(call) >> 32) % CONFIG.parts == 0]
    tips = {call.task for call in part[:5]}
    given = [
        Call(
            call.tool,
            call.arguments,
            {**call.result, "cash": call.result["cash"] + 7 * (call.task in tips)},
            call.task,
        )
        for call in BILLS
    ]
    assert len(tips) == 5
    assert refusals([*given, *QUIET])[" ".join(BY_ITEMS)] == ""
    assert refusals([*given, *QUIET]).get(" ".join(BY_PAYMENTS), "not suggested") != ""
