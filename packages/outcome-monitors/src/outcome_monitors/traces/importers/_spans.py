"""Spans, whatever they are wrapped in: OTLP's JSON, the SDK's own JSON, Phoenix's REST and its data frames."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from outcome_monitors.model import Json

from ._payloads import first_label, instant, label

__all__ = [
    "MISSING",
    "Span",
    "SpanCall",
    "as_span",
    "attributes_of",
    "exception_of",
    "object_of",
    "plain",
    "session_of",
]


MISSING: Any = object()
"""There is no result; `None` is one."""


_INTEGER = re.compile(r"-?[0-9]{1,20}")
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


class Span(NamedTuple):
    """A span, as the conventions read it."""

    trace: str
    id: str
    parent: str | None
    name: str
    start: int | None
    attributes: dict[str, Json]
    failed: bool
    says: str | None
    """What it says of its failure."""
    session: str | None = None
    task: str | None = None


class SpanCall(NamedTuple):
    """The tool call that a span records."""

    tool: str
    arguments: dict[str, Json] | None
    """By name; nothing where the names are lost."""
    result: Json
    """The result, or MISSING."""
    error: bool = False
    call_id: str | None = None


def as_span(value: Json, _context: Mapping[str, Json]) -> Span | None:
    """Return the span that a record is, if it is one."""
    if not isinstance(value, dict):
        return None
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
        names = {"trace_id": value.get("context.trace_id"), "span_id": value["context.span_id"]}
        return _sdk({**value, "attributes": attributes}, names)
    return None


def _otlp(value: dict[str, Json]) -> Span:
    status = object_of(value.get("status"))
    attributes = attributes_of(value.get("attributes"))
    return Span(
        str(value["traceId"]),
        str(value["spanId"]),
        label(value.get("parentSpanId")),
        str(value.get("name")),
        instant(value.get("startTimeUnixNano")),
        attributes,
        status.get("code") in (2, "STATUS_CODE_ERROR"),
        status.get("message") or exception_of(value.get("events")),
        session_of(attributes),
    )


def _sdk(value: dict[str, Json], context: dict[str, Json]) -> Span:
    """Read what `ReadableSpan.to_json` and Phoenix's REST write."""
    status = object_of(value.get("status"))
    attributes = attributes_of(value.get("attributes"))
    if "span_kind" in value:
        attributes.setdefault("openinference.span.kind", value["span_kind"])
    return Span(
        str(context.get("trace_id")),
        str(context["span_id"]),
        label(value.get("parent_id")),
        str(value.get("name")),
        instant(value.get("start_time")),
        attributes,
        "ERROR" in (status.get("status_code"), value.get("status_code")),
        status.get("description") or value.get("status_message") or exception_of(value.get("events")),
        session_of(attributes),
    )


def object_of(value: Json) -> dict[str, Json]:
    """Return an object, or an empty one in the place of anything else."""
    return value if isinstance(value, dict) else {}


def session_of(attributes: dict[str, Json]) -> str | None:
    """Return the session that attributes name."""
    if "agent_trace_id" in attributes:
        # Logfire's span of a whole run of the Agents SDK; elsewhere a group may be anything.
        return label(attributes.get("group_id"))
    return first_label(attributes, SESSIONS)


def attributes_of(found: Json) -> dict[str, Json]:
    """Return attributes by name: OTLP lists them, all others have an object, of names with dots or of objects."""
    if isinstance(found, list):
        return {
            item["key"]: plain(item.get("value"))
            for item in found
            if isinstance(item, dict) and isinstance(item.get("key"), str)
        }
    if not isinstance(found, dict):
        return {}
    flat: dict[str, Json] = {}
    _flatten(found, "", flat)
    return flat


def _flatten(found: dict[str, Json], prefix: str, into: dict[str, Json]) -> None:
    for key, value in found.items():
        if isinstance(value, dict) and prefix.count(".") < 4:
            _flatten(value, f"{prefix}{key}.", into)
        else:
            into[prefix + key] = value


def plain(value: Json) -> Json:
    """Return what OTLP's AnyValue holds; integers are strings there."""
    if not isinstance(value, dict):
        return value
    text = value.get("stringValue")
    if text is not None:  # nearly all are
        return text
    for kind, item in value.items():
        if kind == "intValue" and isinstance(item, str) and _INTEGER.fullmatch(item):
            return int(item)
        if kind in ("arrayValue", "kvlistValue"):
            items = object_of(item).get("values")
            items = items if isinstance(items, list) else []
            return attributes_of(items) if kind == "kvlistValue" else [plain(entry) for entry in items]
        return item
    return None


def exception_of(events: Json) -> str | None:
    """Return what the span's exception event says."""
    for event in events if isinstance(events, list) else ():
        if isinstance(event, dict) and event.get("name") == "exception":
            says = attributes_of(event.get("attributes")).get("exception.message") or event.get("message")
            return says if isinstance(says, str) else None
    return None
