"""Logfire's own spans, those of the OpenAI Agents SDK for one, and the rows that its query interface gives.

What it records by OpenTelemetry's conventions, pydantic-ai's spans for one, is read by those.
"""

from collections.abc import Mapping

from outcome_monitors.model import Json

from ._spans import MISSING, Span, SpanCall, as_span, attributes_of, session_of
from ._values import arguments_of, instant, label, parsed

__all__ = ["as_row", "found", "is_pending", "recognise"]

TYPE = "logfire.span_type"
"""Its SDK sets this; other names that begin alike are set by libraries for its sake."""
TEMPLATE = "logfire.msg_template"
FUNCTION = "Function: {name}"
"""The template of the Agents SDK's spans of functions."""


def recognise(value: Json) -> bool:
    """Say whether a record is a span that Logfire made."""
    span = as_row(value, {}) or as_span(value, {})
    return span is not None and TYPE in span.attributes


def as_row(value: Json, _context: Mapping[str, Json]) -> Span | None:
    """Return a row of the table of records as the span that it was, if a record is one."""
    if not isinstance(value, dict) or not {"trace_id", "span_id", "span_name"} <= value.keys():
        return None
    attributes = attributes_of(parsed(value.get("attributes")))
    if value.get("kind") == "pending_span":
        attributes[TYPE] = "pending_span"
    return Span(
        str(value["trace_id"]),
        str(value["span_id"]),
        label(value.get("parent_span_id")),
        str(value["span_name"]),
        instant(value.get("start_timestamp")),
        attributes,
        value.get("is_exception") is True or value.get("otel_status_code") in ("ERROR", "error", 2),
        label(value.get("otel_status_message")) or label(value.get("exception_message")),
        session_of(attributes),
    )


def is_pending(span: Span) -> bool:
    """Say whether a span only announces one that ends later."""
    return span.attributes.get(TYPE) == "pending_span"


def found(span: Span) -> SpanCall | None:
    """Return the call that a span of a function records."""
    attributes = span.attributes
    if attributes.get(TEMPLATE) != FUNCTION:
        return None
    result = parsed(attributes.get("output", MISSING))
    failed = span.failed or "error" in attributes
    return SpanCall(str(attributes.get("name")), arguments_of(attributes.get("input")), result, failed)
