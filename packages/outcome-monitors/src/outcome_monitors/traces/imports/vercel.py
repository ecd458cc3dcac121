"""Vercel's AI SDK: its spans of tool calls (`ai.toolCall`), as versions up to 6 and `LegacyOpenTelemetry` of 7 write them.

What 7 writes otherwise follows OpenTelemetry's conventions, and is read by those.
"""

from outcome_monitors.model import Json

from ._spans import MISSING, Span, SpanCall, as_span
from ._values import arguments_of, decoded, label

__all__ = ["found", "recognise"]

OPERATION = "ai.operationId"
NAME = "ai.toolCall.name"
ARGUMENTS = "ai.toolCall.args"
RESULT = "ai.toolCall.result"


def recognise(value: Json) -> bool:
    """Say whether a record is a span of this SDK."""
    span = as_span(value, {})
    return span is not None and OPERATION in span.attributes


def found(span: Span) -> SpanCall | None:
    """Return the call that a tool span records."""
    attributes = span.attributes
    if NAME not in attributes:
        return None
    given = attributes.get(ARGUMENTS)
    result = decoded(attributes.get(RESULT, MISSING))
    call_id = label(attributes.get("ai.toolCall.id"))
    return SpanCall(str(attributes[NAME]), arguments_of(given), result, span.failed, call_id)
