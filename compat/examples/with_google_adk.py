"""Google ADK."""

import sys

from google.adk.agents import LlmAgent
from google.adk.apps import App

from outcome_monitors.adapters.google_adk import OutcomePlugin


def get_order(id: str) -> dict:
    """Get an order."""
    return {"id": id}


App(name="shop", root_agent=LlmAgent(name="shop", tools=[get_order]), plugins=[OutcomePlugin(sys.argv[1])])
