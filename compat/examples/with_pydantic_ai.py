"""Pydantic AI."""

import sys

from pydantic_ai import Agent

from outcome_monitors.adapters.pydantic_ai import OutcomeContracts


def get_order(id: str) -> dict:
    """Get an order."""
    return {"id": id}


Agent("test", tools=[get_order], capabilities=[OutcomeContracts(sys.argv[1])])
