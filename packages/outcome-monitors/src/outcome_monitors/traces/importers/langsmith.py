"""LangSmith runs, as its client lists them and its exports write them, with their child runs inside or not.

A run's `session_id` is the project; the session is the thread that its metadata names.
"""

from collections.abc import Mapping

from outcome_monitors.model import Json

from ._payloads import arguments_of, first_label, instant, label, parsed
from ._spans import MISSING, Span, SpanCall

__all__ = ["as_run", "found", "recognise"]

THREADS = ("thread_id", "session_id", "conversation_id")
"""The metadata that LangSmith itself takes for a thread."""


def recognise(value: Json) -> bool:
    """Say whether a record is a run."""
    return isinstance(value, dict) and "run_type" in value and "id" in value


def as_run(value: Json, _context: Mapping[str, Json]) -> Span | None:
    """Return a run as a span, if a record is one."""
    if not recognise(value):
        return None
    key = str(value["id"])
    error = value.get("error")
    return Span(
        label(value.get("trace_id")) or key,
        key,
        label(value.get("parent_run_id")),
        str(value.get("name")),
        instant(value.get("start_time")),
        value,
        failed=bool(error) or value.get("status") == "error",
        says=error if isinstance(error, str) else None,
        session=_thread(value),
        task=label(value.get("reference_example_id")),
    )


def _thread(value: dict[str, Json]) -> str | None:
    extra = parsed(value.get("extra"))
    return first_label(parsed(extra.get("metadata")), THREADS) if isinstance(extra, dict) else None


def found(span: Span) -> SpanCall | None:
    """Return the call that a tool run records."""
    run = span.attributes
    if run.get("run_type") != "tool":
        return None
    outputs = parsed(run.get("outputs"))
    alone = isinstance(outputs, dict) and outputs.keys() == {"output"}
    result = parsed(outputs["output"]) if alone else MISSING if outputs is None or outputs == {} else outputs
    return SpanCall(span.name, _arguments(parsed(run.get("inputs"))), result)


def _arguments(inputs: Json) -> dict[str, Json] | None:
    """Return the arguments; older LangChain puts them, as text, under `input`."""
    if isinstance(inputs, dict) and inputs.keys() == {"input"} and isinstance(inputs["input"], str):
        inner = parsed(inputs["input"])
        return inner if isinstance(inner, dict) else inputs
    return arguments_of(inputs)
