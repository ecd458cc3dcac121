"""What models cost, per million tokens, with the day and the page of each price; and what an episode of a model came to.

Prices change. A study freezes those that it was made with; a file of the user's own goes before the table.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Final

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.model import Json

from .scripted import is_scripted

__all__ = ["PRICES", "cost_of", "price_of", "prices_for", "total"]

_OPENAI = ("2026-03", "https://deploybase.ai/articles/openai-pricing")
_GOOGLE = ("2026-03", "https://deploybase.ai/articles/gemini-2.5-pricing")
_DEEPSEEK = "https://api-docs.deepseek.com/quick_start/pricing"
_TELEMETRY = ("2026-09-29", "https://github.com/uttamdeb/agent-telemetry/releases/tag/v1.6.4")
_WORKBENCH = ("2026-07-24", "https://github.com/Supervertaler/Supervertaler-Workbench/releases/tag/v1.10.364")
_PROVIDERS = ("2026-10-15", "https://github.com/stackbilt-dev/llm-providers/releases/tag/v1.22.1")
_MINIMAX = ("2026-09-11", "https://dev.to/aiwave/minimax-m3-api-complete-integration-guide-1lba")
_QWEN = ("2026-06-03", "https://apidog.com/blog/how-to-use-qwen-3-7-plus-api/")

_TABLE: Final = (
    ("gpt-5", 1.25, 10.0, *_OPENAI),
    ("gpt-5-mini", 0.25, 2.0, *_OPENAI),
    ("gpt-5-nano", 0.05, 0.4, *_OPENAI),
    ("gpt-5.1", 1.25, 10.0, *_OPENAI),
    ("gpt-5.4", 2.5, 15.0, *_OPENAI),
    ("gpt-4.1", 2.0, 8.0, *_OPENAI),
    ("gpt-4.1-mini", 0.4, 1.6, *_OPENAI),
    ("gpt-4.1-nano", 0.1, 0.4, *_OPENAI),
    ("gpt-4o", 2.5, 10.0, *_OPENAI),
    ("gpt-4o-mini", 0.15, 0.6, *_OPENAI),
    ("o3", 2.0, 8.0, *_OPENAI),
    ("o4-mini", 1.1, 4.4, *_OPENAI),
    ("claude-opus-5", 5.0, 25.0, *_WORKBENCH),
    ("claude-opus-4-6", 5.0, 25.0, *_PROVIDERS),
    ("claude-sonnet-5-5", 2.0, 10.0, *_TELEMETRY),
    ("claude-sonnet-5", 2.0, 10.0, *_TELEMETRY),
    ("claude-haiku-4-5", 1.0, 5.0, *_WORKBENCH),
    ("gemini-2.5-pro", 1.25, 10.0, *_GOOGLE),
    ("gemini-2.5-flash", 0.3, 2.5, *_GOOGLE),
    # DeepSeek asks for half of this outside its peak hours; the older name is served by the newer model.
    ("deepseek-flash", 0.3, 1.2, "2026-09-10", _DEEPSEEK),
    ("deepseek-v4-flash", 0.3, 1.2, "2026-09-10", _DEEPSEEK),
    ("deepseek-v4-pro", 1.32, 3.96, "2026-08-16", _DEEPSEEK),
    ("qwen3.7-plus", 0.4, 1.6, *_QWEN),
    ("minimax-m3", 0.3, 1.2, *_MINIMAX),
)

PRICES: Mapping[str, Mapping[str, Json]] = {
    name: {"input": paid, "output": got, "date": date, "source": source}
    for name, paid, got, date, source in _TABLE
}
"""US dollars for a million tokens in and out, without any discount for a cache, a batch or an hour of the day."""

_SNAPSHOT = re.compile(r"-(\d{8}|\d{4}-\d{2}-\d{2})$")
_FORM = '{"input": 0.27, "output": 1.1, "date": "2026-11-01"}, per million tokens'


def price_of(agent: str, own: Mapping[str, Json]) -> Mapping[str, Json] | None:
    """Return the price of a model: the user's own, or the table's for the last part of its name; None where neither knows it.

    >>> price_of("openai/gpt-4o-mini-2024-07-18", {})["input"]
    0.15
    """
    if agent in own:
        return dict(own[agent])
    name = _SNAPSHOT.sub("", agent.rpartition("/")[2].partition(":")[0].lower())
    return PRICES.get(name)


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
    numbers = [price.get("input"), price.get("output")]
    return all(isinstance(n, int | float) and not isinstance(n, bool) and n >= 0 for n in numbers)


def cost_of(price: Mapping[str, Json] | None, usage: Mapping[str, int]) -> float | None:
    """Return what so many tokens cost at the full price; None, never 0, where no price is known."""
    if price is None:
        return None
    return float(usage["input_tokens"] * price["input"] + usage["output_tokens"] * price["output"]) / 1e6


def total(costs: Iterable[float | None]) -> float | None:
    """Add up costs; a sum with an unknown part is unknown."""
    known = list(costs)
    return None if any(cost is None for cost in known) else sum(cost or 0.0 for cost in known)
