"""PayloadMaker as instrumentations write them: JSON inside strings, blocks of text, times in several forms."""

import json
from datetime import UTC, datetime
from typing import Any

from outcome_monitors.model import Json
from outcome_monitors.values.types import is_number

__all__ = ["arguments_of", "content_of", "decoded", "instant", "label", "parsed", "time_text"]

_SECOND = 1_000_000_000


def parsed(value: Json) -> Json:
    """Return what a string of JSON holds; anything else as it is.

    Only objects and lists are read: a number or a bare word may be JSON by chance.
    """
    if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "["):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def decoded(value: Json) -> Json:
    """Return what a string holds that is known to be JSON, a bare text and a number too; anything else as it is."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def arguments_of(value: Json) -> dict[str, Json] | None:
    """Return arguments as an object, `{}` for none, or nothing where their names are lost."""
    found = parsed(value)
    if isinstance(found, dict):
        return found
    return {} if found is None or found == "" else None


def content_of(value: Json) -> Json:
    """Return what a message's content says: a text, or blocks of which some are texts."""
    if not isinstance(value, list):
        return parsed(value)
    texts = [_text_of(block) for block in value]
    if not texts or any(text is None for text in texts):
        return value
    return parsed(texts[0]) if len(texts) == 1 else [parsed(text) for text in texts]


def _text_of(block: Json) -> str | None:
    text = block.get("text") if isinstance(block, dict) else block
    return text if isinstance(text, str) else None


def label(value: Json) -> str | None:
    """Return the name of a session or a task: a text or a number; nothing for anything else."""
    if isinstance(value, str):
        return value or None
    return str(value) if is_number(value) else None


def instant(value: Any) -> int | None:
    """Return a time in nanoseconds: from ISO 8601 text, or from a number of nanoseconds, as text or not."""
    if isinstance(value, str):
        if value.isascii() and value.isdigit():
            return int(value[:20]) or None
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            return None
        aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return round(aware.timestamp() * 1_000_000) * 1000
    if is_number(value) and 0 < value < 1e20:
        # Pandas writes milliseconds, OTLP nanoseconds, some logs seconds: their ranges lie far apart.
        scale = next(scale for scale, most in _SCALES if value < most)
        return int(value * scale)
    return None


_SCALES = ((_SECOND, 1e11), (1_000_000, 1e14), (1000, 1e17), (1, 1e21))


def time_text(nanoseconds: int | None) -> str | None:
    """Write a time as ISO 8601, to the microsecond; nothing where it is none a calendar has."""
    if nanoseconds is None:
        return None
    try:
        moment = datetime.fromtimestamp(nanoseconds // _SECOND, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return moment.replace(microsecond=nanoseconds % _SECOND // 1000).isoformat().replace("+00:00", "Z")
