"""OpenTelemetry's GenAI conventions: spans that execute tools, the messages of models' spans, and log records that are messages.

A log record is read like a span of its own, below the span that it names; what a later one of the same span says belongs to the
same conversation.
"""

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache

from outcome_monitors.jsonvalue.text import stable_hash
from outcome_monitors.model import Json

from ._joining import ToolRequest, ToolResponse
from ._payloads import arguments_of, decoded, instant, label, named, parsed
from ._spans import MISSING, Span, SpanCall, as_span, attributes_of, object_of, plain, session_of

__all__ = ["as_event", "found", "is_event", "is_mcp", "recognise", "said", "said_in_event", "tools_of"]

OPERATION = "gen_ai.operation.name"
ARGUMENTS = ("gen_ai.tool.call.arguments", "tool_arguments")
RESULT = ("gen_ai.tool.call.result", "tool_response")
"""The conventions' names, then those pydantic-ai had before them."""
MESSAGES = ("gen_ai.input.messages", "gen_ai.output.messages")
DEFINITIONS = "gen_ai.tool.definitions"


def recognise(value: Json) -> bool:
    """Say whether a record is a span, or a log record."""
    return as_span(value, {}) is not None or as_event(value, {}) is not None


def found(span: Span) -> SpanCall | None:
    """Return the call that a tool span records."""
    attributes = span.attributes
    if attributes.get(OPERATION) != "execute_tool" and not (
        "gen_ai.tool.name" in attributes and RESULT[1] in attributes
    ):
        return None
    tool = attributes.get("gen_ai.tool.name") or span.name.removeprefix("execute_tool ")
    given = next((attributes[key] for key in ARGUMENTS if key in attributes), None)
    result = next((_decoded(attributes[key]) for key in RESULT if key in attributes), MISSING)
    failed = span.failed or "error.type" in attributes
    return SpanCall(
        str(tool), arguments_of(given), result, failed, label(attributes.get("gen_ai.tool.call.id"))
    )


def _decoded(value: Json) -> Json:
    """Return what a payload holds; some write texts as JSON too, in quotes."""
    return decoded(value) if isinstance(value, str) and value[:1] == '"' else parsed(value)


def is_mcp(span: Span) -> bool:
    """Say whether a span is MCP's own record of a call, which never carries arguments or a result."""
    method = span.attributes.get("mcp.method.name")
    return method == "tools/call" or (method is None and span.name.startswith("tools/call "))


def said(span: Span) -> Iterator[ToolRequest | ToolResponse]:
    """Yield the calls and results among the messages of a model's span."""
    for key in MESSAGES:
        messages = parsed(span.attributes.get(key))
        for message in messages if isinstance(messages, list) else ():
            parts = message.get("parts") if isinstance(message, dict) else None
            for part in parts if isinstance(parts, list) else ():
                if isinstance(part, dict) and isinstance(part.get("id"), str):
                    yield from _part(part)


def _part(part: dict[str, Json]) -> Iterator[ToolRequest | ToolResponse]:
    if part.get("type") == "tool_call" and isinstance(part.get("name"), str):
        yield ToolRequest(part["id"], part["name"], part.get("arguments"))
    elif part.get("type") == "tool_call_response":
        # The conventions say `response`; pydantic-ai writes `result`. Without content there is neither.
        answers = [part[key] for key in ("response", "result") if key in part]
        yield from (ToolResponse(part["id"], answer) for answer in answers[:1])


def tools_of(span: Span) -> tuple[str, ...] | None:
    """Return the tools that a span says the model was offered."""
    definitions = span.attributes.get(DEFINITIONS)
    return _names(definitions) if isinstance(definitions, str) else None


@lru_cache(maxsize=64)
def _names(definitions: str) -> tuple[str, ...] | None:
    """Read the names; the same text comes with every question to the model."""
    return named(decoded(definitions))


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


def said_in_event(span: Span) -> Iterator[ToolRequest | ToolResponse]:
    """Yield the calls and results of an event that is a message."""
    body = span.attributes.get(BODY)
    if not isinstance(body, dict):
        return
    if span.name == _ANSWERING and isinstance(body.get("id"), str) and "content" in body:
        yield ToolResponse(body["id"], body["content"])
    elif span.name in _ASKING:
        calls = (object_of(body.get("message")) or body).get("tool_calls")
        for call in calls if isinstance(calls, list) else ():
            yield from _asked(call)


def _asked(call: Json) -> Iterator[ToolRequest]:
    function = object_of(object_of(call).get("function"))
    if isinstance(function.get("name"), str) and isinstance(call.get("id"), str):
        yield ToolRequest(call["id"], function["name"], function.get("arguments"))
