"""How a receipt is put beside a result.

The raw result is never written anew. Text stays what it was, byte for byte, and gets a paragraph behind it; where it is a JSON object or
list, and the receipt has no words of its own, an envelope is put around it instead. An object that the model is to read as Python prints it becomes
that text with a paragraph behind it, since an envelope would change how the payload is written.
"""

import json
from collections.abc import Callable
from typing import Any

from outcome_monitors.model import Json

from .encoders import KEY, NOTE, envelope

__all__ = [
    "KEY",
    "Carry",
    "beside",
    "envelope",
    "paragraph",
    "printed",
    "text_beside",
    "text_block",
]

Carry = Callable[[Any, Json], Any]
"""Puts a receipt beside a result."""


def text_block(raw_text: str, receipt_text: str) -> str:
    """Append a receipt to a result that is text, as a paragraph of its own."""
    return f"{raw_text}\n\n{receipt_text}" if raw_text else receipt_text


def beside(result: Any, receipt: Json) -> Any:
    """Put a receipt beside a result of any shape: text gets text, all else the envelope, whose result is the same object."""
    return text_beside(result, receipt) if isinstance(result, str) else envelope(result, receipt)


def text_beside(text: str, receipt: Json) -> str:
    """Put a receipt beside a text: a note behind it; other data around JSON, whose text stays as it is, and behind all else."""
    if _words(receipt) is not None or not _is_json(text):
        return text_block(text, paragraph(receipt))
    return f'{{"tool_result": {text}, "{KEY}": {json.dumps(receipt, ensure_ascii=False)}}}'


def printed(result: Any, receipt: Json) -> str:
    """Put a receipt behind a result that the model reads as `str` gives it."""
    return text_block(str(result), paragraph(receipt))


def paragraph(receipt: Json) -> str:
    """Write a receipt as a text of its own: the note where it has one, else what it is."""
    words = _words(receipt)
    return json.dumps({KEY: receipt}, ensure_ascii=False) if words is None else words


def _words(receipt: Json) -> str | None:
    """Return the words of a receipt, where it has some."""
    words = receipt.get(NOTE) if isinstance(receipt, dict) else receipt
    return words if isinstance(words, str) else None


def _is_json(text: str) -> bool:
    """Say whether a text is a JSON object or list, whole; a number or a bare word may be JSON by chance."""
    if text.lstrip()[:1] not in ("{", "["):
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
