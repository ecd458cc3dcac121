"""The two results that are checked, made up here: an order of 12 fields, and the answer to a search, of up to 200 rows.

Each comes with the JSON Schema that the peers are given. Mining sees other orders and other searches than the one checked.
"""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from outcome_monitors import Call

__all__ = ["ORDER", "SEARCH", "STATUSES", "THINGS", "WORDS", "Subject"]

LIMITS = (50, 100, 200)

STATUSES = ("pending", "paid", "packed", "shipped", "delivered")
CURRENCIES = ("EUR", "GBP", "NOK", "USD")
UNITS = ("box", "pair", "piece", "set")
WORDS = ("ash", "beech", "birch", "cedar", "cork", "elm", "larch", "maple", "oak", "pine", "walnut", "willow")
THINGS = (
    "bench",
    "board",
    "bowl",
    "chair",
    "crate",
    "frame",
    "lamp",
    "rack",
    "shelf",
    "stool",
    "table",
    "tray",
)

_POSITIVE = {"exclusiveMinimum": 0}


@dataclass(frozen=True, slots=True, eq=False)
class Subject:
    """A tool, what its results must be, and how to make them."""

    name: str
    schema: dict[str, Any]
    make: Callable[[random.Random], tuple[dict[str, Any], dict[str, Any]]]
    """Gives the arguments of a call and its result."""
    tasks: int = 80
    """How many calls, each of its own task, are mined."""

    def mined(self) -> Iterator[Call]:
        """Yield the calls that contracts are mined from."""
        return (self._call(number) for number in range(self.tasks))

    def fresh(self, count: int = 50) -> Iterator[Call]:
        """Yield other calls."""
        return (self._call(number) for number in range(self.tasks, self.tasks + count))

    def _call(self, number: int) -> Call:
        arguments, result = self.make(random.Random(number))
        return Call(self.name, arguments, result, task=f"{self.name}/{number}")


def _closed(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _cents(rng: random.Random, most: int) -> float:
    return rng.randrange(100, most) / 100


def _order(rng: random.Random) -> tuple[dict[str, Any], dict[str, Any]]:
    created = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=rng.randrange(2 * 10**7))
    updated = created + timedelta(seconds=rng.randrange(60, 10**6))
    order = {
        "order_id": f"W{rng.randrange(10**7):07}",
        "customer": f"{rng.choice(WORDS)}_{rng.choice(THINGS)}_{rng.randrange(1000, 9999)}",
        "status": rng.choice(STATUSES),
        "currency": rng.choice(CURRENCIES),
        "items": rng.randrange(1, 12),
        "weight_kg": _cents(rng, 3000),
        "subtotal": _cents(rng, 90000),
        "shipping": _cents(rng, 2000),
        "gift": rng.random() < 0.3,
        "paid": rng.random() < 0.8,
        "created_at": f"{created:%Y-%m-%dT%H:%M:%SZ}",
        "updated_at": f"{updated:%Y-%m-%dT%H:%M:%SZ}",
    }
    return {"order_id": order["order_id"]}, order


ORDER = Subject(
    "get_order",
    _closed(
        {
            "order_id": {"type": "string"},
            "customer": {"type": "string"},
            "status": {"type": "string", "enum": list(STATUSES)},
            "currency": {"type": "string", "enum": list(CURRENCIES)},
            "items": {"type": "integer", **_POSITIVE},
            "weight_kg": {"type": "number", **_POSITIVE},
            "subtotal": {"type": "number", **_POSITIVE},
            "shipping": {"type": "number", **_POSITIVE},
            "gift": {"type": "boolean"},
            "paid": {"type": "boolean"},
            "created_at": {"type": "string"},
            "updated_at": {"type": "string"},
        }
    ),
    _order,
)


def _row(rng: random.Random, sku: int) -> dict[str, Any]:
    return {
        "sku": f"SK-{sku}",
        "name": f"{rng.choice(WORDS)} {rng.choice(THINGS)}",
        "price": _cents(rng, 30000),
        "stock": rng.randrange(1, 400),
        "unit": rng.choice(UNITS),
        "active": rng.random() < 0.9,
    }


def _search(rng: random.Random) -> tuple[dict[str, Any], dict[str, Any]]:
    query, limit = f"{rng.choice(WORDS)} {rng.choice(THINGS)}", rng.choice(LIMITS)
    rows = [_row(rng, sku) for sku in sorted(rng.sample(range(100_000, 1_000_000), limit))]
    return {"query": query, "limit": limit}, {
        "query": query,
        "currency": rng.choice(CURRENCIES),
        "count": len(rows),
        "rows": rows,
    }


SEARCH = Subject(
    "search_products",
    _closed(
        {
            "query": {"type": "string"},
            "currency": {"type": "string", "enum": list(CURRENCIES)},
            "count": {"type": "integer", **_POSITIVE},
            "rows": {
                "type": "array",
                "items": _closed(
                    {
                        "sku": {"type": "string"},
                        "name": {"type": "string"},
                        "price": {"type": "number", **_POSITIVE},
                        "stock": {"type": "integer", **_POSITIVE},
                        "unit": {"type": "string", "enum": list(UNITS)},
                        "active": {"type": "boolean"},
                    }
                ),
            },
        }
    ),
    _search,
)
