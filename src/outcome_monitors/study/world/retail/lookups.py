"""Who the shop's customers are and what they bought."""

from functools import partial

from outcome_monitors.study.world._draws import units
from outcome_monitors.study.world._schema import (
    by_id,
    choice,
    count,
    day,
    flag,
    ident,
    maybe,
    money,
    obj,
    rows,
    text,
    whole,
)
from outcome_monitors.study.world._state import Record, State
from outcome_monitors.study.world._tool import Refused, tool

from .records import STATUSES, sums

__all__ = ["TOOLS"]

source = partial(tool, "retail", "source")

_ADDRESS = obj(street=text(), city=text(), region=text(), postal_code=text())
_STATUS = choice(*STATUSES)
_TOTALS = obj(subtotal=money(), shipping=money(), tax=money(), total=money())
_LINE = obj(sku=ident("SKU"), name=text(), quantity=whole(1, 99), unit_price=money(), line_total=money())
_PAYMENT = obj(kind=choice("charge", "refund"), method_id=ident("PM"), amount=money())
_ORDER_ID = ident("ORD", "Number of the order")


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


@source(
    obj(
        customer_id=ident("CUS"),
        name=text(),
        email=text(),
        loyalty=obj(tier=choice("bronze", "silver", "gold"), points=count()),
        address=_ADDRESS,
        payment_methods=by_id(obj(kind=choice("card", "wallet", "gift_card"), preferred=flag())),
        preferred_method_id=ident("PM"),
    ),
    email=text("E-mail address of the customer"),
)
def find_customer(state: State, email: str) -> Record:
    """Find a customer by e-mail address: name, loyalty, address and payment methods."""
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


@source(
    obj(
        contact=text(),
        shopper=obj(ref=ident("CUS"), full_name=text(), level=text(), points_balance=count(), home=text()),
        wallet=rows(obj(method=ident("PM"), type=text()), least=1),
    ),
    contact=text("E-mail address of the shopper"),
)
def lookup_shopper(state: State, contact: str) -> Record:
    """Look up a shopper by contact address: reference, name, member level, wallet (first is preferred)."""
    key, customer = _customer(state, contact)
    shopper = {"ref": key, "full_name": customer["name"], "level": customer["tier"].upper()}
    return {
        "contact": contact,
        "shopper": {**shopper, "points_balance": customer["points"], "home": customer["address"]["city"]},
        "wallet": [{"method": m, "type": kind} for m, kind in customer["methods"].items()],
    }


@source(
    obj(
        customer_id=ident("CUS"),
        status=maybe(_STATUS),
        page=whole(1, 50),
        limit=whole(1, 50),
        total_count=count(),
        has_more=flag(),
        orders=rows(
            obj(order_id=ident("ORD"), placed_on=day(), status=_STATUS, item_count=count(), total=money())
        ),
    ),
    customer_id=ident("CUS", "Customer"),
    status=choice(*STATUSES, about="Only orders in this status"),
    page=whole(1, 50, "Page, from 1"),
    limit=whole(1, 50, "Rows on a page"),
)
def list_customer_orders(
    state: State, customer_id: str, status: str | None = None, page: int = 1, limit: int = 10
) -> Record:
    """List a customer's orders, newest first, a page at a time."""
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


@source(
    obj(
        order_id=ident("ORD"),
        customer_id=ident("CUS"),
        placed_on=day(),
        status=_STATUS,
        items=rows(_LINE, least=1),
        item_count=count(),
        totals=_TOTALS,
        payments=by_id(_PAYMENT),
        net_paid=money(),
        address=_ADDRESS,
        tracking_number=maybe(ident("TRK")),
    ),
    order_id=_ORDER_ID,
)
def get_order(state: State, order_id: str) -> Record:
    """Give one order in full: items, totals, payments, address, tracking."""
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


@source(
    obj(
        reference=ident("ORD"),
        shopper_ref=ident("CUS"),
        state=text(),
        dates=obj(bought=day(), sent=maybe(day()), arrived=maybe(day())),
        lines=rows(obj(code=ident("SKU"), units=count(), price_cents=count()), least=1),
        amount_cents=count(),
        paid_cents=count(),
        parcel=maybe(ident("TRK")),
    ),
    reference=ident("ORD", "Reference of the purchase"),
)
def lookup_purchase(state: State, reference: str) -> Record:
    """Look up one purchase by reference: state, dates, lines, amounts in cents."""
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


@source(
    obj(
        order_no=ident("ORD"),
        stage=_STATUS,
        parcel_no=maybe(ident("TRK")),
        lines=rows(_LINE, 1),
        line_count=count(),
    ),
    order_no=_ORDER_ID,
)
def order_lines(state: State, order_no: str) -> Record:
    """List the lines of one order, with its stage and parcel."""
    order = state["orders"].get(order_no)
    lines = [_line(state, line) for line in order["lines"]]
    head = {"order_no": order_no, "stage": order["status"], "parcel_no": order["parcel"]}
    return {**head, "lines": lines, "line_count": len(lines)}


@source(
    obj(
        order_no=ident("ORD"),
        buyer=ident("CUS"),
        entries=rows(obj(entry=ident("PAY"), kind=choice("charge", "refund"), amount=money())),
        charged=money(),
        refunded=money(),
        net=money(),
    ),
    order_no=_ORDER_ID,
)
def order_ledger(state: State, order_no: str) -> Record:
    """List what was charged and refunded for one order, with the sums."""
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


@source(
    obj(
        tracking_number=ident("TRK"),
        order_id=ident("ORD"),
        delivered=choice("yes", "no"),
        sent_on=day(),
        arrived_on=maybe(day()),
        events=rows(obj(on=day(), place=text(), event=text()), least=1),
        event_count=count(),
    ),
    tracking_number=ident("TRK", "Number on the parcel"),
)
def track_parcel(state: State, tracking_number: str) -> Record:
    """Follow a parcel: when it left, where it has been, whether it has arrived."""
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


TOOLS = (
    find_customer,
    lookup_shopper,
    list_customer_orders,
    get_order,
    lookup_purchase,
    order_lines,
    order_ledger,
    track_parcel,
)
