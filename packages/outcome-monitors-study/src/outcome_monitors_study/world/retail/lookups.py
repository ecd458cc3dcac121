"""Who the shop's customers are and what they bought."""
# ruff: noqa: D103 - what a tool does is said in tools.json

from outcome_monitors_study.world.draws import units
from outcome_monitors_study.world.state import Record, Refused, State

from .records import sums

__all__ = [
    "find_customer",
    "get_order",
    "list_customer_orders",
    "lookup_purchase",
    "lookup_shopper",
    "order_ledger",
    "order_lines",
    "track_parcel",
]


def _name(state: State, sku: str) -> str:
    return str(state["products"].get(state["skus"].get(sku)["product_id"])["name"])


def _line(state: State, line: Record) -> Record:
    price, quantity = line["price"], line["quantity"]
    named = {"sku": line["sku"], "name": _name(state, line["sku"]), "quantity": quantity}
    return {**named, "unit_price": units(price), "line_total": units(price * quantity)}


def _totals(lines: list[Record]) -> Record:
    return {name: units(amount) for name, amount in sums(lines).items()}


def _net(order: Record) -> int:
    return sum(p["amount"] if p["kind"] == "charge" else -p["amount"] for p in order["payments"].values())


def _customer(state: State, email: str) -> tuple[str, Record]:
    found = next((pair for pair in state["customers"].items() if pair[1]["email"] == email.lower()), None)
    if found is None:
        raise Refused(f"No customer has the address {email}.", "not_found")
    return found


def find_customer(state: State, email: str) -> Record:
    key, customer = _customer(state, email)
    first = next(iter(customer["methods"]))
    return {
        "customer_id": key,
        "name": customer["name"],
        "email": email,
        "loyalty": {"tier": customer["tier"], "points": customer["points"]},
        "address": customer["address"],
        "payment_methods": {m: {"kind": k, "preferred": m == first} for m, k in customer["methods"].items()},
        "preferred_method_id": first,
    }


def lookup_shopper(state: State, contact: str) -> Record:
    key, customer = _customer(state, contact)
    shopper = {"ref": key, "full_name": customer["name"], "level": customer["tier"].upper()}
    return {
        "contact": contact,
        "shopper": {**shopper, "points_balance": customer["points"], "home": customer["address"]["city"]},
        "wallet": [{"method": m, "type": kind} for m, kind in customer["methods"].items()],
    }


def list_customer_orders(state: State, customer_id: str, status: str | None, page: int, limit: int) -> Record:
    state["customers"].get(customer_id)
    found = [
        {
            "order_id": key,
            "placed_on": order["placed_on"],
            "status": order["status"],
            "item_count": sum(line["quantity"] for line in order["lines"]),
            "total": units(sums(order["lines"])["total"]),
        }
        for key, order in state["orders"].items()
        if order["customer_id"] == customer_id and status in {None, order["status"]}
    ]
    found.sort(key=lambda row: (row["placed_on"], row["order_id"]), reverse=True)
    asked = {"customer_id": customer_id, "status": status, "page": page, "limit": limit}
    size = {"total_count": len(found), "has_more": page * limit < len(found)}
    return {**asked, **size, "orders": found[(page - 1) * limit : page * limit]}


def get_order(state: State, order_id: str) -> Record:
    order = state["orders"].get(order_id)
    return {
        "order_id": order_id,
        "customer_id": order["customer_id"],
        "placed_on": order["placed_on"],
        "status": order["status"],
        "items": [_line(state, line) for line in order["lines"]],
        "item_count": sum(line["quantity"] for line in order["lines"]),
        "totals": _totals(order["lines"]),
        "payments": {key: {**p, "amount": units(p["amount"])} for key, p in order["payments"].items()},
        "net_paid": units(_net(order)),
        "address": order["address"],
        "tracking_number": order["parcel"],
    }


def lookup_purchase(state: State, reference: str) -> Record:
    order = state["orders"].get(reference)
    return {
        "reference": reference,
        "shopper_ref": order["customer_id"],
        "state": order["status"].upper(),
        "dates": {"bought": order["placed_on"], "sent": order["sent_on"], "arrived": order["arrived_on"]},
        "lines": [
            {"code": x["sku"], "units": x["quantity"], "price_cents": x["price"]} for x in order["lines"]
        ],
        "amount_cents": sums(order["lines"])["total"],
        "paid_cents": _net(order),
        "parcel": order["parcel"],
    }


def order_lines(state: State, order_no: str) -> Record:
    order = state["orders"].get(order_no)
    lines = [_line(state, line) for line in order["lines"]]
    head = {"order_no": order_no, "stage": order["status"], "parcel_no": order["parcel"]}
    return {**head, "lines": lines, "line_count": len(lines)}


def order_ledger(state: State, order_no: str) -> Record:
    order = state["orders"].get(order_no)
    paid = {
        kind: [p["amount"] for p in order["payments"].values() if p["kind"] == kind]
        for kind in ("charge", "refund")
    }
    charged, refunded = sum(paid["charge"]), sum(paid["refund"])
    return {
        "order_no": order_no,
        "buyer": order["customer_id"],
        "entries": [
            {"entry": key, "kind": p["kind"], "amount": units(p["amount"])}
            for key, p in order["payments"].items()
        ],
        "charged": units(charged),
        "refunded": units(refunded),
        "net": units(charged - refunded),
    }


def track_parcel(state: State, tracking_number: str) -> Record:
    found = next((pair for pair in state["orders"].items() if pair[1]["parcel"] == tracking_number), None)
    if found is None:
        raise Refused(f"There is no parcel {tracking_number}.", "not_found")
    key, order = found
    events = [{"on": order["sent_on"], "place": "Averley", "event": "left the warehouse"}]
    if order["arrived_on"]:
        events.append({"on": order["arrived_on"], "place": order["address"]["city"], "event": "delivered"})
    return {
        "tracking_number": tracking_number,
        "order_id": key,
        "delivered": "yes" if order["arrived_on"] else "no",
        "sent_on": order["sent_on"],
        "arrived_on": order["arrived_on"],
        "events": events,
        "event_count": len(events),
    }
