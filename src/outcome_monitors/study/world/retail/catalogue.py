"""What the shop sells: products, variants, prices, stock."""

from functools import partial

from outcome_monitors.study.world._draws import cents, units
from outcome_monitors.study.world._schema import (
    by_id,
    choice,
    count,
    flag,
    ident,
    maybe,
    moment,
    money,
    number,
    obj,
    rows,
    text,
    whole,
)
from outcome_monitors.study.world._state import Record, State
from outcome_monitors.study.world._tool import tool

from .records import CATEGORIES, WAREHOUSES

__all__ = ["TOOLS"]

source = partial(tool, "retail", "source")


def _catalogue(state: State, category: str, ceiling: float | None) -> list[tuple[int, str, Record]]:
    found = [
        (min(state["skus"].get(sku)["price"] for sku in product["variants"]), key, product)
        for key, product in state["products"].items()
        if product["category"] == category
    ]
    return sorted(
        (row for row in found if ceiling is None or row[0] <= cents(ceiling)), key=lambda row: row[:2]
    )


@source(
    obj(
        category=choice(*CATEGORIES),
        max_price=maybe(money()),
        limit=whole(1, 20),
        total_count=count(),
        products=rows(obj(product_id=ident("PRD"), name=text(), rating=number(0, 5), from_price=money())),
    ),
    category=choice(*CATEGORIES, about="Category of the catalogue"),
    max_price=money("Dearest price wanted"),
    limit=whole(1, 20, "Rows at most"),
)
def search_products(state: State, category: str, max_price: float | None = None, limit: int = 5) -> Record:
    """Search the catalogue by category and price, cheapest first."""
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


@source(
    obj(
        product_id=ident("PRD"),
        name=text(),
        brand=text(),
        category=choice(*CATEGORIES),
        rating=number(0, 5),
        variants=by_id(obj(colour=text(), price=money(), in_stock=flag(), stock=count())),
        variant_count=count(),
        cheapest_sku=ident("SKU"),
    ),
    product_id=ident("PRD", "Product"),
)
def get_product(state: State, product_id: str) -> Record:
    """Give one product with its variants by SKU, each with price and stock."""
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


@source(
    obj(
        department=text(),
        ceiling_cents=maybe(count()),
        shelf=rows(obj(article=ident("PRD"), label=text(), stars=number(0, 5), cents_from=count())),
        shown=count(),
        available=count(),
    ),
    department=choice(*CATEGORIES, about="Department of the catalogue"),
    ceiling_cents=whole(0, 10_000_000, "Dearest price wanted, in cents"),
    top=whole(1, 20, "Articles at most"),
)
def browse_catalogue(state: State, department: str, ceiling_cents: int | None = None, top: int = 5) -> Record:
    """Browse a department of the catalogue, cheapest articles first, prices in cents."""
    found = _catalogue(state, department, None if ceiling_cents is None else units(ceiling_cents))
    shelf = [
        {"article": key, "label": product["name"], "stars": product["rating"], "cents_from": price}
        for price, key, product in found[:top]
    ]
    asked = {"department": department, "ceiling_cents": ceiling_cents}
    return {**asked, "shelf": shelf, "shown": len(shelf), "available": len(found)}


@source(
    obj(
        article=ident("PRD"),
        label=text(),
        options=rows(obj(code=ident("SKU"), colour=text(), cents=count(), on_hand=count()), least=1),
    ),
    article=ident("PRD", "Article of the catalogue"),
)
def article_card(state: State, article: str) -> Record:
    """Give one article's options, cheapest first, prices in cents."""
    product = state["products"].get(article)
    skus = [(sku, state["skus"].get(sku)) for sku in product["variants"]]
    options = [
        {"code": sku, "colour": r["colour"], "cents": r["price"], "on_hand": sum(r["stock"].values())}
        for sku, r in sorted(skus, key=lambda pair: (pair[1]["price"], pair[0]))
    ]
    return {"article": article, "label": product["name"], "options": options}


@source(
    obj(
        sku=ident("SKU"),
        total_available=count(),
        in_stock=flag(),
        by_warehouse=by_id(obj(city=text(), available=count())),
        warehouse_count=count(),
        checked_at=moment(),
    ),
    sku=ident("SKU", "Variant of a product"),
)
def check_stock(state: State, sku: str) -> Record:
    """Say how many of a variant are available, in all and by warehouse."""
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


@source(
    obj(
        item_code=ident("SKU"),
        sites=rows(obj(site=ident("WH"), town=text(), on_hand=count())),
        sum_on_hand=count(),
    ),
    item_code=ident("SKU", "Code of the item"),
)
def site_inventory(state: State, item_code: str) -> Record:
    """List what each site has on hand of one item, and the sum."""
    stock = state["skus"].get(item_code)["stock"]
    sites = [{"site": site, "town": WAREHOUSES[site], "on_hand": n} for site, n in stock.items()]
    return {"item_code": item_code, "sites": sites, "sum_on_hand": sum(stock.values())}


TOOLS = (search_products, get_product, browse_catalogue, article_card, check_stock, site_inventory)
