"""How a receipt is put beside a result, and what of a result is held against its contract.

The raw result is never written anew. Text stays what it was, byte for byte: where it is a JSON object or list, an envelope
is put around it; anything else gets a paragraph behind it. An object that the model is to read as Python prints it becomes
that text with a paragraph behind it, since an envelope would change how the payload is written.
"""

import dataclasses
import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from outcome_monitors.model import Json

from .encoders import envelope, text_block

__all__ = [
    "KEY",
    "NOT_PLAIN",
    "Carry",
    "arguments_of",
    "beside",
    "envelope",
    "one_text",
    "paragraph",
    "plain",
    "printed",
    "text_beside",
]

KEY = "outcome_contract"

Carry = Callable[[Any, Json], Any]
"""Puts a receipt beside a result."""

NOT_PLAIN: Final = object()
"""Stands for a result that is not JSON and cannot be made so."""

_SCALARS = frozenset((str, int, float, bool, type(None)))


def beside(result: Any, receipt: Json) -> Any:
    """Put a receipt beside a result of any shape: text gets text, all else the envelope, whose result is the same object."""
    return text_beside(result, receipt) if isinstance(result, str) else envelope(result, receipt)


def text_beside(text: str, receipt: Json) -> str:
    """Put a receipt beside a text: an envelope around JSON, whose text stays as it is, and a paragraph behind all else."""
    if isinstance(receipt, str) or not isinstance(_read(text), (dict, list)):
        return text_block(text, paragraph(receipt))
    return f'{{"tool_result": {text}, "{KEY}": {json.dumps(receipt, ensure_ascii=False)}}}'


def printed(result: Any, receipt: Json) -> str:
    """Put a receipt behind a result that the model reads as `str` gives it."""
    return text_block(str(result), paragraph(receipt))


def paragraph(receipt: Json) -> str:
    """Write a receipt as a text of its own."""
    return receipt if isinstance(receipt, str) else json.dumps({KEY: receipt}, ensure_ascii=False)


def plain(result: Any) -> Any:
    """Return what a result says as JSON values, or `NOT_PLAIN`; what is plain already stays the same object."""
    kind = type(result)
    if kind is str:
        return _read(result)
    if kind is dict or kind in _SCALARS:
        return result
    if isinstance(result, (list, tuple)):
        return _plain_items(result)
    if isinstance(result, (Mapping, str, int, float)):
        return result
    dump = getattr(result, "model_dump", None)
    if callable(dump):
        return dump(mode="json")
    if dataclasses.is_dataclass(result) and not isinstance(result, type):
        return dataclasses.asdict(result)
    return NOT_PLAIN


def arguments_of(arguments: Any) -> Mapping[str, Json]:
    """Return a call's arguments: an object, the text of one, or a model that holds one."""
    found = plain(arguments)
    return found if isinstance(found, Mapping) else {}


def one_text(content: Any) -> Any:
    """Return the text of a message's only block, where it has but one and that is text; else the content as it is."""
    if isinstance(content, list) and len(content) == 1:
        block = content[0]
        text = block.get("text") if isinstance(block, dict) else getattr(block, "text", None)
        return text if isinstance(text, str) else content
    return content


def _plain_items(items: Any) -> Any:
    # The items of a result are alike: where the first is plain, so are the others.
    if not items or type(items[0]) in (dict, list) or type(items[0]) in _SCALARS:
        return items
    made = [plain(item) for item in items]
    return NOT_PLAIN if any(item is NOT_PLAIN for item in made) else made


def _read(text: str) -> Any:
    """Return what a text of JSON holds; a number or a bare word, which may be JSON by chance, stays text."""
    if text[:1] not in ("{", "[") and text.lstrip()[:1] not in ("{", "["):
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
