"""Langfuse: observations as its API and its exports give them, and the spans its SDK sends."""

from collections.abc import Mapping

from outcome_monitors.model import Json

from ._payloads import arguments_of, instant, label, parsed
from ._spans import MISSING, Span, SpanCall

__all__ = ["as_observation", "found"]

TYPE = "langfuse.observation.type"
INPUT = "langfuse.observation.input"
OUTPUT = "langfuse.observation.output"
LEVEL = "langfuse.observation.level"
MESSAGE = "langfuse.observation.status_message"


def as_observation(value: Json, context: Mapping[str, Json]) -> Span | None:
    """Return an observation as the span that it was, if a record is one; older ones leave the session to their trace."""
    if not isinstance(value, dict) or "id" not in value or not isinstance(value.get("type"), str):
        return None
    trace = label(_either(value, "traceId", "trace_id"))
    if trace is None:
        return None
    output = value.get("output")
    attributes = {
        TYPE: value["type"],
        INPUT: value.get("input"),
        LEVEL: value.get("level"),
        MESSAGE: _either(value, "statusMessage", "status_message"),
        **({OUTPUT: output} if output is not None else {}),
    }
    return Span(
        trace,
        str(value["id"]),
        label(_either(value, "parentObservationId", "parent_observation_id")),
        str(value.get("name")),
        instant(_either(value, "startTime", "start_time")),
        attributes,
        failed=value.get("level") == "ERROR",
        says=label(attributes[MESSAGE]),
        session=label(_either(value, "sessionId", "session_id"))
        or label(_either(context, "sessionId", "session_id")),
    )


def found(span: Span) -> SpanCall | None:
    """Return the call that a tool span records."""
    attributes = span.attributes
    if str(attributes.get(TYPE)).lower() != "tool":
        return None
    output = parsed(attributes.get(OUTPUT, MISSING))
    failed = attributes.get(LEVEL) == "ERROR"
    if output is MISSING and failed:
        output = attributes.get(MESSAGE)
    return SpanCall(span.name, arguments_of(attributes.get(INPUT)), output, failed)


def _either(value: Mapping[str, Json], first: str, second: str) -> Json:
    return value.get(first) if first in value else value.get(second)
