"""Spans in every form that they are recorded in: OTLP, SDKs, Phoenix, Logfire, the Agents SDK, MLflow, Langfuse and LangSmith.

An OpenTelemetry log record is read as a span of its own, below the span that it names.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from outcome_monitors.jsonvalue.text import stable_hash
from outcome_monitors.model import Json

from ._payloads import first_label, instant, label, parsed

__all__ = [
    "AGENTS_DATA",
    "LANGFUSE",
    "LOG_BODY",
    "Span",
    "is_agents_record",
    "is_otel_record",
    "is_run",
    "members_of",
    "object_of",
    "span_of",
]

Context = Mapping[str, Json]
"""The other fields of the object whose list holds a record."""

SESSIONS = (
    "gen_ai.conversation.id",
    "session.id",
    "langfuse.session.id",
    *(
        f"{where}.{name}"
        for where in (
            "traceloop.association.properties",
            "ai.telemetry.metadata",  # Vercel's, up to version 6
            "ai.settings.context",  # and in 7
        )
        for name in ("session_id", "sessionId", "thread_id", "threadId", "conversation_id", "conversationId")
    ),
)
THREADS = ("thread_id", "session_id", "conversation_id")
"""The metadata that names the thread of a run of LangSmith, or the group of a trace of the Agents SDK."""
LANGFUSE = "langfuse.observation."
AGENTS_DATA = "agents.span_data"
LOG_BODY = "log.body"
"""Names among a span's attributes for what is no attribute in its own form."""

_INTEGER = re.compile(r"-?[0-9]{1,20}")


class Span(NamedTuple):
    """A span, as the conventions read it."""

    trace: str
    id: str
    parent: str | None
    name: str
    start: int | None
    attributes: dict[str, Json]
    failed: bool = False
    message: str | None = None
    """The message of its failure."""
    session: str | None = None
    task: str | None = None


def span_of(value: Json, context: Context) -> Span | None:
    """Return the span that a record is, if it is one."""
    if not isinstance(value, dict):
        return None
    return next((span for form in _FORMS if (span := form(value, context)) is not None), None)


def members_of(value: Json, context: Context) -> Iterator[tuple[Json, Context]]:
    """Yield a run and its child runs, the spans of a trace of MLflow's, or anything else by itself, each with its context."""
    if not isinstance(value, dict):
        yield value, context
        return
    info, data = value.get("info"), value.get("data")
    if isinstance(info, dict) and isinstance(data, dict) and isinstance(data.get("spans"), list):
        yield from ((span, info) for span in data["spans"])
        return
    yield value, context
    children = value.get("child_runs")
    for child in children if isinstance(children, list) else ():
        yield from members_of(child, context)


def is_otel_record(value: Json) -> bool:
    """Say whether a record is a span of OpenTelemetry's, or a log record."""
    return isinstance(value, dict) and (_log_record(value, {}) or _opentelemetry(value, {})) is not None


def is_agents_record(value: Json) -> bool:
    """Say whether a record is a trace or a span of the Agents SDK."""
    is_one = isinstance(value, dict) and value.get("object") in ("trace", "trace.span")
    return is_one and isinstance(value.get("id"), str)


def is_run(value: Json) -> bool:
    """Say whether a record is a run of LangSmith's."""
    return isinstance(value, dict) and "run_type" in value and "id" in value


def _log_record(value: dict[str, Json], _context: Context) -> Span | None:
    if "startTimeUnixNano" in value:
        return None
    if "observedTimeUnixNano" not in value and not ("timeUnixNano" in value and "body" in value):
        return None
    attributes = _attributes(value.get("attributes"))
    name = label(value.get("eventName")) or label(attributes.get("event.name")) or ""
    session, span = _session(attributes), label(value.get("spanId"))
    # Log records have no ids: a copy is equal in everything.
    content = json.dumps([value.get(key) for key in ("timeUnixNano", "observedTimeUnixNano", "body")])
    return Span(
        label(value.get("traceId")) or f"log {session or ''}",
        f"{span} {name} {stable_hash(content):x}",
        span,
        name,
        instant(value.get("timeUnixNano")) or instant(value.get("observedTimeUnixNano")),
        {**attributes, "event.name": name, LOG_BODY: _plain(value.get("body"))},
        session=session,
    )


def _opentelemetry(value: dict[str, Json], _context: Context) -> Span | None:
    if "traceId" in value and "spanId" in value and "id" not in value:
        return _otlp(value)
    context = value.get("context")
    if isinstance(context, dict) and "span_id" in context:
        return _sdk(value, context)
    if "context.span_id" in value:
        # A row of Phoenix's data frame: its columns are paths.
        attributes = {
            key.removeprefix("attributes."): item
            for key, item in value.items()
            if key.startswith("attributes.") and item is not None
        }
        ids = {"trace_id": value.get("context.trace_id"), "span_id": value["context.span_id"]}
        return _sdk({**value, "attributes": attributes}, ids)
    return None


def _otlp(value: dict[str, Json]) -> Span:
    status = object_of(value.get("status"))
    attributes = _attributes(value.get("attributes"))
    return Span(
        str(value["traceId"]),
        str(value["spanId"]),
        label(value.get("parentSpanId")),
        str(value.get("name")),
        instant(value.get("startTimeUnixNano")),
        attributes,
        status.get("code") in (2, "STATUS_CODE_ERROR"),
        status.get("message") or _exception(value.get("events")),
        _session(attributes),
    )


def _sdk(value: dict[str, Json], ids: dict[str, Json]) -> Span:
    """Read what `ReadableSpan.to_json` and Phoenix's REST API write."""
    status = object_of(value.get("status"))
    attributes = _attributes(value.get("attributes"))
    if "span_kind" in value:
        attributes.setdefault("openinference.span.kind", value["span_kind"])
    return Span(
        str(ids.get("trace_id")),
        str(ids["span_id"]),
        label(value.get("parent_id")),
        str(value.get("name")),
        instant(value.get("start_time")),
        attributes,
        "ERROR" in (status.get("status_code"), value.get("status_code")),
        status.get("description") or value.get("status_message") or _exception(value.get("events")),
        _session(attributes),
    )


def _logfire_row(value: dict[str, Json], _context: Context) -> Span | None:
    """Read a row of Logfire's table `records`."""
    if not {"trace_id", "span_id", "span_name"} <= value.keys():
        return None
    attributes = _attributes(parsed(value.get("attributes")))
    if value.get("kind") == "pending_span":
        attributes["logfire.span_type"] = "pending_span"
    return Span(
        str(value["trace_id"]),
        str(value["span_id"]),
        label(value.get("parent_span_id")),
        str(value["span_name"]),
        instant(value.get("start_timestamp")),
        attributes,
        value.get("is_exception") is True or value.get("otel_status_code") in ("ERROR", "error", 2),
        label(value.get("otel_status_message")) or label(value.get("exception_message")),
        _session(attributes),
    )


def _agents_record(value: dict[str, Json], _context: Context) -> Span | None:
    """Read a span of the Agents SDK, or a trace as a span without a call: only the trace knows the session."""
    if not is_agents_record(value):
        return None
    data, error = value.get("span_data"), value.get("error")
    return Span(
        label(value.get("trace_id")) or value["id"],
        value["id"],
        label(value.get("parent_id")),
        str(value.get("workflow_name")),
        instant(value.get("started_at")),
        {AGENTS_DATA: data} if isinstance(data, dict) else {},
        bool(error),
        label(error.get("message")) if isinstance(error, dict) else None,
        label(value.get("group_id")) or first_label(value.get("metadata"), THREADS),
    )


def _mlflow_span(value: dict[str, Json], context: Context) -> Span | None:
    """Read a span of MLflow 3; before that they were like OpenTelemetry's."""
    if "span_id" not in value or "start_time_unix_nano" not in value:
        return None
    status = object_of(value.get("status"))
    metadata = (parsed(context.get(key)) for key in ("trace_metadata", "request_metadata", "tags"))
    sessions = (first_label(found, ("mlflow.trace.session",)) for found in metadata)
    return Span(
        str(value.get("trace_id")),
        str(value["span_id"]),
        label(value.get("parent_span_id")),
        str(value.get("name")),
        instant(value["start_time_unix_nano"]),
        object_of(value.get("attributes")),
        status.get("code") == "STATUS_CODE_ERROR",
        label(status.get("message")) or _exception(value.get("events")),
        next((session for session in sessions if session), None),
    )


def _observation(value: dict[str, Json], context: Context) -> Span | None:
    """Read an observation of Langfuse's; older ones leave the session to their trace."""
    trace = label(_either(value, "traceId", "trace_id"))
    if "id" not in value or not isinstance(value.get("type"), str) or trace is None:
        return None
    message = _either(value, "statusMessage", "status_message")
    fields = {name: value.get(name) for name in ("type", "input", "level")} | {"status_message": message}
    if value.get("output") is not None:
        fields["output"] = value["output"]
    return Span(
        trace,
        str(value["id"]),
        label(_either(value, "parentObservationId", "parent_observation_id")),
        str(value.get("name")),
        instant(_either(value, "startTime", "start_time")),
        {LANGFUSE + name: field for name, field in fields.items()},
        value.get("level") == "ERROR",
        label(message),
        label(_either(value, "sessionId", "session_id"))
        or label(_either(context, "sessionId", "session_id")),
    )


def _run(value: dict[str, Json], _context: Context) -> Span | None:
    """Read a run of LangSmith's. Its `session_id` is the project; the session is the thread of its metadata."""
    if not is_run(value):
        return None
    key, error, extra = str(value["id"]), value.get("error"), parsed(value.get("extra"))
    return Span(
        label(value.get("trace_id")) or key,
        key,
        label(value.get("parent_run_id")),
        str(value.get("name")),
        instant(value.get("start_time")),
        value,
        bool(error) or value.get("status") == "error",
        error if isinstance(error, str) else None,
        first_label(parsed(extra.get("metadata")), THREADS) if isinstance(extra, dict) else None,
        label(value.get("reference_example_id")),
    )


_FORMS = (
    _log_record,
    _opentelemetry,
    _logfire_row,
    _agents_record,
    _mlflow_span,
    _observation,
    _run,
)


def object_of(value: Json) -> dict[str, Json]:
    """Return an object, or an empty one in the place of anything else."""
    return value if isinstance(value, dict) else {}


def _either(value: Context, first: str, second: str) -> Json:
    return value.get(first) if first in value else value.get(second)


def _session(attributes: dict[str, Json]) -> str | None:
    if "agent_trace_id" in attributes:
        # Logfire's span of a whole run of the Agents SDK; elsewhere a group may be anything.
        return label(attributes.get("group_id"))
    return first_label(attributes, SESSIONS)


def _attributes(listed: Json) -> dict[str, Json]:
    """Return attributes by name: OTLP lists them, all others have an object, of names with dots or of objects."""
    if isinstance(listed, list):
        return {
            item["key"]: _plain(item.get("value"))
            for item in listed
            if isinstance(item, dict) and isinstance(item.get("key"), str)
        }
    flat: dict[str, Json] = {}
    if isinstance(listed, dict):
        _flatten(listed, "", flat)
    return flat


def _flatten(nested: dict[str, Json], prefix: str, into: dict[str, Json]) -> None:
    for key, value in nested.items():
        if isinstance(value, dict) and prefix.count(".") < 4:
            _flatten(value, f"{prefix}{key}.", into)
        else:
            into[prefix + key] = value


def _plain(value: Json) -> Json:
    """Return what OTLP's AnyValue holds; integers are strings there."""
    if not isinstance(value, dict):
        return value
    for kind, item in value.items():
        if kind == "intValue" and isinstance(item, str) and _INTEGER.fullmatch(item):
            return int(item)
        if kind in ("arrayValue", "kvlistValue"):
            items = object_of(item).get("values")
            items = items if isinstance(items, list) else []
            return _attributes(items) if kind == "kvlistValue" else [_plain(entry) for entry in items]
        return item
    return None


def _exception(events: Json) -> str | None:
    """Return the message of a span's exception event."""
    for event in events if isinstance(events, list) else ():
        if isinstance(event, dict) and event.get("name") == "exception":
            message: Any = _attributes(event.get("attributes")).get("exception.message")
            message = message or event.get("message")
            return message if isinstance(message, str) else None
    return None
