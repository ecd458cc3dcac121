"""Requests to models and their responses, whatever a logger or a gateway has put them in: as objects, as texts, as streams."""

from collections.abc import Iterator
from typing import Any

from outcome_monitors.model import Json

from ._payloads import first_label, instant, label, parsed, time_text

__all__ = ["Layers", "layers_of", "parts", "session_of", "time_of"]

Layers = tuple[dict[str, Json], ...]
"""An object, and the objects in it that loggers put requests and responses in."""

HOLDERS = (
    *("request", "kwargs", "body", "input", "response", "output"),
    *("request_body", "requestBody", "response_body", "responseBody"),
)
SESSION_KEYS = ("session_id", "sessionId", "session", "conversation_id", "thread_id")
TIME_KEYS = ("created", "created_at", "timestamp", "time")


def layers_of(value: dict[str, Json]) -> Layers:
    """Return an object, and the objects in it that loggers put requests and responses in."""
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
        return _streamed(found)
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
        found = (
            first_label(layer, SESSION_KEYS)
            or first_label(layer.get("metadata"), SESSION_KEYS)
            or label(conversation.get("id") if isinstance(conversation, dict) else conversation)
        )
        if found:
            return found
    return None


def time_of(layers: Layers) -> str | None:
    """Return when a record was made."""
    times = (instant(layer[key]) for layer in layers for key in TIME_KEYS if key in layer)
    return next((time_text(time) for time in times if time is not None), None)


def _streamed(text: str) -> dict[str, Json] | None:
    """Return the response that server-sent events make together; None of all that is no stream of a model's."""
    if "data:" not in text[:200]:
        return None
    events = list(_events(text))
    for event in events:
        response = event.get("response")
        if event.get("type") == "response.completed" and isinstance(response, dict):
            return response
    if any("choices" in event for event in events):
        return _chat(events)
    return _message(events) if any(event.get("type") == "message_start" for event in events) else None


def _events(text: str) -> Iterator[dict[str, Json]]:
    for line in text.splitlines():
        event = parsed(line.removeprefix("data:")) if line.startswith("data:") else None
        if isinstance(event, dict):
            yield event


def _chat(events: list[dict[str, Json]]) -> dict[str, Json]:
    """Join the pieces of the first choice; a call's pieces have its index, and its id and name come once."""
    calls: dict[str | None, dict[str, str]] = {}
    for event in events:
        choices = event.get("choices")
        for choice in choices[:1] if isinstance(choices, list) else ():
            delta = choice.get("delta") if isinstance(choice, dict) else None
            for piece in parts((delta,), "tool_calls") if isinstance(delta, dict) else ():
                call = calls.setdefault(label(piece.get("index")), {"id": "", "name": "", "arguments": ""})
                function = piece.get("function")
                call["id"] = call["id"] or label(piece.get("id")) or ""
                for key in ("name", "arguments"):
                    call[key] += (label(function.get(key)) or "") if isinstance(function, dict) else ""
    requests = [
        {"id": call["id"], "function": {"name": call["name"], "arguments": call["arguments"]}}
        for call in calls.values()
    ]
    return {"choices": [{"message": {"role": "assistant", "tool_calls": requests}}]}


def _message(events: list[dict[str, Json]]) -> dict[str, Json]:
    """Join the pieces of Anthropic's blocks, of which only those that use tools matter."""
    blocks: dict[str | None, dict[str, Any]] = {}
    for event in events:
        index, block, delta = label(event.get("index")), event.get("content_block"), event.get("delta")
        if isinstance(block, dict):
            blocks[index] = {**block, "input": ""}
        elif isinstance(delta, dict) and index in blocks:
            blocks[index]["input"] += label(delta.get("partial_json")) or ""
    return {"type": "message", "role": "assistant", "content": list(blocks.values())}
