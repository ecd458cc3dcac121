"""A check as observability has it: an evaluation with a name, a label, a score and an explanation, on a span; no value of a result."""

import re
import sys
from typing import NamedTuple

from .event import CLEAN, FLAGGED, Event

__all__ = ["LABELS", "NAME", "SCORES", "SpanName", "explained", "span_of"]

NAME = "outcome_contract"
LABELS = {CLEAN: "pass", FLAGGED: "fail"}
SCORES = {CLEAN: 1.0, FLAGGED: 0.0}

_TRACEPARENT = re.compile(r"[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?", re.ASCII)
_SAMPLED = 1


def explained(event: Event) -> str:
    """Return codes and places, or why a result was not checked; empty where nothing is to be said."""
    found = (f"{found.code} at {found.path or '(the result)'}" for found in event.violations)
    return "; ".join(found) or event.why


class SpanName(NamedTuple):
    """A span, in hexadecimal digits."""

    trace: str
    span: str


def span_of(traceparent: str | None) -> SpanName | None:
    """Return the span that a W3C `traceparent` names, or without one the current span of OpenTelemetry; None where it is kept nowhere."""
    if traceparent is None:
        return _current()
    found = _TRACEPARENT.fullmatch(traceparent) if isinstance(traceparent, str) else None
    if found is None or not int(found[3], 16) & _SAMPLED:
        return None
    return SpanName(found[1], found[2]) if found[1].strip("0") and found[2].strip("0") else None


def _current() -> SpanName | None:
    # Who has never imported it has no current span.
    api = sys.modules.get("opentelemetry.trace")
    if api is None:
        return None
    context = api.get_current_span().get_span_context()
    if not context.is_valid or not context.trace_flags & _SAMPLED:
        return None
    return SpanName(f"{context.trace_id:032x}", f"{context.span_id:016x}")
