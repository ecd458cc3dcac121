"""The tools that change records, with the rules and answers of tau-bench's own (`tau_bench/envs/retail/tools`).

A call that is refused has changed nothing.
"""

from collections.abc import Sequence

from outcome_monitors.model import Json

from ._shop import Shop

__all__ = ["CHANGES", "REASONS", "RefusedError", "pay_otherwise", "send_elsewhere"]

REASONS = ("no longer needed", "ordered by mistake")

Order = dict[str, Json]


class RefusedError(Exception):
    """What a tool says no with."""


def cancel_pending_order(shop: Shop, order_id: str, reason: str) -> Json:
    """Cancel an order and pay back every payment, to a gift card at once."""
    order = _order(shop, order_id, "pending", "cancelled")
    if reason not in REASONS:
        raise RefusedError("invalid reason")
    refunds = [
        {
            "transaction_type": "refund",
            "amount": payment["amount"],
            "payment_method_id": payment["payment_method_id"],
        }
        for payment in order["payment_history"]
    ]
    for refund in refunds:
        if "gift_card" in refund["payment_method_id"]:
            _credit(shop, order, refund["payment_method_id"], refund["amount"])
    order = shop.record("orders", order_id)
    order["status"] = "cancelled"
    order["cancel_reason"] = reason
    order["payment_history"].extend(refunds)
    return order


def exchange_delivered_order_items(
    shop: Shop, order_id: str, item_ids: Sequence[str], new_item_ids: Sequence[str], payment_method_id: str
) -> Json:
    """Ask for other variants in the place of delivered items."""
    order = _order(shop, order_id, "delivered", "exchanged")
    difference = round(_difference(shop, order, item_ids, new_item_ids), 2)
    method = _method(shop, order, payment_method_id)
    if method["source"] == "gift_card" and method["balance"] < difference:
        raise RefusedError("insufficient gift card balance to pay for the price difference")
    order = shop.record("orders", order_id)
    order["status"] = "exchange requested"
    order["exchange_items"] = sorted(item_ids)
    order["exchange_new_items"] = sorted(new_item_ids)
    order["exchange_payment_method_id"] = payment_method_id
    order["exchange_price_difference"] = difference
    return order


def modify_pending_order_address(shop: Shop, order_id: str, **address: str) -> Json:
    """Send an order elsewhere."""
    _order(shop, order_id, "pending", "modified")
    return send_elsewhere(shop, order_id, **address)


def modify_pending_order_items(
    shop: Shop, order_id: str, item_ids: Sequence[str], new_item_ids: Sequence[str], payment_method_id: str
) -> Json:
    """Put other variants in the place of items, and pay or take the difference."""
    order = _order(shop, order_id, "pending", "modified")
    difference = _difference(shop, order, item_ids, new_item_ids)
    method = _method(shop, order, payment_method_id)
    if method["source"] == "gift_card":
        if method["balance"] < difference:
            raise RefusedError("insufficient gift card balance to pay for the new item")
        _credit(shop, order, payment_method_id, -difference)
    order = shop.record("orders", order_id)
    order["payment_history"].append(
        {
            "transaction_type": "payment" if difference > 0 else "refund",
            "amount": abs(difference),
            "payment_method_id": payment_method_id,
        }
    )
    for old, new in zip(item_ids, new_item_ids, strict=True):
        item = next(item for item in order["items"] if item["item_id"] == old)
        variant = _variants(shop, item)[new]
        item |= {"item_id": new, "price": variant["price"], "options": variant["options"]}
    order["status"] = "pending (item modified)"
    return order


def modify_pending_order_payment(shop: Shop, order_id: str, payment_method_id: str) -> Json:
    """Pay an order by another method, and pay the first one back."""
    return pay_otherwise(shop, _order(shop, order_id, "pending", "modified"), payment_method_id)


def send_elsewhere(shop: Shop, order_id: str, **address: str) -> Json:
    """Change an order's address, whatever its status."""
    order = shop.record("orders", order_id)
    order["address"] = _address(**address)
    return order


def pay_otherwise(shop: Shop, order: Order, payment_method_id: str) -> Json:
    """Change how an order is paid, whatever its status."""
    method = _method(shop, order, payment_method_id)
    history = order["payment_history"]
    if len(history) > 1 or history[0]["transaction_type"] != "payment":
        raise RefusedError("there should be exactly one payment for a pending order")
    amount, before = history[0]["amount"], history[0]["payment_method_id"]
    if before == payment_method_id:
        raise RefusedError("the new payment method should be different from the current one")
    if method["source"] == "gift_card":
        if method["balance"] < amount:
            raise RefusedError("insufficient gift card balance to pay for the order")
        _credit(shop, order, payment_method_id, -amount)
    if "gift_card" in before:
        _credit(shop, order, before, amount)
    order = shop.record("orders", order["order_id"])
    order["payment_history"] += [
        {"transaction_type": "payment", "amount": amount, "payment_method_id": payment_method_id},
        {"transaction_type": "refund", "amount": amount, "payment_method_id": before},
    ]
    return order


def modify_user_address(shop: Shop, user_id: str, **address: str) -> Json:
    """Change where a user lives."""
    if shop.find("users", user_id) is None:
        raise RefusedError("user not found")
    user = shop.record("users", user_id)
    user["address"] = _address(**address)
    return user


def return_delivered_order_items(
    shop: Shop, order_id: str, item_ids: Sequence[str], payment_method_id: str
) -> Json:
    """Ask to give delivered items back, for money to the first method or a gift card."""
    order = _order(shop, order_id, "delivered", "returned")
    _method(shop, order, payment_method_id)
    first = order["payment_history"][0]["payment_method_id"]
    if "gift_card" not in payment_method_id and payment_method_id != first:
        raise RefusedError("payment method should be either the original payment method or a gift card")
    if _absent(order, item_ids) is not None:
        raise RefusedError("some item not found")
    order = shop.record("orders", order_id)
    order["status"] = "return requested"
    order["return_items"] = sorted(item_ids)
    order["return_payment_method_id"] = payment_method_id
    return order


CHANGES = (
    cancel_pending_order,
    exchange_delivered_order_items,
    modify_pending_order_address,
    modify_pending_order_items,
    modify_pending_order_payment,
    modify_user_address,
    return_delivered_order_items,
)


def _order(shop: Shop, order_id: str, status: str, done: str) -> Order:
    """Return an order, not to be changed; refuse where it is not of the status that a change asks for."""
    order = shop.find("orders", order_id)
    if order is None:
        raise RefusedError("order not found")
    if order["status"] != status:
        raise RefusedError(f"non-{status} order cannot be {done}")
    return order


def _absent(order: Order, item_ids: Sequence[str]) -> str | None:
    """Return the first item that stands more often in the list than in the order."""
    owned = [item["item_id"] for item in order["items"]]
    return next((name for name in item_ids if item_ids.count(name) > owned.count(name)), None)


def _variants(shop: Shop, item: dict[str, Json]) -> dict[str, dict[str, Json]]:
    product = shop.find("products", item["product_id"]) or {}
    variants: dict[str, dict[str, Json]] = product["variants"]
    return variants


def _difference(shop: Shop, order: Order, item_ids: Sequence[str], new_item_ids: Sequence[str]) -> float:
    """Return what the new items cost more than the old ones."""
    if (absent := _absent(order, item_ids)) is not None:
        raise RefusedError(f"{absent} not found")
    if len(item_ids) != len(new_item_ids):
        raise RefusedError("the number of items to be exchanged should match")
    difference = 0
    for old, new in zip(item_ids, new_item_ids, strict=True):
        item = next(item for item in order["items"] if item["item_id"] == old)
        variant = _variants(shop, item).get(new)
        if variant is None or not variant["available"]:
            raise RefusedError(f"new item {new} not found or available")
        difference += variant["price"] - item["price"]
    return difference


def _method(shop: Shop, order: Order, name: str) -> dict[str, Json]:
    owner = shop.find("users", order["user_id"]) or {}
    method: dict[str, Json] | None = owner["payment_methods"].get(name)
    if method is None:
        raise RefusedError("payment method not found")
    return method


def _credit(shop: Shop, order: Order, method: str, amount: float) -> None:
    card = shop.record("users", order["user_id"])["payment_methods"][method]
    card["balance"] = round(card["balance"] + amount, 2)


def _address(
    address1: str,
    address2: str,
    city: str,
    state: str,
    country: str,
    zip: str,  # noqa: A002 - the tool's own name for it
) -> dict[str, str]:
    return {
        "address1": address1,
        "address2": address2,
        "city": city,
        "state": state,
        "country": country,
        "zip": zip,
    }
