"""Traceloop's spans (OpenLLMetry): OpenTelemetry's conventions, with what LangChain's callbacks were given around the payloads."""

from outcome_monitors.model import Json
from outcome_monitors.values.canonical import read_text

from ._spans import MISSING, Span, SpanCall, as_span
from ._values import arguments_of, label, parsed
from ._wrappers import call_id_of

__all__ = ["found", "recognise"]

PREFIX = "traceloop."
KIND = "traceloop.span.kind"
NAMES = ("gen_ai.tool.name", "traceloop.entity.name")
ARGUMENTS = ("gen_ai.tool.call.arguments", "traceloop.entity.input")
RESULT = ("gen_ai.tool.call.result", "traceloop.entity.output")


def recognise(value: Json) -> bool:
    """Say whether a record is a span of this instrumentation."""
    span = as_span(value, {})
    return span is not None and any(key.startswith(PREFIX) for key in span.attributes)


def found(span: Span) -> SpanCall | None:
    """Return the call that a tool span records."""
    attributes = span.attributes
    if attributes.get(KIND) != "tool":
        return None
    tool = next((name for key in NAMES if (name := label(attributes.get(key)))), span.name)
    given = next((attributes[key] for key in ARGUMENTS if key in attributes), None)
    result = _result(next((attributes[key] for key in RESULT if key in attributes), MISSING))
    failed = span.failed or "error.type" in attributes
    return SpanCall(tool, _arguments(parsed(given)), result, failed, call_id_of(result))


def _arguments(given: Json) -> dict[str, Json] | None:
    """Return the arguments: those of LangChain's callback, of a decorated function, or as they stand."""
    if not isinstance(given, dict):
        return arguments_of(given)
    if "input_str" in given and "inputs" in given:
        inputs = given["inputs"]
        return inputs if isinstance(inputs, dict) else arguments_of(_printed(given["input_str"]))
    if given.keys() == {"args", "kwargs"} and isinstance(given["kwargs"], dict):
        return None if given["args"] else given["kwargs"]
    return given


def _printed(text: Json) -> Json:
    """Return what LangChain has printed, which is Python's form of the arguments."""
    return read_text(text) if isinstance(text, str) else text


def _result(result: Json) -> Json:
    """Return what LangChain's callback was given, or the result as it is."""
    found = parsed(result)
    return found["output"] if isinstance(found, dict) and found.keys() == {"output", "kwargs"} else found
