"""The proxy: a relay in front of any MCP server that adds receipts to results that break their contract.

It works on the wire and knows no SDK. On standard input and output it needs nothing but this package; over HTTP it needs
the extra `proxy-http`.
"""

from typing import TYPE_CHECKING, Any

from outcome_monitors.values.late_imports import imported_late

if TYPE_CHECKING:
    from outcome_monitors.receipts.mcp import CARRIERS, DEFAULT_CARRIER

    from .desk import Desk
    from .dialogue import Dialogue
    from .limits import TimeLimit
    from .recorder import Recorder
    from .stages import STAGES, Thresholds

__all__ = [
    "CARRIERS",
    "DEFAULT_CARRIER",
    "STAGES",
    "Desk",
    "Dialogue",
    "Recorder",
    "Thresholds",
    "TimeLimit",
]

# Each is imported when it is asked for: who counts events, or asks how far tools have come, need not load a monitor.
_LATER = {
    "CARRIERS": "outcome_monitors.receipts.mcp",
    "DEFAULT_CARRIER": "outcome_monitors.receipts.mcp",
    "Desk": ".desk",
    "Dialogue": ".dialogue",
    "Recorder": ".recorder",
    "STAGES": ".stages",
    "Thresholds": ".stages",
    "TimeLimit": ".limits",
}


def __getattr__(name: str) -> Any:
    return imported_late(__name__, _LATER, name)


def __dir__() -> list[str]:
    return __all__
