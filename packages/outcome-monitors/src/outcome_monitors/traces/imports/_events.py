"""OTLP log records that are GenAI events: one for each message, as older conventions have it, or one for each question.

An event is read like a span of its own, below the span that it names; what a later one of the same span says belongs to the same
conversation.
"""

import json
from collections.abc import Iterator, Mapping

from outcome_monitors.model import Json
from outcome_monitors.values.hashing import stable_hash

from ._conversations import ToolAnswer, ToolAsk
from ._spans import Span, attributes_of, plain, session_of
from ._values import instant, label

__all__ = ["as_event", "is_event", "said"]

BODY = "log.body"
"""Under which name the body stands among the attributes of the span that an event is read as."""
NAME = "event.name"

_ASKING = frozenset({"gen_ai.assistant.message", "gen_ai.choice"})
_ANSWERING = "gen_ai.tool.message"


def as_event(value: Json, _context: Mapping[str, Json]) -> Span | None:
    """Return the log record that a record is, if it is one, as a span."""
    if not isinstance(value, dict) or "startTimeUnixNano" in value:
        return None
    if "observedTimeUnixNano" not in value and not ("timeUnixNano" in value and "body" in value):
        return None
    attributes = attributes_of(value.get("attributes"))
    name = label(value.get("eventName")) or label(attributes.get(NAME)) or ""
    session, span = session_of(attributes), label(value.get("spanId"))
    # Log records have no ids; one that came twice is the same in everything.
    content = json.dumps([value.get(key) for key in ("timeUnixNano", "observedTimeUnixNano", "body")])
    return Span(
        label(value.get("traceId")) or f"log {session or ''}",
        f"{span} {name} {stable_hash(content):x}",
        span,
        name,
        instant(value.get("timeUnixNano")) or instant(value.get("observedTimeUnixNano")),
        {**attributes, NAME: name, BODY: plain(value.get("body"))},
        failed=False,
        says=None,
        session=session,
    )


def is_event(span: Span) -> bool:
    """Say whether a span is a log record."""
    return BODY in span.attributes


def said(span: Span) -> Iterator[ToolAsk | ToolAnswer]:
    """Yield the calls and results of an event that is a message."""
    body = span.attributes.get(BODY)
    if not isinstance(body, dict):
        return
    if span.name == _ANSWERING and isinstance(body.get("id"), str) and "content" in body:
        yield ToolAnswer(body["id"], body["content"])
    elif span.name in _ASKING:
        message = body.get("message")
        calls = (message if isinstance(message, dict) else body).get("tool_calls")
        for call in calls if isinstance(calls, list) else ():
            yield from _asked(call)


def _asked(call: Json) -> Iterator[ToolAsk]:
    function = call.get("function") if isinstance(call, dict) else None
    if (
        isinstance(function, dict)
        and isinstance(call.get("id"), str)
        and isinstance(function.get("name"), str)
    ):
        yield ToolAsk(call["id"], function["name"], function.get("arguments"))
