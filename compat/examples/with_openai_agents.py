"""The OpenAI Agents SDK."""

import sys

from agents import Agent, function_tool

from outcome_monitors.adapters.openai_agents import watched


def get_order(id: str) -> dict:
    """Get an order."""
    return {"id": id}


Agent("shop", tools=watched([function_tool(get_order)], sys.argv[1]))
