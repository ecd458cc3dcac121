"""OpenInference spans, from any exporter or from Phoenix."""

import re
from collections.abc import Iterator

from outcome_monitors.model import Json

from ._joining import ToolRequest, ToolResponse
from ._payloads import arguments_of, call_id_of, parsed
from ._spans import MISSING, Span, SpanCall

__all__ = ["found", "said"]

KIND = "openinference.span.kind"
_MESSAGE = re.compile(r"llm\.(?:in|out)put_messages\.(\d+)\.message\.(.+)")
_TOOL_CALL = re.compile(r"tool_calls\.(\d+)\.tool_call\.(.+)")


def found(span: Span) -> SpanCall | None:
    """Return the call that a tool span records."""
    attributes = span.attributes
    if attributes.get(KIND) != "TOOL":
        return None
    tool = attributes.get("tool.name") or span.name
    given = attributes.get("input.value")
    if given is None and "properties" not in (
        parameters := arguments_of(attributes.get("tool.parameters")) or {}
    ):
        # Some put the tool's schema there, some the arguments.
        given = parameters
    result = parsed(attributes.get("output.value", MISSING))
    return SpanCall(str(tool), arguments_of(given), result, call_id=call_id_of(result))


def said(span: Span) -> Iterator[ToolRequest | ToolResponse]:
    """Yield the calls and results among the messages of a model's span; they are spread over many attributes."""
    if span.attributes.get(KIND) != "LLM":
        return
    messages: dict[str, dict[str, Json]] = {}
    for key, value in span.attributes.items():
        match = _MESSAGE.fullmatch(key)
        if match is not None:
            messages.setdefault(key[: match.start(2)], {})[match[2]] = value
    for message in messages.values():
        if message.get("role") == "tool" and isinstance(message.get("tool_call_id"), str):
            yield ToolResponse(message["tool_call_id"], message.get("content"))
        yield from _asked(message)


def _asked(message: dict[str, Json]) -> Iterator[ToolRequest]:
    calls: dict[str, dict[str, Json]] = {}
    for key, value in message.items():
        match = _TOOL_CALL.fullmatch(key)
        if match is not None:
            calls.setdefault(match[1], {})[match[2]] = value
    for call in calls.values():
        if isinstance(call.get("id"), str) and isinstance(call.get("function.name"), str):
            yield ToolRequest(call["id"], call["function.name"], call.get("function.arguments"))
