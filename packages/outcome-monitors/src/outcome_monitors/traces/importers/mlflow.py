"""MLflow's traces as they write themselves, the files it keeps them in, and its spans by themselves.

Every attribute of a span is JSON in a string.
"""

from collections.abc import Mapping

from outcome_monitors.model import Json

from ._payloads import arguments_of, call_id_of, decoded, instant, label, parsed
from ._spans import MISSING, Span, SpanCall, exception_of, object_of

__all__ = ["as_mlflow_span", "found", "spans_of"]

TYPE = "mlflow.spanType"
INPUTS = "mlflow.spanInputs"
OUTPUTS = "mlflow.spanOutputs"
SESSION = "mlflow.trace.session"


def spans_of(value: Json) -> list[tuple[Json, Mapping[str, Json]]]:
    """Return the spans that a trace holds, each with what is said of the trace; of anything else none."""
    if not isinstance(value, dict) or "info" not in value:
        return []
    info, data = value["info"], value.get("data")
    spans = data.get("spans") if isinstance(data, dict) and isinstance(info, dict) else None
    return [(span, info) for span in spans] if isinstance(spans, list) else []


def as_mlflow_span(value: Json, context: Mapping[str, Json]) -> Span | None:
    """Return a span, if a record is one in the form of version 3; before that they were like OpenTelemetry's."""
    if not isinstance(value, dict) or "span_id" not in value or "start_time_unix_nano" not in value:
        return None
    status = object_of(value.get("status"))
    return Span(
        str(value.get("trace_id")),
        str(value["span_id"]),
        label(value.get("parent_span_id")),
        str(value.get("name")),
        instant(value["start_time_unix_nano"]),
        object_of(value.get("attributes")),
        status.get("code") == "STATUS_CODE_ERROR",
        label(status.get("message")) or exception_of(value.get("events")),
        _session(context),
    )


def _session(context: Mapping[str, Json]) -> str | None:
    """Return the session that a trace names, or a row of a table of traces."""
    for key in ("trace_metadata", "request_metadata", "tags"):
        metadata = parsed(context.get(key))
        if isinstance(metadata, dict) and (session := label(metadata.get(SESSION))):
            return session
    return None


def found(span: Span) -> SpanCall | None:
    """Return the call that a tool span records."""
    attributes = span.attributes
    if decoded(attributes.get(TYPE)) != "TOOL":
        return None
    result = decoded(attributes.get(OUTPUTS, MISSING))
    given = arguments_of(attributes.get(INPUTS))
    return SpanCall(span.name, given, result, span.failed, call_id_of(result))
