"""`python -m bench.demo_traffic`: writes the clean traffic of a shop that the command `demo` learns from.

Sixty tasks of a shop assistant, on the shop of the tool world: no person, no model and no live system had a part in it.
"""

import random
from collections.abc import Iterator
from typing import Any

from outcome_monitors.cli.demo import TRAFFIC
from outcome_monitors.model import Call
from outcome_monitors.traces.reader import write_traces
from outcome_monitors_study.world import TOOLS as WORLD_TOOLS, World
from outcome_monitors_study.world.world import first_tables

TASKS, SEED = 60, 11
REASONS = ("changed_mind", "found_cheaper", "ordered_by_mistake")
CATEGORIES = ("kitchen", "garden", "desk", "lighting")
TOOLS = tuple(
    tool.name
    for tool in WORLD_TOOLS.values()
    if tool.domain == "retail"
    and tool.name not in {"browse_catalogue", "lookup_shopper", "void_purchase", "submit_purchase"}
)


def traffic() -> Iterator[Call]:
    """Yield the calls of all tasks, each in a fresh copy of the shop."""
    for number in range(1, TASKS + 1):
        world, task = World(SEED), f"shop/{number:02d}"
        serve_customer(world, random.Random(task))
        for step, entry in enumerate(world.log, 1):
            if not entry.failed:
                extra = {"step": step, "time": entry.time}
                yield Call(entry.tool, entry.arguments, entry.result, task, task, tools=TOOLS, extra=extra)


def serve_customer(world: World, draw: random.Random) -> None:
    """Look a customer's orders up, change one, and sell something more."""

    def call(tool: str, **arguments: Any) -> Any:
        return world.call(tool, arguments)

    known = first_tables(SEED)["customers"].values()
    customer = call("find_customer", email=draw.choice([each["email"] for each in known]))
    listed = call("list_customer_orders", customer_id=customer["customer_id"], limit=draw.choice((3, 5)))
    for row in listed["orders"][:3]:
        order = call("get_order", order_id=row["order_id"])
        call("lookup_purchase", reference=row["order_id"])
        call("order_ledger", order_no=row["order_id"])
        call("check_stock", sku=draw.choice(order["items"])["sku"])
        if order["tracking_number"]:
            call("track_parcel", tracking_number=order["tracking_number"])
        elif order["status"] != "cancelled":
            call("cancel_order", order_id=row["order_id"], reason=draw.choice(REASONS))
    found = call("search_products", category=draw.choice(CATEGORIES), limit=draw.randint(3, 6))
    product = call("get_product", product_id=draw.choice(found["products"])["product_id"])
    call("article_card", article=product["product_id"])
    skus = [sku for sku, variant in product["variants"].items() if variant["stock"] > 4]
    items = [{"sku": sku, "quantity": draw.randint(1, 4)} for sku in skus[:2]]
    call("quote_basket", items=items)
    method = customer["preferred_method_id"]
    placed = call("place_order", customer_id=customer["customer_id"], items=items, payment_method_id=method)
    call("get_order", order_id=placed.get("order_id", ""))


if __name__ == "__main__":
    write_traces(TRAFFIC, traffic())
