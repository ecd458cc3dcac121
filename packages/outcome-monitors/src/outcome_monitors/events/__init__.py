"""Events: one for each tool result, with the outcome of its check, and the sinks that take them.

watch = Watch.open("contracts.json", events="events.sqlite")
outcome = watch.conversation().look("get_order", arguments, result)
"""

from .event import CLEAN, FAILED, FLAGGED, NOT_CHECKED, NOT_COVERED, OUTCOMES, SUPPRESSED, Event, Payload
from .otel import OpenTelemetry
from .payloads import Payloads
from .reader import events_at, read_events
from .sinks import Fan, Sink
from .stores import JsonLines, Store, default_store, open_sink, open_sinks
from .watch import MODES, Conversation, Watch

__all__ = [
    "CLEAN",
    "FAILED",
    "FLAGGED",
    "MODES",
    "NOT_CHECKED",
    "NOT_COVERED",
    "OUTCOMES",
    "SUPPRESSED",
    "Conversation",
    "Event",
    "Fan",
    "JsonLines",
    "OpenTelemetry",
    "Payload",
    "Payloads",
    "Sink",
    "Store",
    "Watch",
    "default_store",
    "events_at",
    "open_sink",
    "open_sinks",
    "read_events",
]
