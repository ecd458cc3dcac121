"""A small shop in the form of tau-bench's retail domain: made-up customers, orders and products, and six tasks."""

import json
import random
from pathlib import Path
from typing import Any

__all__ = ["made_tables", "make_checkout"]

Record = dict[str, Any]
Step = tuple[str, Record]

FIRST = ("Ada", "Basil", "Clara", "Dorian", "Edith", "Felix", "Greta", "Hugo", "Iris", "Jonas")
LAST = ("Abernot", "Brackwell", "Corvane", "Dunmarsh", "Elverton")
KINDS = ("Desk Lamp", "Kettle", "Backpack", "Notebook")
COLOURS = ("red", "green", "blue", "black")
STATUSES = ("pending", "pending", "delivered", "delivered", "processed", "cancelled")

TOOL = """
class GetOrderDetails(Tool):
    @staticmethod
    def invoke(data, order_id: str) -> str:
        raise RuntimeError("a checkout is read, not run")

    @staticmethod
    def get_info():
        return {
            "type": "function",
            "function": {
                "name": "get_order_details",
                "description": ("An order, " "as the checkout describes it."),
                "parameters": {"type": "object", "properties": {"order_id": {"type": "string"}}, "required": ["order_id"]},
            },
        }
"""

USER = '''
class LLMUserSimulationEnv(BaseUserSimulationEnv):
    def build_system_prompt(self, instruction):
        instruction_display = ("Instruction: " + instruction)
        return f"""You are somebody.{instruction_display}
Rules: be brief."""
'''


def make_checkout(root: Path) -> Path:
    """Write the files of a checkout and return its folder."""
    retail = root / "tau_bench" / "envs" / "retail"
    (retail / "data").mkdir(parents=True)
    (retail / "tools").mkdir()
    tables = made_tables()
    for name, table in tables.items():
        (retail / "data" / f"{name}.json").write_text(json.dumps(table, indent=1))
    (retail / "tasks_test.py").write_text(_task_file(tables))
    (retail / "wiki.md").write_text("# Policy\n\nOnly pending orders can be cancelled.\n")
    (retail / "tools" / "get_order_details.py").write_text(TOOL)
    (retail.parent / "user.py").write_text(USER)
    return root


def made_tables() -> Record:
    """Draw the tables: forty customers with two or three orders each."""
    rng = random.Random(7)
    products = {f"{100 + n}": _product(f"{100 + n}", kind, rng) for n, kind in enumerate(KINDS)}
    tables: Record = {"orders": {}, "products": products, "users": {}}
    for number in range(40):
        first, last = FIRST[number % 10], LAST[number % 5]
        name = f"{first}_{last}_{1000 + number}".lower()
        card = f"credit_card_{5000 + number}"
        gift = f"gift_card_{6000 + number}"
        address = _address(rng)
        tables["users"][name] = {
            "name": {"first_name": first, "last_name": last},
            "address": address,
            "email": f"{first}.{last}{number}@example.com".lower(),
            "payment_methods": {
                card: {"source": "credit_card", "id": card, "brand": "visa", "last_four": f"{1000 + number}"},
                gift: {"source": "gift_card", "id": gift, "balance": float(rng.randrange(20, 300))},
            },
            "orders": [],
        }
        for status in STATUSES[number % 3 :: 2]:
            order = _order(f"#W{7000000 + len(tables['orders'])}", name, status, card, address, products, rng)
            tables["orders"][order["order_id"]] = order
            tables["users"][name]["orders"].append(order["order_id"])
    return tables


def _product(name: str, kind: str, rng: random.Random) -> Record:
    variants = {
        f"{int(name) * 1000 + n}": {
            "item_id": f"{int(name) * 1000 + n}",
            "options": {"colour": colour},
            "available": n != 3,
            "price": rng.randrange(1000, 30000) / 100,
        }
        for n, colour in enumerate(COLOURS)
    }
    return {"name": kind, "product_id": name, "variants": variants}


def _address(rng: random.Random) -> Record:
    return {
        "address1": f"{rng.randrange(1, 999)} Mill Street",
        "address2": f"Suite {rng.randrange(100, 999)}",
        "city": rng.choice(("Averley", "Caldmoor", "Larkspur")),
        "country": "USA",
        "state": rng.choice(("NM", "EV")),
        "zip": f"{rng.randrange(10000, 99999)}",
    }


def _order(
    name: str, user: str, status: str, card: str, address: Record, products: Record, rng: random.Random
) -> Record:
    items = []
    for product in rng.sample(list(products.values()), rng.randint(1, 3)):
        variant = product["variants"][rng.choice(list(product["variants"])[:3])]
        kept = {key: variant[key] for key in ("item_id", "price", "options")}
        items.append({"name": product["name"], "product_id": product["product_id"], **kept})
    total = round(sum(item["price"] for item in items), 2)
    history = [{"transaction_type": "payment", "amount": total, "payment_method_id": card}]
    if status == "cancelled":
        history.append({**history[0], "transaction_type": "refund"})
    return {
        "order_id": name,
        "user_id": user,
        "address": Record(address),
        "items": items,
        "fulfillments": [],
        "status": status,
        "payment_history": history,
    }


def _task_file(tables: Record) -> str:
    """Write six tasks: two cancellations, a return, an exchange, another payment, and a question."""
    pending = [order for order in tables["orders"].values() if order["status"] == "pending"]
    delivered = [order for order in tables["orders"].values() if order["status"] == "delivered"]
    tasks = [
        _task(tables, pending[0], "cancel it, ordered by mistake", [_cancel(pending[0])]),
        _task(tables, pending[3], "cancel it, ordered by mistake", [_cancel(pending[3])]),
        _task(tables, delivered[1], "return the first thing", [_return(delivered[1])]),
        _task(
            tables, delivered[4], "exchange the first thing for a red one", [_exchange(tables, delivered[4])]
        ),
        _task(
            tables, pending[6], "pay by your gift card or, failing that, leave it", [_pay(tables, pending[6])]
        ),
        _task(
            tables,
            delivered[7],
            "say what it cost",
            [],
            (f"{delivered[7]['payment_history'][0]['amount']:.2f}",),
        ),
    ]
    return "from tau_bench.types import Task, Action\n\nTASKS_TEST = [\n" + "".join(tasks) + "]\n"


def _task(
    tables: Record, order: Record, wish: str, actions: list[Step], outputs: tuple[str, ...] = ()
) -> str:
    user = tables["users"][order["user_id"]]
    known = {**user["name"], "zip": user["address"]["zip"]}
    name = f"{known['first_name']} {known['last_name']}"
    calls = [
        ("find_user_id_by_name_zip", known),
        ("get_order_details", {"order_id": order["order_id"]}),
        *actions,
    ]
    written = "".join(f"            Action(name={tool!r}, kwargs={kwargs!r}),\n" for tool, kwargs in calls)
    return (
        f"    Task(\n        annotator='0',\n        user_id={order['user_id']!r},\n"
        f"        instruction='You are {name} in {known['zip']}. About order {order['order_id']}: {wish}.',\n"
        f"        actions=[\n{written}        ],\n        outputs={list(outputs)!r},\n    ),\n"
    )


def _cancel(order: Record) -> Step:
    return "cancel_pending_order", {"order_id": order["order_id"], "reason": "ordered by mistake"}


def _return(order: Record) -> Step:
    method = order["payment_history"][0]["payment_method_id"]
    items = [order["items"][0]["item_id"]]
    return (
        "return_delivered_order_items",
        {"order_id": order["order_id"], "item_ids": items, "payment_method_id": method},
    )


def _exchange(tables: Record, order: Record) -> Step:
    item = order["items"][0]
    _, given = _return(order)
    new = next(iter(tables["products"][item["product_id"]]["variants"]))
    return "exchange_delivered_order_items", {**given, "new_item_ids": [new]}


def _pay(tables: Record, order: Record) -> Step:
    gift = next(name for name in tables["users"][order["user_id"]]["payment_methods"] if "gift" in name)
    return "modify_pending_order_payment", {"order_id": order["order_id"], "payment_method_id": gift}
