"""What spans mean by the conventions of each instrumentation: the tool call that one records, and the messages of a model's span.

A new convention is a function that returns the call of a span, and a place in `CONVENTIONS`.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from outcome_monitors.jsonvalue.canonical import of_response, read_text
from outcome_monitors.model import Json

from ._joining import Message, ToolRequest, ToolResponse, parts
from ._payloads import arguments_of, call_id_of, decoded, first_label, label, named, parsed
from ._spans import AGENTS_DATA, LANGFUSE, LOG_BODY, Span, object_of

MISSING: Any = object()
"""There is no result; `None` is one."""
_TOOL = "gen_ai.tool.name"
_ARGUMENTS = "gen_ai.tool.call.arguments"
_RESULT = "gen_ai.tool.call.result"
_CALL_ID = "gen_ai.tool.call.id"
_MLFLOW = "mlflow.span"
_OPENINFERENCE_KIND = "openinference.span.kind"


class SpanCall(NamedTuple):
    """The tool call that a span records."""

    tool: str
    arguments: dict[str, Json] | None
    """By name; nothing where the names are lost."""
    result: Json
    """The result, or MISSING."""
    error: bool = False
    call_id: str | None = None


def call_of(span: Span) -> SpanCall | None:
    """Return the call by the first convention that has its result, else by the first that applies."""
    calls = [call for convention in CONVENTIONS if (call := convention(span)) is not None]
    return next((call for call in calls if call.result is not MISSING), calls[0] if calls else None)


def _executes_tool(span: Span) -> bool:
    return span.attributes.get("gen_ai.operation.name") == "execute_tool"


def _otel_failed(span: Span) -> bool:
    return span.failed or "error.type" in span.attributes


def _otel_name(span: Span) -> str:
    return str(span.attributes.get(_TOOL) or span.name.removeprefix("execute_tool "))


def _traceloop(span: Span) -> SpanCall | None:
    """Read Traceloop's OpenLLMetry, without what LangChain's callbacks were given around the payload."""
    attributes = span.attributes
    if attributes.get("traceloop.span.kind") != "tool":
        return None
    tool = first_label(attributes, (_TOOL, "traceloop.entity.name")) or span.name
    given = parsed(attributes.get(_ARGUMENTS, attributes.get("traceloop.entity.input")))
    result = parsed(attributes.get(_RESULT, attributes.get("traceloop.entity.output", MISSING)))
    if isinstance(result, dict) and result.keys() == {"output", "kwargs"}:
        result = result["output"]
    return SpanCall(tool, _callback_arguments(given), result, _otel_failed(span), call_id_of(result))


def _callback_arguments(given: Json) -> dict[str, Json] | None:
    """Return the arguments of LangChain's callback, of a decorated function, or as they stand."""
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


def _google_adk(span: Span) -> SpanCall | None:
    """Read Google ADK: a result that is no object stands in one, as `result`; `{}` is no result."""
    attributes, own = span.attributes, "gcp.vertex.agent."
    if own + "event_id" not in attributes or not _executes_tool(span):
        return None
    given = attributes.get(_ARGUMENTS, attributes.get(own + "tool_call_args"))
    result = attributes.get(_RESULT)
    if result is None:
        result = attributes.get(own + "tool_response")
        result = None if result == "{}" else result
    result = MISSING if result is None else of_response(parsed(result))
    if result in ("<not serializable>", "<not specified>"):
        result = MISSING
    call_id = label(attributes.get(_CALL_ID))
    return SpanCall(_otel_name(span), arguments_of(given), result, _otel_failed(span), call_id)


def _opentelemetry(span: Span) -> SpanCall | None:
    """Read OpenTelemetry's GenAI conventions, and the names that Pydantic AI had before them."""
    attributes = span.attributes
    if not _executes_tool(span) and not {_TOOL, "tool_response"} <= attributes.keys():
        return None
    given = attributes.get(_ARGUMENTS, attributes.get("tool_arguments"))
    result = attributes.get(_RESULT, attributes.get("tool_response", MISSING))
    # Some write texts as JSON too, in quotes.
    in_quotes = isinstance(result, str) and result[:1] == '"'
    result = decoded(result) if in_quotes else parsed(result)
    call_id = label(attributes.get(_CALL_ID))
    return SpanCall(_otel_name(span), arguments_of(given), result, _otel_failed(span), call_id)


def _langfuse(span: Span) -> SpanCall | None:
    attributes = span.attributes
    if str(attributes.get(LANGFUSE + "type")).lower() != "tool":
        return None
    result = parsed(attributes.get(LANGFUSE + "output", MISSING))
    failed = attributes.get(LANGFUSE + "level") == "ERROR"
    if result is MISSING and failed:
        result = attributes.get(LANGFUSE + "status_message")
    return SpanCall(span.name, arguments_of(attributes.get(LANGFUSE + "input")), result, failed)


def _openinference(span: Span) -> SpanCall | None:
    attributes = span.attributes
    if attributes.get(_OPENINFERENCE_KIND) != "TOOL":
        return None
    given = attributes.get("input.value")
    if given is None:
        # Some put the tool's schema there, some the arguments.
        parameters = arguments_of(attributes.get("tool.parameters")) or {}
        given = None if "properties" in parameters else parameters
    result = parsed(attributes.get("output.value", MISSING))
    tool = str(attributes.get("tool.name") or span.name)
    return SpanCall(tool, arguments_of(given), result, call_id=call_id_of(result))


def _logfire(span: Span) -> SpanCall | None:
    """Read Logfire's spans of the Agents SDK's functions."""
    attributes = span.attributes
    if attributes.get("logfire.msg_template") != "Function: {name}":
        return None
    result = parsed(attributes.get("output", MISSING))
    failed = span.failed or "error" in attributes
    return SpanCall(str(attributes.get("name")), arguments_of(attributes.get("input")), result, failed)


def _agents(span: Span) -> SpanCall | None:
    """Read the Agents SDK, which writes null for every empty result; without either payload their recording was off."""
    data = span.attributes.get(AGENTS_DATA)
    if not isinstance(data, dict) or data.get("type") != "function":
        return None
    given, output = data.get("input"), data.get("output")
    result = MISSING if given is None and output is None else parsed(output)
    return SpanCall(str(data.get("name")), arguments_of(given), result, span.failed)


def _vercel(span: Span) -> SpanCall | None:
    """Read Vercel's AI SDK up to version 6, and `LegacyOpenTelemetry` of 7."""
    attributes, own = span.attributes, "ai.toolCall."
    if own + "name" not in attributes:
        return None
    result = decoded(attributes.get(own + "result", MISSING))
    call_id = label(attributes.get(own + "id"))
    given = arguments_of(attributes.get(own + "args"))
    return SpanCall(str(attributes[own + "name"]), given, result, span.failed, call_id)


def _mlflow(span: Span) -> SpanCall | None:
    """Read MLflow, where every attribute is JSON in a string."""
    attributes = span.attributes
    if decoded(attributes.get(_MLFLOW + "Type")) != "TOOL":
        return None
    result = decoded(attributes.get(_MLFLOW + "Outputs", MISSING))
    given = arguments_of(attributes.get(_MLFLOW + "Inputs"))
    return SpanCall(span.name, given, result, span.failed, call_id_of(result))


def _langsmith(span: Span) -> SpanCall | None:
    """Read LangSmith's runs; older LangChain puts arguments, as text, under `input`."""
    run = span.attributes
    if run.get("run_type") != "tool":
        return None
    outputs, inputs = parsed(run.get("outputs")), parsed(run.get("inputs"))
    alone = isinstance(outputs, dict) and outputs.keys() == {"output"}
    result = parsed(outputs["output"]) if alone else MISSING if outputs in (None, {}) else outputs
    if isinstance(inputs, dict) and inputs.keys() == {"input"} and isinstance(inputs["input"], str):
        inner = parsed(inputs["input"])
        inputs = inner if isinstance(inner, dict) else inputs
    return SpanCall(span.name, arguments_of(inputs), result)


CONVENTIONS = (
    _traceloop,
    _google_adk,
    _opentelemetry,
    _langfuse,
    _openinference,
    _logfire,
    _agents,
    _vercel,
    _mlflow,
    _langsmith,
)


def is_pending(span: Span) -> bool:
    """Say whether a span of Logfire's only announces one that ends later."""
    return span.attributes.get("logfire.span_type") == "pending_span"


def is_mcp(span: Span) -> bool:
    """Say whether a span is MCP's own record of a call, which never carries arguments or a result."""
    method = span.attributes.get("mcp.method.name")
    return method == "tools/call" or (method is None and span.name.startswith("tools/call "))


def is_log_record(span: Span) -> bool:
    """Say whether a span is a log record."""
    return LOG_BODY in span.attributes


def tools_of(span: Span) -> tuple[str, ...] | None:
    """Return the tools that the model was offered, as a span says."""
    definitions = span.attributes.get("gen_ai.tool.definitions")
    return _tool_names(definitions) if isinstance(definitions, str) else None


@lru_cache(maxsize=64)
def _tool_names(definitions: str) -> tuple[str, ...] | None:
    # The same text comes with every request to the model.
    return named(decoded(definitions))


def messages_of(span: Span) -> Iterator[Message]:
    """Yield the calls and results among the messages of a model's span, or in a log record that is a message."""
    if is_log_record(span):
        yield from _logged_messages(span)
    yield from _otel_messages(span)
    if span.attributes.get(_OPENINFERENCE_KIND) == "LLM":
        yield from _openinference_messages(span)


def _otel_messages(span: Span) -> Iterator[Message]:
    for key in ("gen_ai.input.messages", "gen_ai.output.messages"):
        messages = parsed(span.attributes.get(key))
        for message in messages if isinstance(messages, list) else ():
            for part in parts((object_of(message),), "parts"):
                if not isinstance(part.get("id"), str):
                    continue
                if part.get("type") == "tool_call" and isinstance(part.get("name"), str):
                    yield ToolRequest(part["id"], part["name"], part.get("arguments"))
                elif part.get("type") == "tool_call_response" and not part.keys().isdisjoint(_ANSWERS):
                    yield ToolResponse(part["id"], next(part[name] for name in _ANSWERS if name in part))


_ANSWERS = ("response", "result")
"""The conventions' name, and Pydantic AI's. Without content there is neither."""


def _logged_messages(span: Span) -> Iterator[Message]:
    body = object_of(span.attributes.get(LOG_BODY))
    if span.name == "gen_ai.tool.message" and isinstance(body.get("id"), str) and "content" in body:
        yield ToolResponse(body["id"], body["content"])
    elif span.name in ("gen_ai.assistant.message", "gen_ai.choice"):
        for call in parts((object_of(body.get("message")) or body,), "tool_calls"):
            name = object_of(call.get("function")).get("name")
            if isinstance(name, str) and isinstance(call.get("id"), str):
                yield ToolRequest(call["id"], name, call["function"].get("arguments"))


_MESSAGE = re.compile(r"llm\.(?:in|out)put_messages\.\d+\.message\.(.+)")
_TOOL_CALL = re.compile(r"tool_calls\.\d+\.tool_call\.(.+)")


def _openinference_messages(span: Span) -> Iterator[Message]:
    """Yield messages that are spread over many attributes."""
    for message in _gathered(_MESSAGE, span.attributes):
        if message.get("role") == "tool" and isinstance(message.get("tool_call_id"), str):
            yield ToolResponse(message["tool_call_id"], message.get("content"))
        for call in _gathered(_TOOL_CALL, message):
            if isinstance(call.get("id"), str) and isinstance(call.get("function.name"), str):
                yield ToolRequest(call["id"], call["function.name"], call.get("function.arguments"))


def _gathered(pattern: re.Pattern[str], fields: dict[str, Json]) -> list[dict[str, Json]]:
    """Return the objects whose fields have names that the pattern matches: what is before its group tells them apart."""
    gathered: dict[str, dict[str, Json]] = {}
    for key, value in fields.items():
        if match := pattern.fullmatch(key):
            gathered.setdefault(key[: match.start(1)], {})[match[1]] = value
    return list(gathered.values())
