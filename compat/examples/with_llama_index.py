"""LlamaIndex."""

import sys

from outcome_monitors.adapters.llama_index import watched


def get_order(id: str) -> dict:
    """Get an order."""
    return {"id": id}


watched([get_order], sys.argv[1])
