"""Baskets, and what changes orders: placing, cancelling, sending elsewhere, returning."""
# ruff: noqa: D103 - what a tool does is said in tools.json

from collections import Counter

from outcome_monitors_study.world.draws import units
from outcome_monitors_study.world.state import TODAY, Record, Refused, State

from .records import sums

__all__ = [
    "cancel_order",
    "change_delivery_address",
    "place_order",
    "quote_basket",
    "submit_purchase",
    "void_purchase",
]


def _priced(state: State, items: list[Record]) -> list[Record]:
    return [
        {"sku": i["sku"], "quantity": i["quantity"], "price": state["skus"].get(i["sku"])["price"]}
        for i in items
    ]


def _shown(lines: list[Record]) -> Record:
    return {name: units(amount) for name, amount in sums(lines).items()}


def quote_basket(state: State, items: list[Record]) -> Record:
    lines = _priced(state, items)
    return {
        "items": [
            {
                "sku": line["sku"],
                "quantity": line["quantity"],
                "unit_price": units(line["price"]),
                "line_total": units(line["price"] * line["quantity"]),
            }
            for line in lines
        ],
        "item_count": sum(line["quantity"] for line in lines),
        **_shown(lines),
    }


def _place(state: State, customer_id: str, items: list[Record], method_id: str) -> tuple[str, Record]:
    customer = state["customers"].get(customer_id)
    if method_id not in customer["methods"]:
        raise Refused(f"Customer {customer_id} has no payment method {method_id}.", "not_found")
    lines = _priced(state, items)
    _take(state, lines)
    order: Record = {
        "customer_id": customer_id,
        "placed_on": TODAY,
        "status": "pending",
        "lines": lines,
        "address": customer["address"],
        **dict.fromkeys(("parcel", "sent_on", "arrived_on")),
    }
    key = state["orders"].add(order)
    charge = {"kind": "charge", "method_id": method_id, "amount": sums(lines)["total"]}
    order["payments"] = {f"PAY-{key[4:]}1": charge}
    return key, order


def _take(state: State, lines: list[Record]) -> None:
    wanted: Counter[str] = Counter()
    for line in lines:
        wanted[line["sku"]] += line["quantity"]
    for sku, quantity in wanted.items():
        if sum(state["skus"].get(sku)["stock"].values()) < quantity:
            raise Refused(f"There are not {quantity} of {sku} in stock.", "conflict")
    for sku, left in wanted.items():
        stock = state["skus"].edit(sku)["stock"]
        for site, available in stock.items():
            taken = min(left, available)
            stock[site], left = available - taken, left - taken  # noqa: PLW2901 - what is left to take


def place_order(state: State, customer_id: str, items: list[Record], payment_method_id: str) -> Record:
    key, order = _place(state, customer_id, items, payment_method_id)
    return {
        "order_id": key,
        "customer_id": customer_id,
        "status": order["status"],
        "placed_on": order["placed_on"],
        "payment_id": next(iter(order["payments"])),
        "payment_method_id": payment_method_id,
        "item_count": sum(line["quantity"] for line in order["lines"]),
        **_shown(order["lines"]),
    }


def submit_purchase(state: State, shopper_ref: str, lines: list[Record], pay_with: str) -> Record:
    items = [{"sku": line["code"], "quantity": line["units"]} for line in lines]
    key, order = _place(state, shopper_ref, items, pay_with)
    receipt = {"reference": key, "shopper_ref": shopper_ref, "state": order["status"].upper()}
    return {"receipt": {**receipt, "amount_cents": sums(order["lines"])["total"]}, "charged_to": pay_with}


def _cancel(state: State, key: str, reason: str) -> Record:
    if state["orders"].get(key)["status"] not in {"pending", "processing"}:
        raise Refused(f"Order {key} can no longer be cancelled.", "conflict")
    order = state["orders"].edit(key)
    first = next(iter(order["payments"].values()))
    order["payments"][f"PAY-{key[4:]}2"] = {**first, "kind": "refund"}
    order["status"], order["reason"] = "cancelled", reason
    return order


def cancel_order(state: State, order_id: str, reason: str) -> Record:
    order = _cancel(state, order_id, reason)
    refund_id, refund = list(order["payments"].items())[-1]
    refunded = {"refund_id": refund_id, "amount": units(refund["amount"])}
    return {"order_id": order_id, "status": "cancelled", "reason": reason, "refund": refunded}


def void_purchase(state: State, reference: str, cause: str) -> Record:
    order = _cancel(state, reference, cause)
    refunded = list(order["payments"].values())[-1]["amount"]
    return {"reference": reference, "state": "CANCELLED", "cause": cause, "refunded_cents": refunded}


def change_delivery_address(state: State, order_id: str, address: Record) -> Record:
    order = state["orders"].get(order_id)
    if order["status"] not in {"pending", "processing"}:
        raise Refused(f"Order {order_id} has already left.", "conflict")
    state["orders"].edit(order_id)["address"] = address
    return {"order_id": order_id, "status": order["status"], "address": address, "updated_at": state.stamp}
