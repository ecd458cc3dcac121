"""Baskets, and what changes orders: placing, cancelling, sending elsewhere, returning."""

from collections import Counter
from functools import partial

from outcome_monitors.study.world._draws import units
from outcome_monitors.study.world._schema import choice, count, day, ident, money, obj, rows, text, whole
from outcome_monitors.study.world._state import TODAY, Record, State
from outcome_monitors.study.world._tool import Refused, tool

from .records import STATUSES, sums

__all__ = ["TOOLS"]

processor = partial(tool, "retail", "processor")
action = partial(tool, "retail", "action")

_BASKET = rows(obj(sku=ident("SKU"), quantity=whole(1, 20)), least=1, most=8)
_SUMS = {"subtotal": money(), "shipping": money(), "tax": money(), "total": money()}
_ADDRESS = obj(street=text(), city=text(), region=text(), postal_code=text())


def _priced(state: State, items: list[Record]) -> list[Record]:
    return [
        {"sku": i["sku"], "quantity": i["quantity"], "price": state["skus"].get(i["sku"])["price"]}
        for i in items
    ]


def _shown(lines: list[Record]) -> Record:
    return {name: units(amount) for name, amount in sums(lines).items()}


@processor(
    obj(
        items=rows(
            obj(sku=ident("SKU"), quantity=whole(1, 20), unit_price=money(), line_total=money()), least=1
        ),
        item_count=count(),
        **_SUMS,
    ),
    items=_BASKET,
)
def quote_basket(state: State, items: list[Record]) -> Record:
    """Price a basket: each line, subtotal, shipping, tax, total."""
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


@action(
    obj(
        order_id=ident("ORD"),
        customer_id=ident("CUS"),
        status=choice(*STATUSES),
        placed_on=day(),
        payment_id=ident("PAY"),
        payment_method_id=ident("PM"),
        item_count=count(),
        **_SUMS,
    ),
    customer_id=ident("CUS", "Customer"),
    items=_BASKET,
    payment_method_id=ident("PM", "Payment method of the customer"),
)
def place_order(state: State, customer_id: str, items: list[Record], payment_method_id: str) -> Record:
    """Place an order; each call places another one."""
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


@action(
    obj(
        receipt=obj(reference=ident("ORD"), shopper_ref=ident("CUS"), state=text(), amount_cents=count()),
        charged_to=ident("PM"),
    ),
    shopper_ref=ident("CUS", "Reference of the shopper"),
    lines=rows(obj(code=ident("SKU"), units=whole(1, 20)), least=1, most=8),
    pay_with=ident("PM", "Method in the shopper's wallet"),
)
def submit_purchase(state: State, shopper_ref: str, lines: list[Record], pay_with: str) -> Record:
    """Submit a purchase for a shopper; each call submits another one."""
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


_REASONS = choice("changed_mind", "ordered_by_mistake", "found_cheaper", about="Why")


@action(
    obj(
        order_id=ident("ORD"),
        status=choice("cancelled"),
        reason=text(),
        refund=obj(refund_id=text(), amount=money()),
    ),
    order_id=ident("ORD", "Number of the order"),
    reason=_REASONS,
)
def cancel_order(state: State, order_id: str, reason: str) -> Record:
    """Cancel an order that has not been sent, and refund it."""
    order = _cancel(state, order_id, reason)
    refund_id, refund = list(order["payments"].items())[-1]
    refunded = {"refund_id": refund_id, "amount": units(refund["amount"])}
    return {"order_id": order_id, "status": "cancelled", "reason": reason, "refund": refunded}


@action(
    obj(reference=ident("ORD"), state=choice("CANCELLED"), cause=text(), refunded_cents=count()),
    reference=ident("ORD", "Reference of the purchase"),
    cause=_REASONS,
)
def void_purchase(state: State, reference: str, cause: str) -> Record:
    """Void a purchase that has not been sent, and give the money back."""
    order = _cancel(state, reference, cause)
    refunded = list(order["payments"].values())[-1]["amount"]
    return {"reference": reference, "state": "CANCELLED", "cause": cause, "refunded_cents": refunded}


@action(
    obj(order_id=ident("ORD"), status=choice(*STATUSES), address=_ADDRESS, updated_at=text()),
    idempotent=True,
    order_id=ident("ORD", "Number of the order"),
    address=_ADDRESS,
)
def change_delivery_address(state: State, order_id: str, address: Record) -> Record:
    """Send an order that has not left yet to another address."""
    order = state["orders"].get(order_id)
    if order["status"] not in {"pending", "processing"}:
        raise Refused(f"Order {order_id} has already left.", "conflict")
    state["orders"].edit(order_id)["address"] = address
    return {"order_id": order_id, "status": order["status"], "address": address, "updated_at": state.stamp}


TOOLS = (
    quote_basket,
    place_order,
    submit_purchase,
    cancel_order,
    void_purchase,
    change_delivery_address,
)
