"""The sixteen tools as an agent meets them: how each is called, and what comes back.

Which tools there are and what they take is tau-bench's; the descriptions are our own, and those of a checkout take their place
where there is one (`_checkout`).
"""

import copy
from collections.abc import Callable, Iterable, Mapping

from outcome_monitors.model import Json

from ._changes import CHANGES, REASONS, RefusedError
from ._lookups import LOOKUPS
from ._shop import Shop

__all__ = ["ENDS", "TAKES", "TOOLS", "WRITES", "answered", "call_tool", "failed", "specs"]

TOOLS: Mapping[str, Callable[..., Json]] = {tool.__name__: tool for tool in (*LOOKUPS, *CHANGES)}
WRITES = frozenset(tool.__name__ for tool in CHANGES)
ENDS = "transfer_to_human_agents"
"""After this tool there is nobody left to talk to."""

_TEXT = {"type": "string"}
_TEXTS = {"type": "array", "items": {"type": "string"}}
_ADDRESS = dict.fromkeys(("address1", "address2", "city", "state", "country", "zip"), _TEXT)
_ITEMS = {"order_id": _TEXT, "item_ids": _TEXTS, "new_item_ids": _TEXTS, "payment_method_id": _TEXT}

TAKES: Mapping[str, tuple[str, Mapping[str, Json]]] = {
    "find_user_id_by_email": ("Look a customer's user id up by email.", {"email": _TEXT}),
    "find_user_id_by_name_zip": (
        "Look a customer's user id up by first name, last name and zip code, where the email is not known.",
        {"first_name": _TEXT, "last_name": _TEXT, "zip": _TEXT},
    ),
    "get_user_details": (
        "Show a customer: address, email, payment methods and order ids.",
        {"user_id": _TEXT},
    ),
    "get_order_details": (
        "Show an order: items, address, status and payments. Order ids begin with #.",
        {"order_id": _TEXT},
    ),
    "get_product_details": ("Show a product with all of its variants.", {"product_id": _TEXT}),
    "list_all_product_types": ("List the product id of every product by name.", {}),
    "calculate": ("Work out an arithmetic expression.", {"expression": _TEXT}),
    "think": ("Note a thought; nothing else happens.", {"thought": _TEXT}),
    "transfer_to_human_agents": (
        "Hand the customer over to a person, with a summary, where no tool can help.",
        {"summary": _TEXT},
    ),
    "cancel_pending_order": (
        "Cancel a pending order and refund it, once the customer has confirmed.",
        {"order_id": _TEXT, "reason": {"type": "string", "enum": list(REASONS)}},
    ),
    "exchange_delivered_order_items": (
        "Exchange items of a delivered order for other variants of the same products, once, after confirmation.",
        _ITEMS,
    ),
    "modify_pending_order_address": (
        "Change the shipping address of a pending order, after confirmation.",
        {"order_id": _TEXT, **_ADDRESS},
    ),
    "modify_pending_order_items": (
        "Change items of a pending order to other variants of the same products, once, after confirmation.",
        _ITEMS,
    ),
    "modify_pending_order_payment": (
        "Change the payment method of a pending order, after confirmation.",
        {"order_id": _TEXT, "payment_method_id": _TEXT},
    ),
    "modify_user_address": (
        "Change a customer's own address, after confirmation.",
        {"user_id": _TEXT, **_ADDRESS},
    ),
    "return_delivered_order_items": (
        "Return items of a delivered order, after confirmation.",
        {"order_id": _TEXT, "item_ids": _TEXTS, "payment_method_id": _TEXT},
    ),
}


def call_tool(shop: Shop, tool: str, arguments: Mapping[str, Json]) -> Json:
    """Call a tool and return a copy of what it gives; every failure is a text that begins with `Error`."""
    return answered(TOOLS, shop, tool, arguments)


def answered(
    tools: Mapping[str, Callable[..., Json]], shop: Shop, tool: str, arguments: Mapping[str, Json]
) -> Json:
    """Call one of some tools."""
    if tool not in tools:
        return f"Error: there is no tool {tool}"
    try:
        return copy.deepcopy(tools[tool](shop, **arguments))
    except RefusedError as refusal:
        return f"Error: {refusal}"
    except Exception as error:  # noqa: BLE001 - arguments of any kind come in, and tau-bench answers them all so
        return f"Error: {error}"


def failed(result: Json) -> bool:
    """Say whether a call failed openly."""
    return isinstance(result, str) and result.startswith("Error")


def specs(described: Mapping[str, Json]) -> list[Json]:
    """Return the tools as MCP lists them; `described` has the function specs of a checkout."""
    return [_spec(name, described.get(name)) for name in TOOLS]


def _spec(name: str, described: Json) -> Json:
    words, takes = TAKES[name]
    schema = {"type": "object", "properties": dict(takes), "required": list(takes)}
    if described:
        words, schema = described["description"], described["parameters"]
    return {
        "name": name,
        "description": words,
        "inputSchema": schema,
        "annotations": {"readOnlyHint": name not in WRITES, "idempotentHint": name in _again()},
    }


def _again() -> Iterable[str]:
    """Return the writes that change nothing more when they are called again."""
    return ("modify_pending_order_address", "modify_user_address")
