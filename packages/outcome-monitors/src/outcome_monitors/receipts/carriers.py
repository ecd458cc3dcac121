"""How a receipt is put beside a result: the result stays what it was, and the receipt is an item beside it.

Where a result is made of blocks, or can be, the receipt is one more of them. A text that can be nothing else stays as it was, and gets a
paragraph behind it. Any other value stands in an envelope with the receipt.
"""

import json
from collections.abc import Callable
from typing import Any

from outcome_monitors.model import Json

from .encoders import KEY, NOTE, envelope

__all__ = ["KEY", "Carry", "beside", "envelope", "paragraph", "text_beside", "text_block"]

Carry = Callable[[Any, Json], Any]
"""Puts a receipt beside a result."""


def text_block(raw_text: str, receipt_text: str) -> str:
    """Append a receipt to a result that is text, as a paragraph of its own."""
    return f"{raw_text}\n\n{receipt_text}" if raw_text else receipt_text


def beside(result: Any, receipt: Json) -> Any:
    """Put a receipt beside a result of any shape: text gets text, all else the envelope, whose result is the same object."""
    return text_beside(result, receipt) if isinstance(result, str) else envelope(result, receipt)


def text_beside(text: str, receipt: Json) -> str:
    """Put a receipt behind a text."""
    return text_block(text, paragraph(receipt))


def paragraph(receipt: Json) -> str:
    """Write a receipt as a text of its own: the note where it has one, else what it is."""
    words = receipt.get(NOTE) if isinstance(receipt, dict) else receipt
    return words if isinstance(words, str) else json.dumps({KEY: receipt}, ensure_ascii=False)
