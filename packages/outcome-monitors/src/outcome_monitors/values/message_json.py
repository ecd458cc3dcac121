"""Reading one message: what `json.loads` says, without what it does before and after, which for small ones costs as much."""

import json
from json.decoder import JSONDecoder
from typing import Any

__all__ = ["read", "scan"]

scan = JSONDecoder().scan_once  # type: ignore[attr-defined]  # there, but not in the stubs
"""Read the value that begins at a place of a text; return it and where it ends."""
_ENDS = frozenset(("", "\n", "\r\n"))


def read(text: str) -> Any:
    """Return what a message says; raise ValueError where it is not JSON."""
    try:
        value, end = scan(text, 0)
    except StopIteration:
        # Blanks before it, or nothing that is JSON.
        return json.loads(text)
    return value if text[end:] in _ENDS else json.loads(text)
