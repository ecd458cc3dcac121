"""What people want of the shop."""

from outcome_monitors.study.world._draws import address
from outcome_monitors.study.world._episodes import Draw, Episode, ask
from outcome_monitors.study.world._needs import need, way

from .records import CATEGORIES

__all__ = ["EPISODES", "NEEDS"]

NEEDS = (
    need(
        "customer",
        way(
            ("find_customer", {"email": "$want.email"}),
            customer="$r1.customer_id",
            name="$r1.name",
            tier="$r1.loyalty.tier",
            points="$r1.loyalty.points",
            method="$r1.preferred_method_id",
        ),
        way(
            ("lookup_shopper", {"contact": "$want.email"}),
            customer="$r1.shopper.ref",
            name="$r1.shopper.full_name",
            tier="$r1.shopper.level|lower",
            points="$r1.shopper.points_balance",
            method="$r1.wallet[0].method",
        ),
    ),
    need(
        "orders_of",
        way(
            (
                "list_customer_orders",
                {
                    "customer_id": "$want.customer",
                    "status": "$want.status?",
                    "page": "$want.page?",
                    "limit": "$want.limit?",
                },
            ),
            first="$r1.orders[0].order_id",
            count="$r1.total_count",
        ),
    ),
    need(
        "order",
        way(
            ("get_order", {"order_id": "$want.order"}),
            customer="$r1.customer_id",
            status="$r1.status",
            total="$r1.totals.total",
            paid="$r1.net_paid",
            parcel="$r1.tracking_number",
            sku="$r1.items[0].sku",
        ),
        way(
            ("lookup_purchase", {"reference": "$want.order"}),
            customer="$r1.shopper_ref",
            status="$r1.state|lower",
            total="$r1.amount_cents|units",
            paid="$r1.paid_cents|units",
            parcel="$r1.parcel",
            sku="$r1.lines[0].code",
        ),
        way(
            ("order_lines", {"order_no": "$want.order"}),
            ("order_ledger", {"order_no": "$r1.order_no"}),
            customer="$r2.buyer",
            status="$r1.stage",
            total="$r2.charged",
            paid="$r2.net",
            parcel="$r1.parcel_no",
            sku="$r1.lines[0].sku",
        ),
    ),
    need(
        "product",
        way(
            (
                "search_products",
                {"category": "$want.category", "max_price": "$want.ceiling?", "limit": "$want.limit?"},
            ),
            ("get_product", {"product_id": "$r1.products[0].product_id"}),
            product="$r1.products[0].product_id",
            name="$r2.name",
            sku="$r2.cheapest_sku",
            price="$r2.variants.{r2.cheapest_sku}.price",
            stock="$r2.variants.{r2.cheapest_sku}.stock",
            matches="$r1.total_count",
        ),
        way(
            (
                "browse_catalogue",
                {
                    "department": "$want.category",
                    "ceiling_cents": "$want.ceiling?|cents",
                    "top": "$want.limit?",
                },
            ),
            ("article_card", {"article": "$r1.shelf[0].article"}),
            product="$r1.shelf[0].article",
            name="$r2.label",
            sku="$r2.options[0].code",
            price="$r2.options[0].cents|units",
            stock="$r2.options[0].on_hand",
            matches="$r1.available",
        ),
    ),
    need(
        "stock",
        way(("check_stock", {"sku": "$want.sku"}), available="$r1.total_available"),
        way(("site_inventory", {"item_code": "$want.sku"}), available="$r1.sum_on_hand"),
    ),
    need(
        "basket", way(("quote_basket", {"items": "$want.items"}), total="$r1.total", count="$r1.item_count")
    ),
    need(
        "purchase",
        way(
            (
                "place_order",
                {
                    "customer_id": "$want.customer",
                    "items": [{"sku": "$want.sku", "quantity": "$want.quantity"}],
                    "payment_method_id": "$want.method",
                },
            ),
            order="$r1.order_id",
            status="$r1.status",
            total="$r1.total",
        ),
        way(
            (
                "submit_purchase",
                {
                    "shopper_ref": "$want.customer",
                    "lines": [{"code": "$want.sku", "units": "$want.quantity"}],
                    "pay_with": "$want.method",
                },
            ),
            order="$r1.receipt.reference",
            status="$r1.receipt.state|lower",
            total="$r1.receipt.amount_cents|units",
        ),
    ),
    need(
        "cancellation",
        way(
            ("cancel_order", {"order_id": "$want.order", "reason": "$want.reason"}),
            status="$r1.status",
            refund="$r1.refund.amount",
        ),
        way(
            ("void_purchase", {"reference": "$want.order", "cause": "$want.reason"}),
            status="$r1.state|lower",
            refund="$r1.refunded_cents|units",
        ),
    ),
    need(
        "redirection",
        way(
            ("change_delivery_address", {"order_id": "$want.order", "address": "$want.address"}),
            city="$r1.address.city",
        ),
    ),
    need(
        "parcel",
        way(
            ("track_parcel", {"tracking_number": "$want.parcel"}),
            delivered="$r1.delivered",
            sent_on="$r1.sent_on",
            last="$r1.events[0].event",
        ),
    ),
)


def _reorder(draw: Draw) -> Episode:
    _, customer = draw.one("customers")
    category, quantity = draw.rng.choice(CATEGORIES), draw.rng.randint(1, 6)
    ceiling = draw.rng.choice((None, draw.rng.randrange(60, 160)))
    priced = "" if ceiling is None else f" of at most {ceiling} dollars"
    return Episode(
        f"Order {quantity} of the cheapest {category} product{priced} for {customer['email']},"
        " with the preferred payment method, after making sure that there are enough.",
        (
            ask("who", "customer", email=customer["email"]),
            ask("item", "product", category=category, ceiling=ceiling, limit=draw.rng.choice((3, 5, 10))),
            ask("left", "stock", sku="$item.sku"),
            ask("basket", "basket", items=[{"sku": "$item.sku", "quantity": quantity}]),
            ask(
                "placed",
                "purchase",
                customer="$who.customer",
                sku="$item.sku",
                quantity=quantity,
                method="$who.method",
            ),
            ask("after", "order", order="$placed.order"),
        ),
        {
            "order": "$placed.order",
            "total": "$after.total",
            "quoted": "$basket.total",
            "in stock before": "$left.available",
        },
    )


def _cancel(draw: Draw) -> Episode:
    _, order = draw.one("orders", lambda o: o["status"] in {"pending", "processing"})
    email = draw.tables["customers"][order["customer_id"]]["email"]
    reason = draw.rng.choice(("changed_mind", "ordered_by_mistake", "found_cheaper"))
    return Episode(
        f"{email} wants the latest {order['status']} order cancelled ({reason.replace('_', ' ')}); tell the refund.",
        (
            ask("who", "customer", email=email),
            ask(
                "list",
                "orders_of",
                customer="$who.customer",
                status=order["status"],
                limit=draw.rng.choice((5, 10)),
            ),
            ask("before", "order", order="$list.first"),
            ask("cancelled", "cancellation", order="$list.first", reason=reason),
            ask("after", "order", order="$list.first"),
        ),
        {
            "order": "$list.first",
            "paid": "$before.paid",
            "refund": "$cancelled.refund",
            "status": "$after.status",
        },
    )


def _redirect(draw: Draw) -> Episode:
    key, _ = draw.one("orders", lambda o: o["status"] in {"pending", "processing"})
    place = address(draw.rng)
    return Episode(
        f"Send order {key} to {place['street']}, {place['postal_code']} {place['city']} instead, and tell its total.",
        (
            ask("before", "order", order=key),
            ask("moved", "redirection", order=key, address=place),
            ask("orders", "orders_of", customer="$before.customer", page=1, limit=draw.rng.choice((5, 20))),
            ask("left", "stock", sku="$before.sku"),
        ),
        {
            "total": "$before.total",
            "city": "$moved.city",
            "orders": "$orders.count",
            "left": "$left.available",
        },
    )


def _follow(draw: Draw) -> Episode:
    _, order = draw.one("orders", lambda o: o["parcel"])
    email = draw.tables["customers"][order["customer_id"]]["email"]
    return Episode(
        f"Where is the latest {order['status']} parcel of {email}, and how many points does the customer have?",
        (
            ask("who", "customer", email=email),
            ask("list", "orders_of", customer="$who.customer", status=order["status"]),
            ask("order", "order", order="$list.first"),
            ask("parcel", "parcel", parcel="$order.parcel"),
        ),
        {
            "delivered": "$parcel.delivered",
            "sent": "$parcel.sent_on",
            "points": "$who.points",
            "total": "$order.total",
        },
    )


def _compare(draw: Draw) -> Episode:
    first, second = draw.rng.sample(CATEGORIES, 2)
    many = draw.rng.randint(2, 9)
    return Episode(
        f"What do {many} of the cheapest {first} product and one of the cheapest {second} product cost together?",
        (
            ask("one", "product", category=first, limit=draw.rng.choice((1, 3, 5))),
            ask("two", "product", category=second, limit=draw.rng.choice((1, 3, 5))),
            ask("left", "stock", sku="$one.sku"),
            ask(
                "basket",
                "basket",
                items=[{"sku": "$one.sku", "quantity": many}, {"sku": "$two.sku", "quantity": 1}],
            ),
        ),
        {"total": "$basket.total", "first": "$one.name", "second": "$two.name", "left": "$left.available"},
    )


EPISODES = (_reorder, _cancel, _redirect, _follow, _compare)
