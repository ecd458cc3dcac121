"""What round trips are made of: a shop's calls, clean and wrong, and contracts of them."""

import random
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import groupby
from typing import Any

from outcome_monitors import Call, Monitor, mine
from outcome_monitors.events import Watch
from tests.events.shop import Kept

__all__ = [
    "CLEAN",
    "FAULTS",
    "LEARNED",
    "answering",
    "conversations",
    "flagged",
    "learned",
]

STATUSES = ("paid", "sent", "open")


def get_order(number, chance):
    rows = [
        {"sku": f"A{chance.randrange(900) + 100}", "count": n, "price": round(chance.uniform(1, 80), 2)}
        for n in (1, 2, 3)[: chance.randrange(3) + 1]
    ]
    return {
        "order_id": f"W{number:05}",
        "status": chance.choice(STATUSES),
        "placed": f"2026-0{chance.randrange(1, 9)}-1{chance.randrange(9)}",
        "rows": rows,
        "total": round(sum(row["count"] * row["price"] for row in rows), 2),
    }


def calls_of(number, chance):
    """Return the calls of one task."""
    name = f"task-{number}"
    order = get_order(number, chance)
    stock = [{"sku": row["sku"], "left": chance.randrange(1, 500), "unit": "piece"} for row in order["rows"]]
    rate = round(chance.uniform(0.8, 1.2), 4)
    paid = {"currency": "EUR", "rate": rate, "amount": round(order["total"] * rate, 2)}
    return [
        Call("get_order", {"order_id": order["order_id"]}, order, task=name, session=name),
        Call("list_stock", {"order_id": order["order_id"], "limit": 3}, stock, task=name, session=name),
        Call("convert", {"amount": order["total"], "currency": "EUR"}, paid, task=name, session=name),
    ]


def tasks(first, count):
    chance = random.Random(first)
    return [call for number in range(first, first + count) for call in calls_of(number, chance)]


LEARNED = tasks(0, 60)
CLEAN = tasks(1000, 67)[:200]
WRONG = {
    "get_order": (
        lambda order: {**order, "total": -order["total"]},
        lambda order: {**order, "total": str(order["total"])},
        lambda order: {**order, "status": "st#tus"},
        lambda order: {key: value for key, value in order.items() if key != "rows"},
        lambda order: {**order, "order_id": "W99999"},
        lambda order: {**order, "placed": "yesterday"},
        lambda _order: {"error": "internal"},
        lambda _order: None,
    ),
    "list_stock": (
        lambda rows: [{**row, "left": None} for row in rows],
        lambda rows: {"rows": rows},
        lambda rows: [{"sku": row["sku"]} for row in rows],
        lambda rows: [{**row, "unit": 7} for row in rows],
    ),
    "convert": (
        lambda paid: {**paid, "amount": -1},
        lambda paid: {**paid, "currency": "XXX"},
        lambda paid: {"amount": paid["amount"]},
        lambda paid: {**paid, "rate": "n/a"},
    ),
}
FAULTS = [
    replace(call, result=change(call.result))
    for call, place in zip(tasks(2000, 7)[:20], range(20), strict=True)
    for change in [WRONG[call.tool][place // 3 % len(WRONG[call.tool])]]
]


def flagged(registry, calls, send, *options):
    """Return how many calls contracts flag where something sends them through a watch."""
    kept = Kept()
    send(Watch(Monitor(registry), kept), calls, *options)
    assert len(kept.events) == len(calls)
    return kept.outcomes.count("flagged")


@cache
def learned():
    """Return the contracts of the clean calls, and how many of the faults they flag without an adapter."""
    registry = mine(LEARNED, "full")
    monitor = Monitor(registry)
    return registry, sum(bool(monitor.check(call.tool, call.arguments, call.result)) for call in FAULTS)


def conversations(calls) -> Iterator[list[Call]]:
    """Yield the calls of each session."""
    for _, some in groupby(calls, lambda call: call.session):
        yield list(some)


def answering(calls):
    """Return the tools of the shop as functions that answer one call after the other."""
    results = iter([call.result for call in calls])

    def get_order(order_id: str) -> Any:
        """Get an order.

        Args:
            order_id: Which.
        """
        return next(results)

    def list_stock(order_id: str, limit: int) -> Any:
        """List what is left of the things in an order.

        Args:
            order_id: Which.
            limit: How many.
        """
        return next(results)

    def convert(amount: float, currency: str) -> Any:
        """Convert an amount.

        Args:
            amount: How much.
            currency: To what.
        """
        return next(results)

    return [get_order, list_stock, convert]
