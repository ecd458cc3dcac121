"""Two clauses on one field are two: what becomes of one says nothing of the other."""

import random
from dataclasses import replace

from outcome_monitors import Call
from outcome_monitors.features.walk import task_hash
from outcome_monitors.mining.config import CONFIG
from outcome_monitors.mining.observations import Observations

BY_ITEMS, BY_PAYMENTS = ".subtotal .tax", ".card .cash"


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


def refusals(calls: list[Call]) -> dict[str, str]:
    """Return why what is said of the total as a sum was refused, by the features that it is the sum of."""
    observations = Observations("full")
    for call in calls:
        observations.add(call)
    sums = [c for _, c in observations.candidates() if c.clause.params.get("form") == "sum"]
    return {
        " ".join(sorted(c.clause.params["of"])): c.refused
        for c in sums
        if c.clause.params["field"] == ".total"
    }


def test_a_sum_is_not_refused_for_the_false_alarms_of_another():
    assert refusals(BILLS) == {BY_ITEMS: "", BY_PAYMENTS: ""}
    # All in one part: the others suggest the sum, and this one shows that it is none.
    part = [call for call in BILLS if (task_hash(call) >> 32) % CONFIG.parts == 0]
    tips = {call.task for call in part[:5]}
    given = [
        replace(call, result={**call.result, "cash": call.result["cash"] + 7 * (call.task in tips)})
        for call in BILLS
    ]
    assert len(tips) == 5
    found = refusals([*given, *QUIET])
    assert found[BY_ITEMS] == ""
    assert found.get(BY_PAYMENTS, "not suggested") != ""
