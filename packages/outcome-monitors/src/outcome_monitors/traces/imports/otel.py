"""OpenTelemetry's GenAI conventions: spans that execute tools, and the messages of models' spans."""

import json
from collections.abc import Iterator
from functools import lru_cache

from outcome_monitors.model import Json

from ._conversations import ToolAnswer, ToolAsk
from ._events import as_event
from ._spans import MISSING, Span, SpanCall, as_span
from ._values import arguments_of, decoded, label, parsed

__all__ = ["found", "is_mcp", "recognise", "said", "tools_of"]

OPERATION = "gen_ai.operation.name"
ARGUMENTS = ("gen_ai.tool.call.arguments", "tool_arguments")
RESULT = ("gen_ai.tool.call.result", "tool_response")
"""The conventions' names, then those pydantic-ai had before them."""
MESSAGES = ("gen_ai.input.messages", "gen_ai.output.messages")
DEFINITIONS = "gen_ai.tool.definitions"


def recognise(value: Json) -> bool:
    """Say whether a record is a span, or a log record."""
    return as_span(value, {}) is not None or as_event(value, {}) is not None


def found(span: Span) -> SpanCall | None:
    """Return the call that a tool span records."""
    attributes = span.attributes
    if attributes.get(OPERATION) != "execute_tool" and not (
        "gen_ai.tool.name" in attributes and RESULT[1] in attributes
    ):
        return None
    tool = attributes.get("gen_ai.tool.name") or span.name.removeprefix("execute_tool ")
    given = next((attributes[key] for key in ARGUMENTS if key in attributes), None)
    result = next((_decoded(attributes[key]) for key in RESULT if key in attributes), MISSING)
    failed = span.failed or "error.type" in attributes
    return SpanCall(
        str(tool), arguments_of(given), result, failed, label(attributes.get("gen_ai.tool.call.id"))
    )


def _decoded(value: Json) -> Json:
    """Return what a payload holds; some write texts as JSON too, in quotes."""
    return decoded(value) if isinstance(value, str) and value[:1] == '"' else parsed(value)


def is_mcp(span: Span) -> bool:
    """Say whether a span is MCP's own record of a call, which never carries arguments or a result."""
    method = span.attributes.get("mcp.method.name")
    return method == "tools/call" or (method is None and span.name.startswith("tools/call "))


def said(span: Span) -> Iterator[ToolAsk | ToolAnswer]:
    """Yield the calls and results among the messages of a model's span."""
    for key in MESSAGES:
        messages = parsed(span.attributes.get(key))
        for message in messages if isinstance(messages, list) else ():
            parts = message.get("parts") if isinstance(message, dict) else None
            for part in parts if isinstance(parts, list) else ():
                if isinstance(part, dict) and isinstance(part.get("id"), str):
                    yield from _part(part)


def _part(part: dict[str, Json]) -> Iterator[ToolAsk | ToolAnswer]:
    if part.get("type") == "tool_call" and isinstance(part.get("name"), str):
        yield ToolAsk(part["id"], part["name"], part.get("arguments"))
    elif part.get("type") == "tool_call_response":
        # The conventions say `response`; pydantic-ai writes `result`. Without content there is neither.
        answers = [part[key] for key in ("response", "result") if key in part]
        yield from (ToolAnswer(part["id"], answer) for answer in answers[:1])


def tools_of(span: Span) -> tuple[str, ...] | None:
    """Return the tools that a span says the model was offered."""
    definitions = span.attributes.get(DEFINITIONS)
    return _names(definitions) if isinstance(definitions, str) else None


@lru_cache(maxsize=64)
def _names(definitions: str) -> tuple[str, ...] | None:
    """Read the names; the same text comes with every question to the model."""
    try:
        listed = json.loads(definitions)
    except (ValueError, RecursionError):
        return None
    tools = listed if isinstance(listed, list) else []
    return (
        tuple(tool["name"] for tool in tools if isinstance(tool, dict) and isinstance(tool.get("name"), str))
        or None
    )
