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


_NAMES: Mapping[str, tuple[str, ...]] = {
    "trace": ("traceId", "trace_id"),
    "id": ("spanId", "span_id", "id"),
    "parent": (
        *("parentSpanId", "parent_span_id", "parentObservationId", "parent_observation_id"),
        *("parent_run_id", "parent_id"),
    ),
    "name": ("span_name", "workflow_name", "name"),
    "start": (
        *("startTimeUnixNano", "start_time_unix_nano", "start_timestamp", "startTime", "start_time"),
        "started_at",
    ),
}
"""What each field of a span is called where it is recorded."""
_MESSAGES = ("statusMessage", "status_message", "otel_status_message", "exception_message", "error")
_FAILED = ("ERROR", "STATUS_CODE_ERROR", "error", 2)


def span_of(value: Json, context: Context) -> Span | None:
    """Return the span that a record is, if it is one."""
    if not isinstance(value, dict):
        return None
    if _is_log_record(value):
        return _log_record(value)
    if (spread := _opentelemetry(value)) is not None:
        return _span(*spread)
    if {"trace_id", "span_id", "span_name"} <= value.keys():
        return _span(value, _logfire_row(value))
    if is_agents_record(value):
        # A trace is a span without a call: only it knows the session.
        data = value.get("span_data")
        group = label(value.get("group_id")) or first_label(value.get("metadata"), THREADS)
        return _span(value, {AGENTS_DATA: data} if isinstance(data, dict) else {}, group)
    if "span_id" in value and "start_time_unix_nano" in value:
        # MLflow 3's; before that they were like OpenTelemetry's.
        metadata = (parsed(context.get(key)) for key in ("trace_metadata", "request_metadata", "tags"))
        sessions = (first_label(found, ("mlflow.trace.session",)) for found in metadata)
        return _span(value, object_of(value.get("attributes")), next(filter(None, sessions), None))
    if "id" in value and isinstance(value.get("type"), str) and label(_field(value, "trace")):
        # Older observations leave the session to their trace.
        sessions = (first_label(holder, ("sessionId", "session_id")) for holder in (value, context))
        return _span(value, _observation(value), next(filter(None, sessions), None))
    if is_run(value):
        # Its `session_id` is the project; the session is the thread of its metadata.
        extra = object_of(parsed(value.get("extra")))
        thread = first_label(parsed(extra.get("metadata")), THREADS)
        return _span(value, value, thread)._replace(task=label(value.get("reference_example_id")))
    return None


def _span(value: dict[str, Json], attributes: dict[str, Json], session: str | None = None) -> Span:
    """Read the fields of a span, whatever they are called."""
    status, error = object_of(value.get("status")), object_of(value.get("error"))
    codes = (status.get("code"), status.get("status_code"), value.get("status_code"), value.get("status"))
    failed = any(code in _FAILED for code in (*codes, value.get("otel_status_code")))
    said = (
        status.get("message"),
        status.get("description"),
        first_label(value, _MESSAGES),
        error.get("message"),
    )
    return Span(
        label(_field(value, "trace")) or str(_field(value, "id")),
        str(_field(value, "id")),
        label(_field(value, "parent")),
        str(_field(value, "name")),
        instant(_field(value, "start")),
        attributes,
        failed
        or value.get("level") == "ERROR"
        or value.get("is_exception") is True
        or bool(value.get("error")),
        next(filter(None, map(label, said)), None) or _exception(value.get("events")),
        session or _session(attributes),
    )


def _field(value: Context, field: str) -> Json:
    return next((value[name] for name in _NAMES[field] if name in value), None)


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
    return isinstance(value, dict) and (_is_log_record(value) or _opentelemetry(value) is not None)


def is_agents_record(value: Json) -> bool:
    """Say whether a record is a trace or a span of the Agents SDK."""
    is_one = isinstance(value, dict) and value.get("object") in ("trace", "trace.span")
    return is_one and isinstance(value.get("id"), str)


def is_run(value: Json) -> bool:
    """Say whether a record is a run of LangSmith's."""
    return isinstance(value, dict) and "run_type" in value and "id" in value


def _is_log_record(value: dict[str, Json]) -> bool:
    if "startTimeUnixNano" in value:
        return False
    return "observedTimeUnixNano" in value or ("timeUnixNano" in value and "body" in value)


def _log_record(value: dict[str, Json]) -> Span:
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


def _opentelemetry(value: dict[str, Json]) -> tuple[dict[str, Json], dict[str, Json]] | None:
    """Return the fields of a span of OpenTelemetry's, and its attributes: OTLP, what `ReadableSpan.to_json` and Phoenix write."""
    if "traceId" in value and "spanId" in value and "id" not in value:
        return value, _attributes(value.get("attributes"))
    context, attributes = value.get("context"), value.get("attributes")
    if "context.span_id" in value:
        # A row of Phoenix's data frame: its columns are paths.
        paths = {key: item for key, item in value.items() if item is not None}
        context = {key.removeprefix("context."): item for key, item in paths.items()}
        attributes = {
            key.removeprefix("attributes."): item
            for key, item in paths.items()
            if key.startswith("attributes.")
        }
    if not isinstance(context, dict) or "span_id" not in context:
        return None
    named = _attributes(attributes)
    if "span_kind" in value:
        named.setdefault("openinference.span.kind", value["span_kind"])
    return {**value, **context}, named


def _logfire_row(value: dict[str, Json]) -> dict[str, Json]:
    """Return the attributes of a row of Logfire's table `records`."""
    attributes = _attributes(parsed(value.get("attributes")))
    if value.get("kind") == "pending_span":
        attributes["logfire.span_type"] = "pending_span"
    return attributes


def _observation(value: dict[str, Json]) -> dict[str, Json]:
    """Return the fields of an observation of Langfuse's as attributes."""
    names = ("type", "input", "level", *(("output",) if value.get("output") is not None else ()))
    message = first_label(value, ("statusMessage", "status_message"))
    return {LANGFUSE + name: value.get(name) for name in names} | {LANGFUSE + "status_message": message}


def object_of(value: Json) -> dict[str, Json]:
    """Return an object, or an empty one in the place of anything else."""
    return value if isinstance(value, dict) else {}


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
