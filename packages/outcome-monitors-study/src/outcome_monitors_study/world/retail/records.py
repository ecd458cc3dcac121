"""Customers, products, stock and orders of the shop."""

import random

from outcome_monitors_study.world.data import vocabulary
from outcome_monitors_study.world.draws import address, generator, numbered, past_day, person, shift
from outcome_monitors_study.world.state import Record, Tables

__all__ = ["WAREHOUSES", "sums", "tables"]

_WORDS = vocabulary("retail")
WAREHOUSES = _WORDS["warehouses"]
_CATEGORIES = _WORDS["categories"]
_SHIPPING, _FREE_FROM, _TAX_PERCENT = 595, 10_000, 8


def tables(seed: int) -> Tables:
    """Make the shop's tables."""
    rng = generator(seed, "retail")
    customers = _customers(rng)
    products, skus = _products(rng)
    orders = {key: _order(rng, customers, skus, key) for key in numbered(rng, "ORD", 240, 50_000)}
    return {"customers": customers, "products": products, "skus": skus, "orders": orders}


def _customers(rng: random.Random) -> dict[str, Record]:
    taken: set[str] = set()
    methods = numbered(rng, "PM", 1000, 7000)
    customers = {}
    for key in numbered(rng, "CUS", 60, 1000):
        name, email = person(rng, taken)
        customers[key] = {
            "name": name,
            "email": email,
            "tier": rng.choice(_WORDS["tiers"]),
            "points": rng.randint(0, 4000),
            "address": address(rng),
            "methods": {next(methods): rng.choice(_WORDS["payment_kinds"]) for _ in range(rng.randint(1, 3))},
        }
    return customers


def _products(rng: random.Random) -> tuple[dict[str, Record], dict[str, Record]]:
    products: dict[str, Record] = {}
    skus: dict[str, Record] = {}
    sku_ids = numbered(rng, "SKU", 1000, 20_000)
    for key in numbered(rng, "PRD", 60, 300):
        category, brand = rng.choice(list(_CATEGORIES)), rng.choice(_WORDS["brands"])
        base = rng.randint(499, 14_999)
        variants = [next(sku_ids) for _ in range(rng.randint(2, 4))]
        for sku in variants:
            skus[sku] = {
                "product_id": key,
                "colour": rng.choice(_WORDS["colours"]),
                "price": base + rng.randrange(0, 2000, 50),
                "stock": {w: rng.choice((0, rng.randint(1, 90), rng.randint(20, 90))) for w in WAREHOUSES},
            }
        products[key] = {
            "name": f"{brand} {rng.choice(_CATEGORIES[category])}",
            "brand": brand,
            "category": category,
            "rating": rng.randint(25, 50) / 10,
            "variants": variants,
        }
    return products, skus


def _order(rng: random.Random, customers: dict[str, Record], skus: dict[str, Record], key: str) -> Record:
    customer_id, customer = rng.choice(list(customers.items()))
    lines = [
        {"sku": sku, "quantity": rng.randint(1, 4), "price": record["price"]}
        for sku, record in rng.sample(list(skus.items()), rng.randint(1, 4))
    ]
    status, placed = rng.choice(_WORDS["statuses"]), past_day(rng, 60)
    method = rng.choice(list(customer["methods"]))
    sent = status in {"shipped", "delivered"}
    charge = {"kind": "charge", "method_id": method, "amount": sums(lines)["total"]}
    payments = {f"PAY-{key[4:]}1": charge}
    if status == "cancelled":
        payments[f"PAY-{key[4:]}2"] = {**charge, "kind": "refund"}
    return {
        "customer_id": customer_id,
        "placed_on": placed,
        "status": status,
        "lines": lines,
        "address": customer["address"],
        "parcel": f"TRK-{rng.randint(10**7, 10**8)}" if sent else None,
        "sent_on": shift(placed, rng.randint(1, 3)) if sent else None,
        "arrived_on": shift(placed, rng.randint(4, 8)) if status == "delivered" else None,
        "payments": payments,
    }


def sums(lines: list[Record]) -> dict[str, int]:
    """Add up an order's lines, in cents."""
    subtotal = sum(line["quantity"] * line["price"] for line in lines)
    shipping = 0 if subtotal >= _FREE_FROM else _SHIPPING
    tax = round(subtotal * _TAX_PERCENT / 100)
    return {"subtotal": subtotal, "shipping": shipping, "tax": tax, "total": subtotal + shipping + tax}
