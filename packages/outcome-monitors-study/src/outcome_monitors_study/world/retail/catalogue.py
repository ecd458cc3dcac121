"""What the shop sells: products, variants, prices, stock."""
# ruff: noqa: D103 - what a tool does is said in tools.json

from outcome_monitors_study.world.draws import cents, units
from outcome_monitors_study.world.state import Record, State

from .records import WAREHOUSES

__all__ = [
    "article_card",
    "browse_catalogue",
    "check_stock",
    "get_product",
    "search_products",
    "site_inventory",
]


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
    return {
        "category": category,
        "max_price": max_price,
        "limit": limit,
        "total_count": len(found),
        "products": [
            {
                "product_id": key,
                "name": product["name"],
                "rating": product["rating"],
                "from_price": units(price),
            }
            for price, key, product in found[:limit]
        ],
    }


def get_product(state: State, product_id: str) -> Record:
    product = state["products"].get(product_id)
    skus = {sku: state["skus"].get(sku) for sku in product["variants"]}
    stock = {sku: sum(record["stock"].values()) for sku, record in skus.items()}
    return {
        "product_id": product_id,
        **{key: product[key] for key in ("name", "brand", "category", "rating")},
        "variants": {
            sku: {
                "colour": r["colour"],
                "price": units(r["price"]),
                "in_stock": stock[sku] > 0,
                "stock": stock[sku],
            }
            for sku, r in skus.items()
        },
        "variant_count": len(skus),
        "cheapest_sku": min(skus, key=lambda sku: (skus[sku]["price"], sku)),
    }


def browse_catalogue(state: State, department: str, ceiling_cents: int | None, top: int) -> Record:
    found = _catalogue(state, department, None if ceiling_cents is None else units(ceiling_cents))
    shelf = [
        {"article": key, "label": product["name"], "stars": product["rating"], "cents_from": price}
        for price, key, product in found[:top]
    ]
    asked = {"department": department, "ceiling_cents": ceiling_cents}
    return {**asked, "shelf": shelf, "shown": len(shelf), "available": len(found)}


def article_card(state: State, article: str) -> Record:
    product = state["products"].get(article)
    skus = [(sku, state["skus"].get(sku)) for sku in product["variants"]]
    options = [
        {"code": sku, "colour": r["colour"], "cents": r["price"], "on_hand": sum(r["stock"].values())}
        for sku, r in sorted(skus, key=lambda pair: (pair[1]["price"], pair[0]))
    ]
    return {"article": article, "label": product["name"], "options": options}


def check_stock(state: State, sku: str) -> Record:
    stock = state["skus"].get(sku)["stock"]
    total = sum(stock.values())
    return {
        "sku": sku,
        "total_available": total,
        "in_stock": total > 0,
        "by_warehouse": {site: {"city": WAREHOUSES[site], "available": n} for site, n in stock.items()},
        "warehouse_count": len(stock),
        "checked_at": state.stamp,
    }


def site_inventory(state: State, item_code: str) -> Record:
    stock = state["skus"].get(item_code)["stock"]
    sites = [{"site": site, "town": WAREHOUSES[site], "on_hand": n} for site, n in stock.items()]
    return {"item_code": item_code, "sites": sites, "sum_on_hand": sum(stock.values())}
