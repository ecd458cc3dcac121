"""A shop: customers, catalogue, stock, baskets and orders."""
# ruff: noqa: D103 - what a tool does is said in tools.json

import random
from collections import Counter

from outcome_monitors_study.world.records import (
    address,
    cents,
    generator,
    numbered,
    paged,
    past_day,
    person,
    shift,
    units,
    vocabulary,
)
from outcome_monitors_study.world.state import TODAY, Record, Refused, State, Tables

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
    return state["customers"].first(
        f"No customer has the address {email}.", lambda customer: customer["email"] == email.lower()
    )


def find_customer(state: State, email: str) -> Record:
    key, customer = _customer(state, email)
    first = next(iter(customer["methods"]))
    methods = {m: {"kind": k, "preferred": m == first} for m, k in customer["methods"].items()}
    return {
        "customer_id": key,
        "name": customer["name"],
        "loyalty": customer,
        "address": customer["address"],
        "payment_methods": methods,
        "preferred_method_id": first,
    }


def lookup_shopper(state: State, contact: str) -> Record:
    key, customer = _customer(state, contact)
    shopper = {
        "ref": key,
        "full_name": customer["name"],
        "level": customer["tier"].upper(),
        "points_balance": customer["points"],
        "home": customer["address"]["city"],
    }
    wallet = [{"method": m, "type": kind} for m, kind in customer["methods"].items()]
    return {"shopper": shopper, "wallet": wallet}


def _items(order: Record) -> int:
    return int(sum(line["quantity"] for line in order["lines"]))


def list_customer_orders(state: State, customer_id: str, status: str | None, page: int, limit: int) -> Record:
    state["customers"].get(customer_id)
    found = [
        {**order, **_totals(order["lines"]), "order_id": key, "item_count": _items(order)}
        for key, order in state["orders"].items()
        if order["customer_id"] == customer_id and status in {None, order["status"]}
    ]
    found.sort(key=lambda row: (row["placed_on"], row["order_id"]), reverse=True)
    return paged("orders", found, page, limit)


def get_order(state: State, order_id: str) -> Record:
    order = state["orders"].get(order_id)
    return {
        **order,
        "items": [_line(state, line) for line in order["lines"]],
        "item_count": _items(order),
        "totals": _totals(order["lines"]),
        "payments": {key: {**p, "amount": units(p["amount"])} for key, p in order["payments"].items()},
        "net_paid": units(_net(order)),
        "tracking_number": order["parcel"],
    }


def lookup_purchase(state: State, reference: str) -> Record:
    order = state["orders"].get(reference)
    return {
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
    return {"stage": order["status"], "parcel_no": order["parcel"], "lines": lines}


def order_ledger(state: State, order_no: str) -> Record:
    order = state["orders"].get(order_no)
    entries = [
        {"entry": key, "kind": p["kind"], "amount": units(p["amount"])}
        for key, p in order["payments"].items()
    ]
    charged = sum(p["amount"] for p in order["payments"].values() if p["kind"] == "charge")
    net = _net(order)
    totals = {"charged": units(charged), "refunded": units(charged - net), "net": units(net)}
    return {"buyer": order["customer_id"], "entries": entries, **totals}


def track_parcel(state: State, tracking_number: str) -> Record:
    key, order = state["orders"].first(
        f"There is no parcel {tracking_number}.", lambda order: order["parcel"] == tracking_number
    )
    events = [{"on": order["sent_on"], "place": "Averley", "event": "left the warehouse"}]
    if order["arrived_on"]:
        events.append({"on": order["arrived_on"], "place": order["address"]["city"], "event": "delivered"})
    return {**order, "order_id": key, "delivered": "yes" if order["arrived_on"] else "no", "events": events}


def _catalogue(state: State, category: str, ceiling: float | None) -> list[tuple[int, str, Record]]:
    found = [
        (min(state["skus"].get(sku)["price"] for sku in product["variants"]), key, product)
        for key, product in state["products"].items()
        if product["category"] == category
    ]
    return sorted(
        (row for row in found if ceiling is None or row[0] <= cents(ceiling)), key=lambda row: row[:2]
    )


def search_products(state: State, category: str, max_price: float | None, limit: int) -> Record:
    found = _catalogue(state, category, max_price)
    products = [
        {**product, "product_id": key, "from_price": units(price)} for price, key, product in found[:limit]
    ]
    return {"total_count": len(found), "products": products}


def get_product(state: State, product_id: str) -> Record:
    product = state["products"].get(product_id)
    skus = {sku: state["skus"].get(sku) for sku in product["variants"]}
    stock = {sku: sum(record["stock"].values()) for sku, record in skus.items()}
    variants = {
        sku: {
            "colour": r["colour"],
            "price": units(r["price"]),
            "in_stock": stock[sku] > 0,
            "stock": stock[sku],
        }
        for sku, r in skus.items()
    }
    cheapest = min(skus, key=lambda sku: (skus[sku]["price"], sku))
    return {**product, "variants": variants, "cheapest_sku": cheapest}


def browse_catalogue(state: State, department: str, ceiling_cents: int | None, top: int) -> Record:
    found = _catalogue(state, department, None if ceiling_cents is None else units(ceiling_cents))
    shelf = [
        {"article": key, "label": product["name"], "stars": product["rating"], "cents_from": price}
        for price, key, product in found[:top]
    ]
    return {"shelf": shelf, "shown": len(shelf), "available": len(found)}


def article_card(state: State, article: str) -> Record:
    product = state["products"].get(article)
    skus = [(sku, state["skus"].get(sku)) for sku in product["variants"]]
    options = [
        {"code": sku, "colour": r["colour"], "cents": r["price"], "on_hand": sum(r["stock"].values())}
        for sku, r in sorted(skus, key=lambda pair: (pair[1]["price"], pair[0]))
    ]
    return {"label": product["name"], "options": options}


def check_stock(state: State, sku: str) -> Record:
    stock = state["skus"].get(sku)["stock"]
    total = sum(stock.values())
    sites = {site: {"city": WAREHOUSES[site], "available": n} for site, n in stock.items()}
    known = {"total_available": total, "in_stock": total > 0}
    return {**known, "by_warehouse": sites, "warehouse_count": len(stock)}


def site_inventory(state: State, item_code: str) -> Record:
    stock = state["skus"].get(item_code)["stock"]
    sites = [{"site": site, "town": WAREHOUSES[site], "on_hand": n} for site, n in stock.items()]
    return {"sites": sites, "sum_on_hand": sum(stock.values())}


def _priced(state: State, items: list[Record]) -> list[Record]:
    return [
        {"sku": i["sku"], "quantity": i["quantity"], "price": state["skus"].get(i["sku"])["price"]}
        for i in items
    ]


def quote_basket(state: State, items: list[Record]) -> Record:
    lines = _priced(state, items)
    found = {"items": [_line(state, line) for line in lines], "item_count": _items({"lines": lines})}
    return {**found, **_totals(lines)}


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
    found = {"order_id": key, "payment_id": next(iter(order["payments"])), "item_count": _items(order)}
    return {**order, **found, **_totals(order["lines"])}


def submit_purchase(state: State, shopper_ref: str, lines: list[Record], pay_with: str) -> Record:
    items = [{"sku": line["code"], "quantity": line["units"]} for line in lines]
    key, order = _place(state, shopper_ref, items, pay_with)
    receipt = {"reference": key, "shopper_ref": shopper_ref, "state": order["status"].upper()}
    return {"receipt": {**receipt, "amount_cents": sums(order["lines"])["total"]}, "charged_to": pay_with}


def _changeable(state: State, key: str, refusal: str) -> Record:
    if state["orders"].get(key)["status"] not in {"pending", "processing"}:
        raise Refused(refusal, "conflict")
    return state["orders"].edit(key)


def _cancel(state: State, key: str, reason: str) -> Record:
    order = _changeable(state, key, f"Order {key} can no longer be cancelled.")
    first = next(iter(order["payments"].values()))
    order["payments"][f"PAY-{key[4:]}2"] = {**first, "kind": "refund"}
    order["status"], order["reason"] = "cancelled", reason
    return order


def cancel_order(state: State, order_id: str, reason: str) -> Record:
    order = _cancel(state, order_id, reason)
    refund_id, refund = list(order["payments"].items())[-1]
    return {"status": "cancelled", "refund": {"refund_id": refund_id, "amount": units(refund["amount"])}}


def void_purchase(state: State, reference: str, cause: str) -> Record:
    order = _cancel(state, reference, cause)
    refunded = list(order["payments"].values())[-1]["amount"]
    return {"state": "CANCELLED", "refunded_cents": refunded}


def change_delivery_address(state: State, order_id: str, address: Record) -> Record:
    order = _changeable(state, order_id, f"Order {order_id} has already left.")
    order["address"] = address
    return order
