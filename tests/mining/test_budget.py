"""Which clauses are accepted: evidence in tasks, trials on tasks left out, the budget, dirt."""

import random
from dataclasses import replace

from outcome_monitors import Call, Monitor
from outcome_monitors.mining.budget import BUDGET
from outcome_monitors.mining.config import CONFIG
from outcome_monitors.mining.observations import Observations
from outcome_monitors.rules import KINDS, Candidate

STATUSES = ["pending", "shipped", "delivered", "cancelled"]


def order(number, source):
    """Return a call about an order: some of it follows rules, some of it is noise."""
    price, count = source.randrange(200, 9000) / 100, source.randrange(1, 9)
    start = source.randrange(1, 20)
    return Call(
        "get_order",
        {"order_id": f"W{number:04}"},
        {
            "order_id": f"W{number:04}",
            "status": STATUSES[source.randrange(4)],
            "price": price,
            "count": count,
            "total": round(price * count, 2),
            "from": f"2026-03-{start:02}",
            "until": f"2026-03-{start + source.randrange(0, 9):02}",
            "note": "".join(source.choices("abcdefgh -.!?é", k=source.randrange(1, 30))),
            "noise": source.expovariate(1) ** 3,
        },
        task=f"task {number}",
    )


ORDERS = [order(number, random.Random(number)) for number in range(160)]


def observed(calls, budget=BUDGET):
    observations = Observations("full", budget)
    for call in calls:
        observations.add(call)
    return observations


def candidates(calls, budget=BUDGET):
    return list(observed(calls, budget).candidates())


def taken(found: list[tuple[str, Candidate]]):
    return [candidate.clause for _, candidate in found if not candidate.refused]


def test_the_contract_is_quiet_on_the_tasks_it_was_mined_from_and_on_others():
    monitor = Monitor(observed(ORDERS).contracts().registry)
    fresh = [order(number, random.Random(number)) for number in range(1000, 1400)]
    for some, most in ((ORDERS, BUDGET), (fresh, 3 * BUDGET)):
        fired = sum(bool(monitor.check(call.tool, call.arguments, call.result)) for call in some)
        assert fired <= most * len(some)


def test_a_clause_that_fires_on_tasks_left_out_is_refused():
    odd = replace(ORDERS[0], result={**ORDERS[0].result, "total": 1.0}, task="odd")
    found = candidates([*ORDERS, *[odd] * int(2 * CONFIG.label_noise * len(ORDERS))])
    (candidate,) = [
        c for _, c in found if c.clause.kind == "linear" and c.clause.params["field"] == ".total"
    ][:1]
    assert candidate.refused == "raised false alarms on tasks that were left out"
    assert any(c.kind == "linear" for c in taken(candidates(ORDERS)))


def test_what_the_caller_supplies_shows_nothing_of_the_tool():
    found = candidates(ORDERS)
    about_id = [
        c for _, c in found if c.clause.path == "order_id" and KINDS[c.clause.kind].mining.of_the_answer
    ]
    assert about_id
    assert all(candidate.refused for candidate in about_id)
    assert "the caller supplies it" in {candidate.refused for candidate in about_id}
