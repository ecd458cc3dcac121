"""Writes the shop: `shop.jsonl`, clean calls of seven tools in sixty tasks, and `wrong.jsonl`, results that are wrong.

Run it in this folder. Only `Random.random` is used, which gives the same numbers in every Python.
"""

import json
from pathlib import Path
from random import Random
from typing import Any

STATUSES = ("pending", "processed", "shipped", "delivered")
CATEGORIES = ("lamp", "chair", "desk")
Line = dict[str, Any]


class Shop:
    """Forty orders of twelve products by fifteen customers, and the tools that tell of them."""

    def __init__(self) -> None:
        self._draw = Random(20260820)
        self.products = [self._product(number) for number in range(12)]
        self.orders = [self._order(number) for number in range(40)]

    def below(self, end: int) -> int:
        """Draw a number from zero to `end`, which is left out."""
        return int(self._draw.random() * end)

    def _product(self, number: int) -> Line:
        category = CATEGORIES[number % 3]
        return {
            "sku": f"SKU-{1000 + 37 * number}",
            "name": f"{category.title()} No. {number + 1}",
            "category": category,
            "price": round(5 + self.below(20000) / 100, 2),
            "stock": 1 + self.below(90),
            "weight_g": 250 * (1 + self.below(30)),
        }

    def _order(self, number: int) -> Line:
        items = [
            {"sku": product["sku"], "quantity": 1 + self.below(4), "unit_price": product["price"]}
            for product in (self.products[(number + step * 5) % 12] for step in range(1 + self.below(3)))
        ]
        subtotal = round(sum(item["quantity"] * item["unit_price"] for item in items), 2)
        shipping = (0.0, 4.9, 9.9)[self.below(3)]
        day = 1 + number % 20
        return {
            "id": f"W{1000 + number}",
            "customer_id": f"C{100 + number % 15}",
            "status": STATUSES[self.below(4)],
            "items": items,
            "subtotal": subtotal,
            "shipping": shipping,
            "total": round(subtotal + shipping, 2),
            "currency": "EUR",
            "ordered_at": f"2026-06-{day:02}T{8 + number % 10:02}:15:00Z",
            "ships_at": f"2026-06-{day + 2 + self.below(6):02}T09:00:00Z",
        }

    def answer(self, tool: str, arguments: Line) -> Any:
        """Return what a tool says."""
        if tool == "get_order":
            return next(order for order in self.orders if order["id"] == arguments["id"])
        if tool in {"get_product", "quote"}:
            found = next(product for product in self.products if product["sku"] in arguments.values())
            return (
                found
                if tool == "get_product"
                else {"code": found["sku"], "price": found["price"], "currency": "EUR"}
            )
        if tool == "find_customer":
            number = arguments["email"].partition("@")[0].removeprefix("user")
            return {"id": f"C{number}", "email": arguments["email"], "orders": 2 + int(number) % 2}
        if tool == "list_orders":
            theirs = [order for order in self.orders if order["customer_id"] == arguments["customer_id"]]
            rows = [
                {name: order[name] for name in ("id", "status", "total", "ordered_at")} for order in theirs
            ]
            rows.sort(key=lambda row: row["ordered_at"])
            return {"customer_id": arguments["customer_id"], "count": len(rows), "orders": rows}
        if tool == "search_products":
            rows = [product for product in self.products if product["category"] == arguments["category"]]
            return sorted(rows, key=lambda product: product["price"])[: arguments["limit"]]
        return f"Parcel of {arguments['order_id']}: in transit, expected within {len(arguments['order_id'])} days."


TOOLS = [
    "find_customer",
    "get_order",
    "get_product",
    "list_orders",
    "quote",
    "search_products",
    "track_parcel",
]


def clean(shop: Shop) -> list[Line]:
    """Return what sixty runs of agents asked, and a few calls that failed openly."""
    lines: list[Line] = []
    for task in range(60):
        order = shop.orders[shop.below(40)]
        customer = order["customer_id"]
        sku = order["items"][0]["sku"]
        asked: list[tuple[str, Line]] = [
            ("find_customer", {"email": f"user{customer[1:]}@example.org"}),
            ("list_orders", {"customer_id": customer}),
            ("get_order", {"id": order["id"]}),
            ("get_product", {"sku": sku}),
            ("quote", {"code": sku}),
            ("search_products", {"category": CATEGORIES[shop.below(3)], "limit": 1 + shop.below(4)}),
            ("track_parcel", {"order_id": order["id"]}),
        ]
        for step, (tool, arguments) in enumerate(asked):
            line: Line = {"tool": tool, "arguments": arguments, "result": shop.answer(tool, arguments)}
            line |= {"task": f"shop/{task}", "session": f"run-{task}", "step": step}
            line["time"] = f"2026-07-{1 + task % 28:02}T10:{step:02}:00Z"
            if step == 2:
                line["tools"] = TOOLS
            lines.append(line)
        if task % 20 == 7:
            lines.append({**lines[-1], "result": "Error: no such parcel", "error": True, "step": 7})
    return lines


def wrong(shop: Shop) -> list[Line]:
    """Return calls of which most are wrong, each in one way, by name; a clean one comes first."""
    order = {"id": "W1003"}
    product = {"sku": shop.products[4]["sku"]}
    rows: Line = {"category": "desk", "limit": 4}
    given: list[tuple[str, str, Line, Any]] = [
        ("clean", "get_order", order, lambda result: result),
        ("negative", "get_order", order, lambda result: {**result, "total": -result["total"]}),
        ("new category", "get_order", order, lambda result: {**result, "status": "vaporised"}),
        ("other type", "get_order", order, lambda result: {**result, "total": str(result["total"])}),
        ("missing", "get_order", order, lambda result: {k: v for k, v in result.items() if k != "currency"}),
        ("unexpected", "get_order", order, lambda result: {**result, "debug": {"trace": 1}}),
        ("other order", "get_order", order, lambda _: shop.orders[9]),
        ("sum", "get_order", order, lambda result: {**result, "total": result["total"] + 100}),
        ("dates", "get_order", order, lambda result: {**result, "ships_at": "2026-05-01T09:00:00Z"}),
        ("error inside", "get_product", product, lambda _: {"error": "upstream timed out"}),
        ("page", "get_product", product, lambda _: "<html><body>502 Bad Gateway</body></html>"),
        ("scale", "get_product", product, lambda result: {**result, "price": result["price"] * 100000}),
        ("filter", "search_products", rows, lambda _: shop.products[:4]),
        ("order of rows", "search_products", rows, lambda result: result[::-1]),
        ("empty", "list_orders", {"customer_id": "C103"}, lambda r: {**r, "count": 0, "orders": []}),
        ("count", "list_orders", {"customer_id": "C103"}, lambda result: {**result, "count": 40}),
        ("null", "find_customer", {"email": "user103@example.org"}, lambda _: None),
        ("text", "track_parcel", {"order_id": "W1003"}, lambda _: "???"),
        ("mojibake", "track_parcel", {"order_id": "W1003"}, lambda text: text.replace("in transit", "Ã¼ber")),
        ("no contract", "cancel_order", order, lambda _: {"id": "W1003", "status": "cancelled"}),
    ]
    lines: list[Line] = []
    for name, tool, arguments, spoil in given:
        answer = None if tool == "cancel_order" else shop.answer(tool, arguments)
        lines.append({"tool": tool, "arguments": arguments, "result": spoil(answer), "task": f"wrong/{name}"})
    # One session in which two answers speak against each other.
    first = shop.answer("get_order", order)
    said: Line = {"tool": "get_order", "arguments": order}
    lines += [
        {**said, "result": result, "session": "told twice"}
        for result in (first, {**first, "customer_id": "C111"})
    ]
    lines.append({"tool": "get_order", "arguments": order, "result": "Error: timeout", "error": True})
    return lines


def written(lines: list[Line]) -> str:
    """Return trace lines as a file has them."""
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


if __name__ == "__main__":
    folder, world = Path(__file__).parent, Shop()
    (folder / "shop.jsonl").write_text(written(clean(world)), encoding="utf-8")
    (folder / "wrong.jsonl").write_text(written(wrong(world)), encoding="utf-8")
