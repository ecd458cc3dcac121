"""How a receipt is put beside a result.

The raw result is never written anew. Text stays what it was, byte for byte: where it is a JSON object or list, an envelope
is put around it; anything else gets a paragraph behind it. An object that the model is to read as Python prints it becomes
that text with a paragraph behind it, since an envelope would change how the payload is written.
"""

import json
from collections.abc import Callable
from typing import Any

from outcome_monitors.model import Json

from .encoders import envelope, text_block

__all__ = [
    "KEY",
    "Carry",
    "beside",
    "envelope",
    "paragraph",
    "printed",
    "text_beside",
]

KEY = "outcome_contract"

Carry = Callable[[Any, Json], Any]
"""Puts a receipt beside a result."""


def beside(result: Any, receipt: Json) -> Any:
    """Put a receipt beside a result of any shape: text gets text, all else the envelope, whose result is the same object."""
    return text_beside(result, receipt) if isinstance(result, str) else envelope(result, receipt)


def text_beside(text: str, receipt: Json) -> str:
    """Put a receipt beside a text: an envelope around JSON, whose text stays as it is, and a paragraph behind all else."""
    if isinstance(receipt, str) or not _is_json(text):
        return text_block(text, paragraph(receipt))
    return f'{{"tool_result": {text}, "{KEY}": {json.dumps(receipt, ensure_ascii=False)}}}'


def printed(result: Any, receipt: Json) -> str:
    """Put a receipt behind a result that the model reads as `str` gives it."""
    return text_block(str(result), paragraph(receipt))


def paragraph(receipt: Json) -> str:
    """Write a receipt as a text of its own."""
    return receipt if isinstance(receipt, str) else json.dumps({KEY: receipt}, ensure_ascii=False)


def _is_json(text: str) -> bool:
    """Say whether a text is a JSON object or list, whole; a number or a bare word may be JSON by chance."""
    if text.lstrip()[:1] not in ("{", "["):
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
