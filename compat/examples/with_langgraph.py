"""LangGraph."""

import sys

from langgraph.prebuilt import ToolNode

from outcome_monitors.adapters.langgraph import watched


def get_order(id: str) -> dict:
    """Get an order."""
    return {"id": id}


ToolNode([get_order], **watched(sys.argv[1]))
