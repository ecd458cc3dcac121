"""Instrumentations that write spans under names of their own: Google ADK, Traceloop, Vercel's AI SDK and Logfire.

What they record by OpenTelemetry's conventions is read by those.
"""

from collections.abc import Mapping

from outcome_monitors.jsonvalue.canonical import of_response, read_text
from outcome_monitors.model import Json

from ._payloads import arguments_of, call_id_of, decoded, first_label, instant, label, parsed
from ._spans import MISSING, Span, SpanCall, attributes_of, session_of

__all__ = [
    "as_logfire_row",
    "found_by_adk",
    "found_by_logfire",
    "found_by_traceloop",
    "found_by_vercel",
    "is_pending",
]

_ARGUMENTS = "gen_ai.tool.call.arguments"
_RESULT = "gen_ai.tool.call.result"

_ADK = "gcp.vertex.agent."
_ADK_NOTHING = ("{}", "<not serializable>", "<not specified>")
"""What Google ADK writes where content is not recorded, or where there is none."""


def found_by_adk(span: Span) -> SpanCall | None:
    """Return the call that a tool span of Google ADK records; a result that is no object stands in one, as `result`."""
    attributes = span.attributes
    if _ADK + "event_id" not in attributes or attributes.get("gen_ai.operation.name") != "execute_tool":
        return None
    tool = attributes.get("gen_ai.tool.name") or span.name.removeprefix("execute_tool ")
    given = attributes.get(_ARGUMENTS, attributes.get(_ADK + "tool_call_args"))
    said = attributes.get(_RESULT)
    if said is None:
        said = attributes.get(_ADK + "tool_response", _ADK_NOTHING[0])
        said = None if said in _ADK_NOTHING else said
    result = MISSING if said is None else of_response(parsed(said))
    result = MISSING if result in _ADK_NOTHING[1:] else result
    failed = span.failed or "error.type" in attributes
    call_id = label(attributes.get("gen_ai.tool.call.id"))
    return SpanCall(str(tool), arguments_of(given), result, failed, call_id)


def found_by_traceloop(span: Span) -> SpanCall | None:
    """Return the call that a tool span of Traceloop's (OpenLLMetry) records, without what LangChain's callbacks were given around it."""
    attributes = span.attributes
    if attributes.get("traceloop.span.kind") != "tool":
        return None
    tool = first_label(attributes, ("gen_ai.tool.name", "traceloop.entity.name")) or span.name
    given = parsed(attributes.get(_ARGUMENTS, attributes.get("traceloop.entity.input")))
    result = parsed(attributes.get(_RESULT, attributes.get("traceloop.entity.output", MISSING)))
    if isinstance(result, dict) and result.keys() == {"output", "kwargs"}:
        result = result["output"]
    failed = span.failed or "error.type" in attributes
    return SpanCall(tool, _callback_arguments(given), result, failed, call_id_of(result))


def _callback_arguments(given: Json) -> dict[str, Json] | None:
    """Return the arguments: those of LangChain's callback, of a decorated function, or as they stand."""
    if not isinstance(given, dict):
        return arguments_of(given)
    if "input_str" in given and "inputs" in given:
        inputs, printed = given["inputs"], given["input_str"]
        if isinstance(inputs, dict):
            return inputs
        return arguments_of(read_text(printed) if isinstance(printed, str) else printed)
    if given.keys() == {"args", "kwargs"} and isinstance(given["kwargs"], dict):
        return None if given["args"] else given["kwargs"]
    return given


def found_by_vercel(span: Span) -> SpanCall | None:
    """Return the call that a tool span of Vercel's AI SDK records, as versions up to 6 and `LegacyOpenTelemetry` of 7 write them."""
    attributes = span.attributes
    if "ai.toolCall.name" not in attributes:
        return None
    given = arguments_of(attributes.get("ai.toolCall.args"))
    result = decoded(attributes.get("ai.toolCall.result", MISSING))
    call_id = label(attributes.get("ai.toolCall.id"))
    return SpanCall(str(attributes["ai.toolCall.name"]), given, result, span.failed, call_id)


_LOGFIRE = "logfire.span_type"
"""Logfire's SDK sets this; other names that begin alike are set by libraries for its sake."""


def as_logfire_row(value: Json, _context: Mapping[str, Json]) -> Span | None:
    """Return a row of Logfire's table of records as the span that it was, if a record is one."""
    if not isinstance(value, dict) or not {"trace_id", "span_id", "span_name"} <= value.keys():
        return None
    attributes = attributes_of(parsed(value.get("attributes")))
    if value.get("kind") == "pending_span":
        attributes[_LOGFIRE] = "pending_span"
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
    return span.attributes.get(_LOGFIRE) == "pending_span"


def found_by_logfire(span: Span) -> SpanCall | None:
    """Return the call that a span of a function of the Agents SDK records."""
    attributes = span.attributes
    if attributes.get("logfire.msg_template") != "Function: {name}":
        return None
    result = parsed(attributes.get("output", MISSING))
    failed = span.failed or "error" in attributes
    return SpanCall(str(attributes.get("name")), arguments_of(attributes.get("input")), result, failed)
