"""What models cost, per million tokens, with the day and the page of each price; and what an episode of a model came to.

Prices change. A study freezes those that it was made with; a file of the user's own goes before the table.
"""

import re
from collections.abc import Iterable, Mapping

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.model import Json

from ._json import resource
from .scripted import is_scripted

_SNAPSHOT = re.compile(r"-(\d{8}|\d{4}-\d{2}-\d{2})$")
_OF_A_CACHE = {"cached": "cached_tokens", "cache_write": "cache_written_tokens"}
"""Prices that a user may give for some of the tokens that come in, and what an episode calls those."""
_FORM = '{"input": 0.27, "output": 1.1, "date": "2026-11-01"}, per million tokens'


def price_of(agent: str, own: Mapping[str, Json]) -> Mapping[str, Json] | None:
    """Return the price of a model: the user's own, or the table's, by the last part of its name; None where neither knows it.

    >>> price_of("openai/gpt-4o-mini-2024-07-18", {})["input"]
    0.15
    """
    if agent in own:
        return dict(own[agent])
    by_name = {_last(model): price for model, price in own.items()}
    return {**PRICES, **by_name}.get(_last(agent))


def _last(model: str) -> str:
    """Return the last part of a model's name, without its date and its variant: whoever serves it, it is the same model."""
    return _SNAPSHOT.sub("", model.rpartition("/")[2].partition(":")[0].lower())


def prices_for(agents: Iterable[str], own: Json) -> dict[str, Json]:
    """Return the price of each model that has one; raise where the user's own are not of the form."""
    if not isinstance(own, Mapping):
        raise OutcomeMonitorsError(f"prices are an object, the price of each model of the form {_FORM}")
    for model, price in own.items():
        if not _is_price(price):
            raise OutcomeMonitorsError(f"the price of {model} is not of the form {_FORM}")
    found = {agent: price_of(agent, own) for agent in agents if not is_scripted(agent)}
    return {agent: dict(price) for agent, price in found.items() if price is not None}


def _is_price(price: Json) -> bool:
    if not isinstance(price, dict) or not isinstance(price.get("date"), str) or not price["date"]:
        return False
    numbers = [
        price.get("input"),
        price.get("output"),
        *(price[kind] for kind in _OF_A_CACHE if kind in price),
    ]
    return all(isinstance(n, int | float) and not isinstance(n, bool) and n >= 0 for n in numbers)


def cost_of(price: Mapping[str, Json] | None, usage: Mapping[str, int]) -> float | None:
    """Return what so many tokens cost; None, never 0, where no price is known.

    Tokens that were read from a cache or written to it cost as much as others, unless the price says otherwise.
    """
    if price is None:
        return None
    apart = {kind: usage.get(tokens, 0) for kind, tokens in _OF_A_CACHE.items() if kind in price}
    counted = {
        "input": usage.get("input_tokens", 0) - sum(apart.values()),
        "output": usage.get("output_tokens", 0),
        **apart,
    }
    return float(sum(number * price[kind] for kind, number in counted.items())) / 1e6


def total(costs: Iterable[float | None]) -> float | None:
    """Add up costs; a sum with an unknown part is unknown."""
    known = list(costs)
    return None if any(cost is None for cost in known) else sum(cost or 0.0 for cost in known)


def _table() -> dict[str, dict[str, Json]]:
    """Return our own prices, each with the day and the address of its page."""
    table = resource("prices.json")
    return {
        model: {"input": each["input"], "output": each["output"], **table["pages"][each["page"]]}
        for model, each in table["prices"].items()
    }


PRICES: Mapping[str, Mapping[str, Json]] = _table()
"""US dollars for a million tokens in and out, without any discount for a cache, a batch or an hour of the day."""
