"""Anthropic's tool runner."""

import sys

from anthropic import beta_tool

from outcome_monitors.adapters.anthropic import watched


def get_order(id: str) -> dict:
    """Get an order."""
    return {"id": id}


watched([beta_tool(get_order)], sys.argv[1])
