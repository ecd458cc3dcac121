"""Requests and responses, whatever a logger or a gateway has put them in."""

from collections.abc import Iterator
from typing import Any

from outcome_monitors.model import Json

from ._stream import whole_answer
from ._values import instant, label, parsed, time_text

__all__ = ["Layers", "layers_of", "parts", "session_of", "time_of"]

Layers = tuple[dict[str, Json], ...]
"""An object, and the objects in it that loggers put requests and responses in."""

HOLDERS = (
    *("request", "kwargs", "body", "input", "response", "output"),
    *("request_body", "requestBody", "response_body", "responseBody"),
)
SESSION_KEYS = ("session_id", "sessionId", "session", "conversation_id", "thread_id")
_SESSION_KEYS = frozenset(SESSION_KEYS)
TIME_KEYS = ("created", "created_at", "timestamp", "time")


def layers_of(value: dict[str, Json]) -> Layers:
    """Return an object, and the objects in it that loggers put requests and responses in: as objects, as texts, as streams."""
    layers = [value]
    for key in HOLDERS:
        inner = _object(value[key]) if key in value else None
        if inner is not None:
            layers.append(inner)
            body = _object(inner["body"]) if "body" in inner else None
            if body is not None:
                layers.append(body)
    return tuple(layers)


def _object(value: Json) -> dict[str, Json] | None:
    found = parsed(value)
    if isinstance(found, str):
        return whole_answer(found)
    return found if isinstance(found, dict) else None


def parts(layers: Layers, key: str) -> Iterator[dict[str, Json]]:
    """Yield the objects of the lists under a key."""
    for layer in layers:
        items = layer.get(key)
        if isinstance(items, list):
            yield from (item for item in items if isinstance(item, dict))


def session_of(layers: Layers, context: Any) -> str | None:
    """Return the session that a record, its metadata or what it stands in names."""
    for layer in (*layers, context):
        conversation = layer.get("conversation")
        for holder in (layer, layer.get("metadata")):
            if isinstance(holder, dict) and not _SESSION_KEYS.isdisjoint(holder):
                found = next((label(holder[key]) for key in SESSION_KEYS if label(holder.get(key))), None)
                if found:
                    return found
        found = label(conversation.get("id") if isinstance(conversation, dict) else conversation)
        if found:
            return found
    return None


def time_of(layers: Layers) -> str | None:
    """Return when a record was made."""
    times = (instant(layer[key]) for layer in layers for key in TIME_KEYS if key in layer)
    return next((time_text(time) for time in times if time is not None), None)
