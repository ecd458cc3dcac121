"""Answers of models that came piece by piece (server-sent events), put together as if they had come whole."""

import json
from collections.abc import Iterator
from typing import Any

from outcome_monitors.model import Json

from ._values import label

__all__ = ["whole_answer"]


def whole_answer(text: str) -> dict[str, Json] | None:
    """Return the answer that a stream of events says, of chat completions, Responses or Anthropic's messages; None of all else."""
    if "data:" not in text[:200]:
        return None
    events = list(_events(text))
    done = next(
        (event.get("response") for event in events if event.get("type") == "response.completed"), None
    )
    if isinstance(done, dict):
        return done
    if any("choices" in event for event in events):
        return _chat(events)
    return _message(events) if any(event.get("type") == "message_start" for event in events) else None


def _events(text: str) -> Iterator[dict[str, Json]]:
    for line in text.splitlines():
        if line.startswith("data:"):
            try:
                event = json.loads(line[5:])
            except (ValueError, RecursionError):
                continue
            if isinstance(event, dict):
                yield event


def _chat(events: list[dict[str, Json]]) -> dict[str, Json]:
    """Join the pieces of the first choice; a call's pieces have its index, and its id and name come once."""
    calls: dict[str | None, dict[str, str]] = {}
    for event in events:
        for piece in _pieces(event):
            call = calls.setdefault(label(piece.get("index")), {"id": "", "name": "", "arguments": ""})
            function = piece.get("function")
            call["id"] = call["id"] or label(piece.get("id")) or ""
            for key in ("name", "arguments"):
                call[key] += (label(function.get(key)) or "") if isinstance(function, dict) else ""
    asked = [
        {"id": call["id"], "function": {"name": call["name"], "arguments": call["arguments"]}}
        for call in calls.values()
    ]
    return {"choices": [{"message": {"role": "assistant", "tool_calls": asked}}]}


def _pieces(event: dict[str, Json]) -> Iterator[dict[str, Json]]:
    choices = event.get("choices")
    for choice in choices[:1] if isinstance(choices, list) else ():
        delta = choice.get("delta") if isinstance(choice, dict) else None
        pieces = delta.get("tool_calls") if isinstance(delta, dict) else None
        yield from (
            piece for piece in (pieces if isinstance(pieces, list) else ()) if isinstance(piece, dict)
        )


def _message(events: list[dict[str, Json]]) -> dict[str, Json]:
    """Join the pieces of the blocks, of which only those that use tools matter."""
    blocks: dict[str | None, dict[str, Any]] = {}
    for event in events:
        index, block, delta = label(event.get("index")), event.get("content_block"), event.get("delta")
        if isinstance(block, dict):
            blocks[index] = {**block, "input": ""}
        elif isinstance(delta, dict) and index in blocks:
            blocks[index]["input"] += label(delta.get("partial_json")) or ""
    return {"type": "message", "role": "assistant", "content": list(blocks.values())}
