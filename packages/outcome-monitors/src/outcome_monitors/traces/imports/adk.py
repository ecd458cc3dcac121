"""Google ADK's spans: OpenTelemetry's conventions, or names of its own before those; what is no object stands in one, as `result`."""

from outcome_monitors.model import Json
from outcome_monitors.values.canonical import of_response

from ._spans import MISSING, Span, SpanCall
from ._values import arguments_of, label, parsed

__all__ = ["found"]

OWN = "gcp.vertex.agent."
EVENT = OWN + "event_id"
ARGUMENTS = ("gen_ai.tool.call.arguments", OWN + "tool_call_args")
RESULT = ("gen_ai.tool.call.result", OWN + "tool_response")
NOTHING = ("{}", "<not serializable>", "<not specified>")
"""What it writes where content is not recorded, or where there is none."""


def found(span: Span) -> SpanCall | None:
    """Return the call that a tool span records."""
    attributes = span.attributes
    if EVENT not in attributes or attributes.get("gen_ai.operation.name") != "execute_tool":
        return None
    tool = attributes.get("gen_ai.tool.name") or span.name.removeprefix("execute_tool ")
    given = next((attributes[key] for key in ARGUMENTS if key in attributes), None)
    result = _result(attributes.get(RESULT[0]), attributes.get(RESULT[1]))
    failed = span.failed or "error.type" in attributes
    return SpanCall(
        str(tool), arguments_of(given), result, failed, label(attributes.get("gen_ai.tool.call.id"))
    )


def _result(said: Json, of_old: Json) -> Json:
    if said is None and (of_old is None or of_old in NOTHING):
        return MISSING
    result = of_response(parsed(of_old if said is None else said))
    return MISSING if result in NOTHING[1:] else result
