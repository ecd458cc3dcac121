"""Events: every tool result that a monitor looks at, what became of it, and where that is written.

watch = Watch.open("contracts.json", events="events.sqlite")
outcome = watch.conversation().look("get_order", arguments, result)
"""

from typing import TYPE_CHECKING, Any

from outcome_monitors.values.late_imports import imported_late

if TYPE_CHECKING:
    from .conversation import Conversation
    from .event import CLEAN, FAILED, FLAGGED, NOT_CHECKED, NOT_COVERED, OUTCOMES, Event, Payload
    from .otel import OpenTelemetry
    from .payloads import Payloads
    from .reader import Wanted, counted, read_events
    from .retention import MOST_BYTES, forget_events
    from .sinks import open_sink, open_sinks
    from .stores import Fan, JsonLines, Sink, Store, default_store
    from .watch import MODES, Watch

__all__ = [
    "CLEAN",
    "FAILED",
    "FLAGGED",
    "MODES",
    "MOST_BYTES",
    "NOT_CHECKED",
    "NOT_COVERED",
    "OUTCOMES",
    "Conversation",
    "Event",
    "Fan",
    "JsonLines",
    "OpenTelemetry",
    "Payload",
    "Payloads",
    "Sink",
    "Store",
    "Wanted",
    "Watch",
    "counted",
    "default_store",
    "forget_events",
    "open_sink",
    "open_sinks",
    "read_events",
]

# Each is imported when it is asked for: who counts events, or asks how far tools have come, need not load a monitor.
_LATER = {
    "CLEAN": ".event",
    "Conversation": ".conversation",
    "Event": ".event",
    "FAILED": ".event",
    "FLAGGED": ".event",
    "Fan": ".stores",
    "JsonLines": ".stores",
    "MODES": ".watch",
    "MOST_BYTES": ".retention",
    "NOT_CHECKED": ".event",
    "NOT_COVERED": ".event",
    "OUTCOMES": ".event",
    "OpenTelemetry": ".otel",
    "Payload": ".event",
    "Payloads": ".payloads",
    "Sink": ".stores",
    "Store": ".stores",
    "Wanted": ".reader",
    "Watch": ".watch",
    "counted": ".reader",
    "default_store": ".stores",
    "forget_events": ".retention",
    "open_sink": ".sinks",
    "open_sinks": ".sinks",
    "read_events": ".reader",
}


def __getattr__(name: str) -> Any:
    return imported_late(__name__, _LATER, name)


def __dir__() -> list[str]:
    return __all__
