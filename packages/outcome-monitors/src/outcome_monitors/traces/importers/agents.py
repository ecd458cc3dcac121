"""The OpenAI Agents SDK's own traces and spans, as its exporter sends them and as a processor of the user's writes them."""

from collections.abc import Mapping

from outcome_monitors.model import Json

from ._payloads import arguments_of, first_label, instant, label, parsed
from ._spans import MISSING, Span, SpanCall

__all__ = ["as_agents_span", "found", "recognise"]

DATA = "agents.span_data"
"""Under which name the span's data stands among the attributes."""
THREADS = ("session_id", "thread_id", "conversation_id")


def recognise(value: Json) -> bool:
    """Say whether a record is a trace or a span."""
    is_one = isinstance(value, dict) and value.get("object") in ("trace", "trace.span")
    return is_one and isinstance(value.get("id"), str)


def as_agents_span(value: Json, _context: Mapping[str, Json]) -> Span | None:
    """Return a span, or a trace as one that has no call, if a record is one; only the trace knows the session."""
    if not recognise(value):
        return None
    data, error = value.get("span_data"), value.get("error")
    return Span(
        label(value.get("trace_id")) or value["id"],
        value["id"],
        label(value.get("parent_id")),
        str(value.get("workflow_name")),
        instant(value.get("started_at")),
        {DATA: data} if isinstance(data, dict) else {},
        failed=bool(error),
        says=label(error.get("message")) if isinstance(error, dict) else None,
        session=label(value.get("group_id")) or first_label(value.get("metadata"), THREADS),
    )


def found(span: Span) -> SpanCall | None:
    """Return the call that a span of a function records.

    The SDK writes null for every result that is empty. Without either payload their recording was switched off.
    """
    data = span.attributes.get(DATA)
    if not isinstance(data, dict) or data.get("type") != "function":
        return None
    given, output = data.get("input"), data.get("output")
    result = MISSING if given is None and output is None else parsed(output)
    return SpanCall(str(data.get("name")), arguments_of(given), result, span.failed)
