"""Loops of frameworks: a scripted model asks for the calls of one conversation, and tools answer as the calls say.

In each module, `converse(calls, **how)` opens the adapter with `how` (a watch, or a file to record to) and returns the records
that the framework itself has of the conversation, as `import` reads them; none where it has no export.
"""

import functools
import json
from collections.abc import Mapping
from typing import Any

__all__ = ["LOOPS", "functions", "in_text"]

LOOPS: Mapping[str, str] = {
    "agent_framework": "agent_framework",
    "anthropic": "anthropic.lib.tools",
    "crewai": "crewai",
    "fastmcp": "fastmcp.server.middleware",
    "google_adk": "google.adk.plugins.base_plugin",
    "langchain": "langchain.agents.middleware",
    "langgraph": "langgraph.prebuilt",
    "llama_index": "llama_index.core",
    "openai_agents": "agents.testing",
    "pydantic_ai": "pydantic_ai.capabilities",
    "smolagents": "smolagents",
}
"""Each adapter that a framework is needed for, and the module that the framework is known by."""


def functions(calls):
    """Return the tools of the shop as functions that answer one call after the other."""
    results = iter([call.result for call in calls])

    def get_order(order_id: str) -> Any:
        """Get an order.

        Args:
            order_id: Which.
        """
        return next(results)

    def list_stock(order_id: str, limit: int) -> Any:
        """List what is left of the things in an order.

        Args:
            order_id: Which.
            limit: How many.
        """
        return next(results)

    def convert(amount: float, currency: str) -> Any:
        """Convert an amount.

        Args:
            amount: How much.
            currency: To what.
        """
        return next(results)

    return [get_order, list_stock, convert]


def in_text(function):
    """Return the same function with its results as JSON text, for frameworks that take nothing else."""

    @functools.wraps(function)
    def call(*args, **kwargs):
        result = function(*args, **kwargs)
        return result if isinstance(result, str) else json.dumps(result)

    return call
