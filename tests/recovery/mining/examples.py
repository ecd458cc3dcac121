"""Small tool sets and traces that tests of relations share."""

from collections.abc import Iterator
from typing import Any

from outcome_monitors import Call
from outcome_monitors.recovery.mining import Tool, from_tools_list


def tool(name: str, about: str = "", optional: str = "", hints: Any = None, **parameters: str) -> Any:
    """Return an entry of a tools/list result; parameters are given with their types."""
    properties = {name: {"type": kind} for name, kind in parameters.items()}
    required = [name for name in parameters if name not in optional.split()]
    entry = {
        "name": name,
        "description": about,
        "inputSchema": {"properties": properties, "required": required},
    }
    return {**entry, "annotations": hints} if hints else entry


def tools(*entries: Any) -> list[Tool]:
    return from_tools_list({"tools": list(entries)}, "tools.json")


PRICES = {"NOVA": 41.2, "ORBI": 12.75, "PELA": 230.1, "QUIL": 8.4}


def quotes() -> Iterator[Call]:
    """Yield calls of two tools that quote shares, in runs of their own, and of one that tells their news."""
    for symbol, price in PRICES.items():
        yield Call(
            "get_stock", {"symbol": symbol}, {"symbol": symbol, "price_usd": price}, session=f"a{symbol}"
        )
        yield Call(
            "quote", {"ticker": symbol}, {"ticker": symbol, "cents": round(price * 100)}, session=f"b{symbol}"
        )
        yield Call("news", {"ticker": symbol}, {"headline": f"All about {symbol}"}, session=f"c{symbol}")


PLACES = (("Paris", "FR", 2148), ("Rome", "IT", 2873), ("Oslo", "NO", 709))


def towns() -> Iterator[Call]:
    """Yield calls of two tools that know towns: one takes a text, the other its parts."""
    for city, country, people in PLACES:
        yield Call("town_facts", {"place": f"{city}, {country}"}, {"people": people})
        yield Call("city_facts", {"city": city, "country": country}, {"inhabitants": people})
